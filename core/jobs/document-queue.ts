import { type AnyBulkWriteOperation, type Collection, type Document, ObjectId } from 'mongodb';
import { createBatcher } from '../base/database/batcher.ts';
import type { Deps } from '../base/deps.ts';
import { AppError } from '../base/errors.ts';
import { dueProjects } from './due-projects.ts';
import type { Allowance, JobQueue } from './fair-scheduler.ts';

/** A run must be over by then: after it any process may take the document again. */
export const LEASE_MS = 30_000;
const LEASE_END = { $dateAdd: { startDate: '$$NOW', unit: 'millisecond', amount: LEASE_MS } };
const SETTLED_AT_ONCE_MAX = 64;
/** A lease need not survive a failover: without it the document is taken again, which every run must tolerate anyway. */
const LEASE_CONCERN = { w: 1 } as const;

type Leased = { docs: Document[]; more: boolean };
type Tenant = { _id: ObjectId | string; projectId: ObjectId };

export interface DueDocuments<Doc extends Tenant> {
  name: string;
  collection: Collection<Doc>;
  /** The date of the job, absent when there is nothing to do. The last key of a partial index {...where, projectId, field}. */
  field: keyof Doc & string;
  /** Equalities on the keys before projectId in that index. */
  where?: Partial<Doc>;
  concurrencyMax: number;
  lookEveryMs?: number;
  allowance?: Allowance;
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
  return new DocumentQueue(deps, kind);
}

/**
 * A document without the date has no job; with a date in the past its job is due. The moves, each a compare-and-set on the date:
 *
 * - due -> leased: `take` moves the date to the end of the lease, so no other process takes the document until then.
 * - leased -> without a job (done), due at a later time (again), or due at once (`unavailable`).
 * - leased -> due: the lease ends because the job failed or its process died; or other code has moved the date, and then the
 *   outcome of the run is not written.
 */
class DocumentQueue<Doc extends Tenant> implements JobQueue {
  readonly name: string;
  readonly concurrencyMax: number;
  readonly lookEveryMs: number | undefined;
  readonly allowance: Allowance | undefined;
  readonly #log: Deps['log'];
  readonly #kind: DueDocuments<Doc>;
  readonly #takenBy: string;
  readonly #documents: Collection<Document>;
  readonly #isDue: Document;
  readonly #write: (operation: AnyBulkWriteOperation) => Promise<undefined>;

  constructor({ log }: Pick<Deps, 'log'>, kind: DueDocuments<Doc>) {
    const { name, concurrencyMax, lookEveryMs, allowance, field } = kind;
    this.name = name;
    this.concurrencyMax = concurrencyMax;
    this.lookEveryMs = lookEveryMs;
    this.allowance = allowance;
    this.#log = log;
    this.#kind = kind;
    this.#takenBy = `${field}By`;
    this.#documents = kind.collection as unknown as Collection<Document>;
    this.#isDue = { ...kind.where, [field]: { $exists: true }, $expr: { $lte: [`$${field}`, '$$NOW'] } };
    this.#write = createBatcher((operations) => this.#writeAll(operations), {
      sizeMax: SETTLED_AT_ONCE_MAX,
      runsMax: 2,
      callers: 'jobs',
    });
  }

  projects(now: Date): Promise<ObjectId[]> {
    const { where, field } = this.#kind;
    return dueProjects(this.#documents, { where, field, now });
  }

  async take(projectId: ObjectId, limit: number) {
    const leased = limit === 1 ? await this.#leaseOne(projectId) : await this.#leaseMany(projectId, limit);
    return { runs: leased.docs.map((doc) => () => this.#run(doc as unknown as Doc)), more: leased.more };
  }

  async #leaseOne(projectId: ObjectId): Promise<Leased> {
    const { field } = this.#kind;
    const options = { sort: { [field]: 1 }, returnDocument: 'after', writeConcern: LEASE_CONCERN } as const;
    const lease = [{ $set: { [field]: LEASE_END } }];
    const doc = await this.#documents.findOneAndUpdate({ projectId, ...this.#isDue }, lease, options);
    return { docs: doc ? [doc] : [], more: doc !== null };
  }

  /** The token shows which ones were won: another process may be taking the same. */
  async #leaseMany(projectId: ObjectId, limit: number): Promise<Leased> {
    const { field } = this.#kind;
    const options = { projection: { _id: 1 }, sort: { [field]: 1 }, limit } as const;
    const due = await this.#documents.find({ projectId, ...this.#isDue }, options).toArray();
    if (due.length === 0) return { docs: [], more: false };
    const token = new ObjectId();
    const lease = [{ $set: { [field]: LEASE_END, [this.#takenBy]: token } }];
    const query = { _id: { $in: due.map(({ _id }) => _id) }, projectId };
    const { modifiedCount } = await this.#documents.updateMany({ ...query, ...this.#isDue }, lease, {
      writeConcern: LEASE_CONCERN,
    });
    const won = { ...query, [this.#takenBy]: token };
    const docs = modifiedCount === 0 ? [] : await this.#documents.find(won).toArray();
    return { docs, more: due.length === limit };
  }

  async #run(doc: Doc): Promise<void> {
    const { field } = this.#kind;
    try {
      const outcome = await this.#kind.run(doc);
      if (outcome.kind === 'done') await this.#settle(doc, { $unset: { [field]: '', [this.#takenBy]: '' } });
      if (outcome.kind === 'again') await this.#settle(doc, { $set: { [field]: outcome.at } });
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unavailable') {
        await this.#settle(doc, [{ $set: { [field]: '$$NOW' } }]);
        throw error;
      }
      this.#log.error({ kind: this.name, id: doc._id, err: error }, 'a job failed; retrying when its lease ends');
    }
  }

  /** Writes only while the lease is held: a process that made the document due again has moved the date, and it stays due. */
  #settle(doc: Doc, update: Document | Document[]): Promise<undefined> {
    const { field } = this.#kind;
    const filter: Document = { _id: doc._id, projectId: doc.projectId, [field]: doc[field] };
    return this.#write({ updateOne: { filter, update } });
  }

  async #writeAll(operations: AnyBulkWriteOperation[]): Promise<undefined[]> {
    await this.#documents.bulkWrite(operations, { ordered: false });
    return operations.map(() => undefined);
  }
}
