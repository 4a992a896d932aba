import { MongoError } from 'mongodb';
import type { Deps } from './deps.ts';
import { unavailableDatabase } from './errors.ts';
import type { Session } from './model.ts';

/** Whoever is in the way may be there for long: asking without a pause would only load the server. */
const PAUSE_MAX_MS = 32;

/**
 * Runs `work` in a transaction and repeats it whole on a write conflict, within the time a request may take:
 * the driver's own loop goes on for two minutes.
 */
export async function inTransaction<T>(
  deps: Pick<Deps, 'mongo' | 'config'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + deps.config.operationTimeoutMs;
  return deps.mongo.withSession(async (session) => {
    for (let pauseMs = 1; ; pauseMs = Math.min(PAUSE_MAX_MS, pauseMs * 2)) {
      try {
        session.startTransaction({
          readConcern: { level: 'snapshot' },
          writeConcern: { w: 'majority', journal: true },
        });
        const result = await work(session);
        await commit(session, deadline);
        return result;
      } catch (error) {
        if (session.inTransaction()) await session.abortTransaction().catch(() => {});
        const isTransient = hasLabel(error, 'TransientTransactionError') || isBrokenConnection(error);
        if (!isTransient || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  });
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
      if (isKnown) throw error;
      if (performance.now() > deadline) throw error instanceof MongoError ? error : unavailableDatabase();
    }
  }
}

/** A connection that breaks while the driver writes to it is not always told in the driver's words. */
export function isBrokenConnection(error: unknown): boolean {
  return error instanceof Error && BROKEN.has(String((error as NodeJS.ErrnoException).code));
}

const BROKEN = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTCONN']);

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label);
}
