import { MongoError } from 'mongodb';
import type { Deps } from './deps.ts';
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
        if (!hasLabel(error, 'TransientTransactionError') || performance.now() > deadline) throw error;
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
      if (!hasLabel(error, 'UnknownTransactionCommitResult') || performance.now() > deadline) throw error;
    }
  }
}

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label);
}
