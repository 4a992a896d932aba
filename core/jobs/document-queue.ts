import { type AnyBulkWriteOperation, type Collection, type Document, ObjectId } from 'mongodb';
import { createBatcher } from '../base/batcher.ts';
import type { Deps } from '../base/deps.ts';
import { AppError } from '../base/errors.ts';
import type { JobQueue } from './queue.ts';

/** A run must be over by then: after it any process may take the document again. */
export const LEASE_MS = 30_000;
const FIRST_ID = new ObjectId('000000000000000000000000');
const SETTLED_AT_ONCE_MAX = 64;
/** A lease need not survive a failover: without it the document is taken again, which every run must tolerate anyway. */
const LEASE_CONCERN = { w: 1 } as const;

type Leased = { docs: Document[]; more: boolean };
type Tenant = { _id: ObjectId; projectId: ObjectId };

export interface DueDocuments<Doc extends Tenant> {
  name: string;
  collection: Collection<Doc>;
  /** The date of the job, absent when there is nothing to do. The last key of a partial index {...where, projectId, field}. */
  field: keyof Doc & string;
  /** Equalities on the keys before projectId in that index. */
  where?: Partial<Doc>;
  concurrencyMax: number;
  lookEveryMs?: number;
  perSecondMax?: number;
  /**
   * May run twice for one document. `unavailable` returns the document and pauses this queue; after any other error the document
   * is due again when its lease ends.
   */
  run(doc: Doc): Promise<DueOutcome>;
}

/** done: nothing left to do. again: due at that time. settled: the run wrote the document itself. */
export type DueOutcome = { kind: 'done' } | { kind: 'again'; at: Date } | { kind: 'settled' };

export const done: DueOutcome = { kind: 'done' };
export const settled: DueOutcome = { kind: 'settled' };

export function again(at: Date): DueOutcome {
  return { kind: 'again', at };
}

export function documentQueue<Doc extends Tenant>(deps: Pick<Deps, 'log'>, kind: DueDocuments<Doc>): JobQueue {
  const { name, concurrencyMax, lookEveryMs, perSecondMax, field } = kind;
  const takenBy = `${field}By`;
  const documents = kind.collection as unknown as Collection<Document>;
  const isDue = { ...kind.where, [field]: { $exists: true }, $expr: { $lte: [`$${field}`, '$$NOW'] } };
  const leaseEnd = { $dateAdd: { startDate: '$$NOW', unit: 'millisecond', amount: LEASE_MS } };
  const write = createBatcher(writeAll, { sizeMax: SETTLED_AT_ONCE_MAX, runsMax: 2 });

  /**
   * With a bound on each key of the index this is a DISTINCT_SCAN, which reads one key per project however many documents are
   * due.
   */
  async function projects(now: Date): Promise<ObjectId[]> {
    const match = { ...kind.where, projectId: { $gte: FIRST_ID }, [field]: { $lte: now } };
    const rows = await documents.aggregate([{ $match: match }, { $group: { _id: '$projectId' } }]).toArray();
    return rows.map((row) => row._id as ObjectId);
  }

  async function take(projectId: ObjectId, limit: number) {
    const leased = limit === 1 ? await leaseOne(projectId) : await leaseMany(projectId, limit);
    return { runs: leased.docs.map((doc) => () => runLeased(doc as unknown as Doc)), more: leased.more };
  }

  async function leaseOne(projectId: ObjectId): Promise<Leased> {
    const lease = [{ $set: { [field]: leaseEnd } }];
    const options = { sort: { [field]: 1 }, returnDocument: 'after', writeConcern: LEASE_CONCERN } as const;
    const doc = await documents.findOneAndUpdate({ projectId, ...isDue }, lease, options);
    return { docs: doc ? [doc] : [], more: doc !== null };
  }

  /** The token shows which ones were won: another process may be taking the same. */
  async function leaseMany(projectId: ObjectId, limit: number): Promise<Leased> {
    const due = documents.find({ projectId, ...isDue }, { projection: { _id: 1 }, sort: { [field]: 1 }, limit });
    const ids = (await due.toArray()).map(({ _id }) => _id);
    if (ids.length === 0) return { docs: [], more: false };
    const token = new ObjectId();
    const lease = [{ $set: { [field]: leaseEnd, [takenBy]: token } }];
    const query = { _id: { $in: ids }, projectId };
    const { modifiedCount } = await documents.updateMany({ ...query, ...isDue }, lease, {
      writeConcern: LEASE_CONCERN,
    });
    const docs = modifiedCount === 0 ? [] : await documents.find({ ...query, [takenBy]: token }).toArray();
    return { docs, more: ids.length === limit };
  }

  async function runLeased(doc: Doc): Promise<void> {
    try {
      const outcome = await kind.run(doc);
      if (outcome.kind === 'done') await settle(doc, { $unset: { [field]: '', [takenBy]: '' } });
      if (outcome.kind === 'again') await settle(doc, { $set: { [field]: outcome.at } });
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unavailable') {
        await settle(doc, [{ $set: { [field]: '$$NOW' } }]);
        throw error;
      }
      deps.log.error({ kind: name, id: doc._id, err: error }, 'a job failed; retrying when its lease ends');
    }
  }

  /**
   * Writes only while the lease is held: a process that made the document due again in the mean time has moved the date, and it
   * stays due.
   */
  function settle(doc: Doc, update: Document | Document[]): Promise<void> {
    const filter = { _id: doc._id, projectId: doc.projectId, [field]: doc[field] };
    return write({ updateOne: { filter, update } });
  }

  async function writeAll(operations: AnyBulkWriteOperation[]): Promise<undefined[]> {
    await documents.bulkWrite(operations, { ordered: false });
    return operations.map(() => undefined);
  }

  return { name, concurrencyMax, lookEveryMs, perSecondMax, projects, take };
}
