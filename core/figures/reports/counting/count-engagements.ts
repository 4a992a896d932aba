import { ENGAGEMENT_TIMES, markEngagementsCounted } from '../../../mail/feedback/counted.ts';
import type { CountName, Fact } from '../../../mail/ledger/counting/facts.ts';
import type { Message } from '../../../mail/ledger/model.ts';
import type { Engagement, EngagementTime } from '../../../mail/messages/model.ts';
import { CLICK_FIELDS, countClicks } from '../links/count.ts';
import { ORIGIN_FIELDS, type OriginRow, originsOf, tallied } from './count-rows.ts';
import type { CountDeps, Counting } from './counting.ts';

const AT_ONCE_MAX = 512;

const COUNTED_AS: Record<EngagementTime, CountName> = {
  openedAt: 'opened',
  humanOpenedAt: 'humanOpened',
  clickedAt: 'clicked',
  unsubscribedAt: 'unsubscribed',
  complainedAt: 'complained',
};

export type Times = Partial<Record<EngagementTime, Date>>;
export type EngagedRow = OriginRow & Pick<Message, 'email' | 'provider'>;

export async function countEngagements(deps: CountDeps, counting: Counting): Promise<boolean> {
  const { projectId, session, documents } = counting;
  const { engagements, messages } = deps.db;
  const fields = { ...timeFields(), ...CLICK_FIELDS };
  const found = await engagements
    .find({ projectId, countDueAt: { $exists: true } }, { session, hint: 'counted', projection: fields })
    .limit(AT_ONCE_MAX)
    .toArray();
  if (found.length === 0) return false;
  const ids = { _id: { $in: found.map(({ _id }) => _id) }, projectId };
  const rows: EngagedRow[] = await messages.find(ids, { session, projection: ORIGIN_FIELDS }).toArray();
  const rowOf = new Map(rows.map((row) => [row._id.toHexString(), row]));
  const originOf = await originsOf(deps, projectId, rows, session);
  for (const engagement of found) {
    const row = rowOf.get(engagement._id.toHexString());
    if (!row) continue;
    for (const cell of tallied(row, [...timesAs(engagement, 1), ...timesAs(engagement.counted ?? {}, -1)]))
      documents.add(originOf(row), cell);
  }
  const clicked = await countClicks(deps, counting, rowOf, found);
  await markEngagementsCounted(deps, projectId, ids._id.$in, clicked, session);
  return found.length === AT_ONCE_MAX;
}

function timeFields(): Partial<Record<keyof Engagement, 1>> {
  return { counted: 1, ...Object.fromEntries(ENGAGEMENT_TIMES.map((time) => [time, 1])) };
}

export function timesAs(times: Times, by: 1 | -1): Fact[] {
  return ENGAGEMENT_TIMES.flatMap((time) => {
    const at = times[time];
    return at ? [{ did: COUNTED_AS[time], at, by }] : [];
  });
}
