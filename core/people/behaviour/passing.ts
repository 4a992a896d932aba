import type { ObjectId } from 'mongodb';
import { AppError } from '../../base/errors.ts';
import { dueProjects } from '../../jobs/due-projects.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import { changeContacts, IMPORT_CHANGES_TOGETHER_MAX } from '../changes/changes.ts';
import type { PeopleDeps } from '../deps.ts';

const LOOK_EVERY_MS = 2_000;
/** A run gives way to other projects after this time. */
const TURN_MS = 20_000;

/** Windows pass without anything happening: their contacts are compared with the segments again. */
export function passingWindows(deps: PeopleDeps): JobQueue {
  const running = new Set<string>();
  return {
    name: 'passing-windows',
    concurrencyMax: 2,
    lookEveryMs: LOOK_EVERY_MS,
    projects: () => dueProjects(deps.db.contacts, { field: 'windowDueAt', now: deps.clock.now() }),
    async take(projectId) {
      const key = projectId.toHexString();
      if (running.has(key)) return { runs: [], more: false };
      running.add(key);
      const run = () => passWindows(deps, projectId, TURN_MS).finally(() => running.delete(key));
      return { runs: [async () => void (await run())], more: false };
    },
  };
}

/** Until no window has passed or the time is over. Returns the number of contacts compared. */
export async function passWindows(deps: PeopleDeps, projectId: ObjectId, timeMs: number): Promise<number> {
  const deadline = performance.now() + timeMs;
  for (let compared = 0; ; ) {
    const due = await deps.db.contacts
      .find({ projectId, windowDueAt: { $lte: deps.clock.now() } }, { projection: { _id: 1 }, hint: 'window_due' })
      .limit(IMPORT_CHANGES_TOGETHER_MAX)
      .toArray();
    const changes = due.map(({ _id }) => ({ ...PASSED, contactId: _id, newId: _id }));
    const outcomes = await changeContacts(deps, { _id: projectId }, changes, IMPORT_CHANGES_TOGETHER_MAX);
    for (const outcome of outcomes) if (outcome instanceof AppError) throw outcome;
    compared += due.length;
    if (due.length < IMPORT_CHANGES_TOGETHER_MAX || performance.now() > deadline) return compared;
  }
}

const PASSED = { whenMissing: 'leave', whenPresent: 'change', windowsPassed: true } as const;
