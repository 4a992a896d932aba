import type { ObjectId } from 'mongodb';
import { inTransaction } from '../../../base/database/transactions.ts';
import { distinctIds } from '../../../base/ids.ts';
import type { Session } from '../../../base/model.ts';
import { dueProjects } from '../../../jobs/due-projects.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import { Documents } from '../documents.ts';
import { LinkDocuments } from '../links/documents.ts';
import { beginCount, countingSince, ensureState } from '../state.ts';
import { countClaims } from './count-claims.ts';
import { countEngagements } from './count-engagements.ts';
import { countFreezes } from './count-freezes.ts';
import { countRows } from './count-rows.ts';
import type { CountDeps } from './counting.ts';

const LOOK_EVERY_MS = 2_000;
const PROJECTS_AT_ONCE = 4;

/** Adds what waits in claims, rows and engagements to the counts of 15 minutes. */
export function seriesCounts(deps: CountDeps): JobQueue {
  return {
    name: 'series',
    concurrencyMax: PROJECTS_AT_ONCE,
    lookEveryMs: LOOK_EVERY_MS,
    projects: (now) => projectsWaiting(deps, now),
    take: async (projectId) => ({ runs: [() => countProject(deps, projectId)], more: false }),
  };
}

async function projectsWaiting(deps: CountDeps, now: Date): Promise<ObjectId[]> {
  await countingSince(deps);
  const { messages, engagements, campaignClaims, campaigns } = deps.db;
  const waiting = { field: 'countDueAt', now, hint: 'counted' };
  const found = await Promise.all([
    dueProjects(messages, waiting),
    dueProjects(engagements, waiting),
    dueProjects(campaignClaims, waiting),
    dueProjects(campaigns, waiting),
  ]);
  return distinctIds(found.flat());
}

/** Counts all that waits in a project, in transactions: a change is counted as its mark is removed, or neither. */
export async function countProject(deps: CountDeps, projectId: ObjectId): Promise<void> {
  await ensureState(deps, projectId);
  for (;;) {
    const isMore = await inTransaction(deps, (session) => countSome(deps, projectId, session));
    if (!isMore) return;
  }
}

async function countSome(deps: CountDeps, projectId: ObjectId, session: Session): Promise<boolean> {
  const state = await beginCount(deps, projectId, session);
  if (!state) return false;
  const where = { projectId, count: state.count, session };
  const counting = { projectId, session, documents: new Documents(where), links: new LinkDocuments(where) };
  // Not at once: they share a session.
  const isMore = [
    await countFreezes(deps, counting),
    await countClaims(deps, counting),
    await countRows(deps, counting),
    await countEngagements(deps, counting),
  ].some(Boolean);
  if (state.deletedAt) return isMore;
  await counting.documents.write(deps);
  await counting.links.write(deps);
  return isMore;
}
