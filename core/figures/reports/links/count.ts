import type { ObjectId } from 'mongodb';
import { type CountedClicks, markEarlierClicksCounted } from '../../../mail/feedback/counted.ts';
import { humanLinks, linkKey } from '../../../mail/messages/clicks.ts';
import type { CountedLink, Engagement } from '../../../mail/messages/model.ts';
import type { OriginRow } from '../counting/count-rows.ts';
import type { CountDeps, Counting } from '../counting/counting.ts';
import { linkSourcesOf } from './sources.ts';

export const CLICK_FIELDS = { clicks: 1, laterClicks: 1, clickCount: 1, linkClicks: 1, countedLinks: 1 } as const;

type Clicked = Pick<Engagement, '_id' | keyof typeof CLICK_FIELDS>;
type RowOf = ReadonlyMap<string, OriginRow>;

/** Counts the clicks of these engagements; what is counted of each then is for the caller to store, in the same transaction. */
export async function countClicks(
  deps: CountDeps,
  { projectId, session, links }: Counting,
  rowOf: RowOf,
  found: Clicked[],
): Promise<CountedClicks[]> {
  const clicked = clickedRows(rowOf, found);
  if (clicked.length === 0) return [];
  const rows = clicked.map(({ row }) => row);
  const sourcesOf = await linkSourcesOf(deps, projectId, rows, session);
  return clicked.map(({ row, engagement }) => {
    const { _id, countedLinks: before = [] } = engagement;
    const after = countedLinks(deps, engagement);
    links.add({ sources: sourcesOf(row), before, after });
    return { _id, countedLinks: after };
  });
}

function clickedRows(rowOf: RowOf, found: Clicked[]): Array<{ row: OriginRow; engagement: Clicked }> {
  return found.flatMap((engagement) => {
    const row = rowOf.get(engagement._id.toHexString());
    return row && (engagement.clickCount ?? 0) > 0 ? [{ row, engagement }] : [];
  });
}

/** By number, and by URL where there is none. */
function countedLinks({ config }: Pick<CountDeps, 'config'>, of: Clicked): CountedLink[] {
  const { clicks = [], linkClicks = {}, clickCount = 0 } = of;
  const human = humanLinks(of, config.automatedOpenSeconds);
  const byKey = new Map(clicks.map((click) => [linkKey(click), click]));
  const counted = [...byKey].map(
    ([key, { link, url }]): CountedLink => ({
      ...(link === undefined ? { url } : { link }),
      clicks: linkClicks[key] ?? 1,
      isHuman: human.has(key),
    }),
  );
  const rest = clickCount - counted.reduce((sum, one) => sum + one.clicks, 0);
  return rest > 0 ? [...counted, { clicks: rest, isHuman: false }] : counted;
}

/** Clicks of before the upgrade have no mark, and are counted by a recount. */
export async function countEarlierClicks(deps: CountDeps, projectId: ObjectId, rowOf: RowOf): Promise<void> {
  const ids = [...rowOf.values()].map(({ _id }) => _id);
  const uncounted = { projectId, countedLinks: { $exists: false }, countDueAt: { $exists: false } };
  const found = await deps.db.engagements
    .find({ ...uncounted, _id: { $in: ids }, clickedAt: { $exists: true } }, { projection: CLICK_FIELDS, hint: '_id_' })
    .toArray();
  const clicked = clickedRows(rowOf, found).map(({ engagement }) => ({
    _id: engagement._id,
    countedLinks: countedLinks(deps, engagement),
  }));
  await markEarlierClicksCounted(deps, projectId, clicked);
}
