import { type Document, type Filter, MongoError, type ObjectId } from 'mongodb';
import type { LedgerDeps } from './ledger.ts';
import type { Message } from './model.ts';
import { inTransaction } from './transactions.ts';

/** Below it the second round trip of a transaction costs more than it saves. */
const TOGETHER_MIN = 8;
/** Whoever is in the way is soon gone; else each message is written by itself, which waits for its turn on the server. */
const PATIENCE_MS = 250;

/**
 * Updates a group of messages and answers how many. MongoDB gives each document of an updateMany a commit and an oplog entry of its own;
 * in a transaction the group has one of each, which halves what an outcome costs the server.
 */
export async function updateGroup(
  deps: LedgerDeps,
  filter: Filter<Message> & { _id: { $in: ObjectId[] } },
  update: Document[],
): Promise<number> {
  const { messages } = deps.db;
  if (filter._id.$in.length >= TOGETHER_MIN) {
    const patient = { mongo: deps.mongo, config: { ...deps.config, operationTimeoutMs: PATIENCE_MS } };
    try {
      return await inTransaction(patient, async (session) => {
        const { modifiedCount } = await messages.updateMany(filter, update, { session });
        return modifiedCount;
      });
    } catch (error) {
      if (!(error instanceof MongoError && error.hasErrorLabel('TransientTransactionError'))) throw error;
    }
  }
  return (await messages.updateMany(filter, update)).modifiedCount;
}
