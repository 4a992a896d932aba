import { MongoError, MongoServerSelectionError } from 'mongodb';
import type { Deps } from './deps.ts';
import { unavailableDatabase } from './errors.ts';
import type { Session } from './model.ts';

/** Whoever is in the way may be there for long: asking without a pause would only load the server. */
const PAUSE_MAX_MS = 32;
const END_WAIT_MS = 300;

/**
 * Runs `work` in a transaction and repeats it whole on a write conflict, within the time a request may take:
 * the driver's own loop goes on for two minutes.
 */
export async function inTransaction<T>(
  deps: Pick<Deps, 'mongo' | 'config'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + deps.config.operationTimeoutMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(PAUSE_MAX_MS, pauseMs * 2)) {
    const session = deps.mongo.startSession();
    try {
      session.startTransaction({
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority', journal: true },
      });
      const result = await work(session);
      await commit(session, deadline);
      return result;
    } catch (error) {
      const isTransient = hasLabel(error, 'TransientTransactionError') || isBrokenConnection(error);
      if (!isTransient || isAway(error) || performance.now() > deadline) throw error;
    } finally {
      await endSoon(session);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** What was begun is aborted. With the database away that would take as long as a call may take to find it. */
async function endSoon(session: Session): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_WAIT_MS);
  });
  await Promise.race([session.endSession().catch(() => {}), waited]);
  clearTimeout(timer);
}

/** A commit of unknown outcome may be repeated as it is. */
async function commit(session: Session, deadline: number): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      // The driver may fail over an error of the system that it meets instead of its own: nobody knows then either.
      const isKnown = error instanceof MongoError && !hasLabel(error, 'UnknownTransactionCommitResult');
      if (isKnown || isAway(error)) throw error;
      if (performance.now() > deadline) throw error instanceof MongoError ? error : unavailableDatabase();
    }
  }
}

/** It was looked for as long as a call may take, so looking again would only keep the caller waiting. */
export function isAway(error: unknown): boolean {
  return error instanceof MongoServerSelectionError;
}

/** A connection that breaks while the driver writes to it is not always told in the driver's words. */
export function isBrokenConnection(error: unknown): boolean {
  return error instanceof Error && BROKEN.has(String((error as NodeJS.ErrnoException).code));
}

const BROKEN = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTCONN']);

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label);
}
