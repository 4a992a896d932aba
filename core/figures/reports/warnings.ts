import { inTransaction } from '../../base/database/transactions.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { announceEvents, type NewEvent, publishEvents } from '../../events/events.ts';
import { again, type DueOutcome, documentQueue, done } from '../../jobs/document-queue.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { FiguresDeps } from '../deps.ts';
import type { ReportState, Standing } from './model.ts';
import { type DomainReputation, judgeDomains } from './reputation.ts';
import { isBad, LIMITS } from './rules/judge.ts';

/** Rates change without new mail too, as mail leaves the windows. */
const AGAIN_MS = 15 * 60_000;
const LOOK_EVERY_MS = 10_000;
const AT_ONCE_MAX = 2;

/** Judges the sending domains of projects whose counts have changed, and publishes what has changed. */
export function reputationWarnings(deps: FiguresDeps): JobQueue {
  return documentQueue<ReportState>(deps, {
    name: 'reputation',
    collection: deps.db.reportStates,
    field: 'reputationDueAt',
    concurrencyMax: AT_ONCE_MAX,
    lookEveryMs: LOOK_EVERY_MS,
    run: (state) => warn(deps, state),
  });
}

async function warn(deps: FiguresDeps, { projectId, count, deletedAt }: ReportState): Promise<DueOutcome> {
  if (deletedAt) return done;
  const now = deps.clock.now();
  const domains = await judgeDomains(deps, { projectId, count }, now);
  const news = await inTransaction(deps, async (session) => {
    const state = await deps.db.reportStates.findOne({ _id: projectId, projectId }, { session });
    const { standings, events } = standingsAfter(state?.standings ?? [], domains, now);
    if (events.length === 0) return 0;
    await deps.db.reportStates.updateOne({ _id: projectId, projectId }, { $set: { standings } }, { session });
    await publishEvents(deps, projectId, events, session);
    return events.length;
  });
  if (news > 0) announceEvents(deps, projectId);
  return domains.some(({ last7Days }) => last7Days.sent > 0) ? again(new Date(now.getTime() + AGAIN_MS)) : done;
}

/** A warning at most once in 24 hours, repeated while it is still so; the same for the end of it. Few mails change nothing. */
function standingsAfter(
  before: readonly Standing[],
  domains: readonly DomainReputation[],
  now: Date,
): { standings: Standing[]; events: NewEvent[] } {
  const byDomain = new Map(before.map((standing) => [standing.domain, standing]));
  const isDayAgo = (at?: Date) => !at || now.getTime() - at.getTime() >= DAY_MS;
  const events: NewEvent[] = [];
  for (const found of domains) {
    const { domain, status } = found;
    const known = byDomain.get(domain) ?? { domain, isWarned: false };
    if (isBad(status) && isDayAgo(known.warnedAt)) {
      byDomain.set(domain, { ...known, isWarned: true, warnedAt: now });
      events.push(eventOf('reputation.warning', found, now));
    } else if (status === 'good' && known.isWarned && isDayAgo(known.recoveredAt)) {
      byDomain.set(domain, { ...known, isWarned: false, recoveredAt: now });
      events.push(eventOf('reputation.recovered', found, now));
    }
  }
  return { standings: [...byDomain.values()], events };
}

function eventOf(type: 'reputation.warning' | 'reputation.recovered', found: DomainReputation, at: Date): NewEvent {
  const { domain } = found;
  return { type, key: `${domain} ${at.toISOString()}`, at, data: { ...found, limits: LIMITS } };
}
