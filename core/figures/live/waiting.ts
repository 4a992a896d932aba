import type { ObjectId } from 'mongodb';
import { dueProjects } from '../../jobs/due-projects.ts';
import type { Message } from '../../mail/ledger/model.ts';
import type { Lane } from '../../mail/ledger/relay.ts';
import type { FiguresDeps } from '../deps.ts';

/** A campaign's recipients wait in the task queue `campaign` instead. */
type MailLane = Exclude<Lane, 'campaign'>;

export interface WaitingMails {
  lane: MailLane;
  /** Of all projects: mails that are due and that no process has claimed, of each project at most so many as are counted. */
  waiting: number;
  /** How long the one that is due the longest waits. */
  oldestSeconds: number;
}

type WaitingDeps = Pick<FiguresDeps, 'db' | 'clock'>;

const LANES: readonly MailLane[] = ['transactional', 'automation'];
const COUNTED_MAX = 5_000;
const PROJECTS_MAX = 100;

/** The backlog of the installation, for its operators. A lane without one is a single query. */
export function waitingMails(deps: WaitingDeps): Promise<WaitingMails[]> {
  return Promise.all(LANES.map((lane) => waitingInLane(deps, lane)));
}

async function waitingInLane(deps: WaitingDeps, lane: MailLane): Promise<WaitingMails> {
  const now = deps.clock.now();
  const projects = await dueProjects(deps.db.messages, { where: { lane }, field: 'dueAt', now });
  let waiting = 0;
  let oldestAt = now;
  // One project after another, so that a scrape takes two connections of the process and no more.
  for (const projectId of projects.slice(0, PROJECTS_MAX)) {
    const own = await waitingOf(deps, { lane, projectId, now });
    waiting += own.count;
    if (own.oldestAt && own.oldestAt < oldestAt) oldestAt = own.oldestAt;
  }
  return { lane, waiting, oldestSeconds: (now.getTime() - oldestAt.getTime()) / 1_000 };
}

async function waitingOf(
  { db }: WaitingDeps,
  { lane, projectId, now }: { lane: Lane; projectId: ObjectId; now: Date },
) {
  const due = { lane, projectId, dueAt: { $lte: now } };
  const oldest = await db.messages.findOne(due, {
    projection: { dueAt: 1, scheduledAt: 1, createdAt: 1 },
    sort: { dueAt: 1 },
    hint: 'due',
  });
  if (!oldest) return { count: 0, oldestAt: null };
  const count = await db.messages.countDocuments(due, { limit: COUNTED_MAX, hint: 'due' });
  return { count, oldestAt: waitsSince(oldest, now) };
}

/** The later of the two: a new mail is due before it is accepted, a deferred one was accepted long before it is due. */
function waitsSince(
  { dueAt, scheduledAt, createdAt }: Pick<Message, 'dueAt' | 'scheduledAt' | 'createdAt'>,
  now: Date,
) {
  const times = [dueAt, scheduledAt ?? createdAt].flatMap((at) => (at ? [at.getTime()] : []));
  return times.length > 0 ? new Date(Math.max(...times)) : now;
}
