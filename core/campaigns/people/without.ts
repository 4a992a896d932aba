import type { ObjectId } from 'mongodb';
import { oncePerCore } from '../../base/deps.ts';
import { mapAhead } from '../../base/work/ahead.ts';
import { BoundedMap, SHOWN_FACTOR } from '../../base/work/cache.ts';
import type { Message } from '../../mail/ledger/model.ts';
import { states } from '../../mail/ledger/states.ts';
import type { CampaignsDeps } from '../deps.ts';
import { type Acted, actedIn } from './figures.ts';
import { everyRow, ROWS_AT_ONCE, type Tenant } from './rows.ts';

type Row = Pick<Message, '_id' | 'seq'>;

/** The next rows are read while the engagements of these are. */
const BATCHES_AHEAD = 2;

/** Delivered mail without the act, in batches in the order of sending; `last` is the `seq` up to which a batch has looked. */
export async function* withoutAct(
  deps: Pick<CampaignsDeps, 'db'>,
  campaign: Tenant,
  act: Acted,
  after?: number,
): AsyncGenerator<{ ids: ObjectId[]; last: number }> {
  const fields = { _id: 1, seq: 1 } as const;
  const batches = everyRow<Row>(deps, campaign, states.sent, { after, fields });
  yield* mapAhead(batches, BATCHES_AHEAD, async (rows) => {
    const ids = rows.map(({ _id }) => _id);
    const found = await deps.db.engagements
      .find({ ...actedIn(campaign, act), _id: { $in: ids } }, { projection: { _id: 1 }, hint: '_id_' })
      .toArray();
    const acted = new Set(found.map(({ _id }) => _id.toHexString()));
    return { ids: ids.filter((id) => !acted.has(id.toHexString())), last: rows.at(-1)?.seq ?? 0 };
  });
}

/** Behind the row with this `seq` comes the person with this number. */
interface Mark {
  before: number;
  seq: number;
}

/**
 * Where people begin, found by earlier calls, so that the pages of a long list are not each walked to from its beginning. They serve longer
 * when they took longer to find.
 */
interface Marks {
  found: Mark[];
  costMs: number;
  untilMs: number;
}

const KEPT_MAX = 200;

const marksOf = oncePerCore((_deps: Pick<CampaignsDeps, 'state'>) => new BoundedMap<string, Marks>(KEPT_MAX));

/** The ids of one page. */
export async function pageWithout(
  deps: Pick<CampaignsDeps, 'db' | 'state'>,
  campaign: Tenant,
  act: Acted,
  { skip, limit }: { skip: number; limit: number },
): Promise<ObjectId[]> {
  const marks = freshMarks(deps, `${campaign._id.toHexString()} ${act.at}`);
  const start = marks.found.findLast(({ before }) => before <= skip);
  const page: ObjectId[] = [];
  let before = start?.before ?? 0;
  let beganMs = performance.now();
  for await (const { ids, last } of withoutAct(deps, campaign, act, start?.seq)) {
    page.push(...ids.slice(Math.max(0, skip - before), Math.max(0, skip + limit - before)));
    before += ids.length;
    keep(marks, { before, seq: last }, performance.now() - beganMs);
    beganMs = performance.now();
    if (page.length >= limit) break;
  }
  return page;
}

function freshMarks(deps: Pick<CampaignsDeps, 'state'>, key: string): Marks {
  const kept = marksOf(deps);
  const known = kept.get(key);
  if (known && performance.now() < known.untilMs) return known;
  const marks = { found: [], costMs: 0, untilMs: 0 };
  kept.set(key, marks);
  return marks;
}

/** Short lists are walked each time. */
function keep(marks: Marks, mark: Mark, tookMs: number): void {
  if (mark.before < Math.max(ROWS_AT_ONCE, (marks.found.at(-1)?.before ?? 0) + 1)) return;
  marks.found.push(mark);
  marks.costMs += tookMs;
  marks.untilMs = performance.now() + marks.costMs * SHOWN_FACTOR;
}
