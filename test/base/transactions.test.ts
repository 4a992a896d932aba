import { expect } from 'chai';
import { type Collection, ObjectId } from 'mongodb';
import { inTransaction } from '../../core/base/database/transactions.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';

const LARGE = 20_000;
const ROUNDS = 16;

interface Row {
  _id: ObjectId;
  version: number;
}

describe('A transaction', function () {
  this.timeout(120_000);
  let env: Environment;
  let rows: Collection<Row>;
  before(async () => {
    env = await startEnvironment();
    rows = env.deps.mongo.db(env.deps.config.mongodbDatabase).collection<Row>('rows');
    await rows.createIndex({ version: 1 });
  });
  after(() => env.stop());

  /** While it is committed, the log of MongoDB has a gap before every later write. */
  async function beginLargeCommit(): Promise<{ isOver: () => boolean; ended: Promise<unknown> }> {
    const large = Array.from({ length: LARGE }, () => ({ _id: new ObjectId(), version: -1 }));
    const written = Promise.withResolvers<void>();
    let isOver = false;
    const ended = inTransaction(env.deps, async (session) => {
      await rows.insertMany(large, { session });
      written.resolve();
    }).finally(() => {
      isOver = true;
    });
    await Promise.race([written.promise, ended]);
    return { isOver: () => isOver, ended };
  }

  it('finds a document as its caller has just read it, also while a large commit is under way', async () => {
    const _id = new ObjectId();
    await rows.insertOne({ _id, version: 0 });
    let [version, missed] = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const commit = await beginLargeCommit();
      do {
        const written = rows.updateOne({ _id, version }, { $inc: { version: 1 } });
        version += 1;
        while ((await rows.findOne({ _id }))?.version !== version);
        const changed = await inTransaction(env.deps, (session) =>
          rows.updateOne({ _id, version }, { $inc: { version: 1 } }, { session }),
        );
        version += changed.matchedCount;
        missed += 1 - changed.matchedCount;
        await written;
      } while (!commit.isOver());
      await commit.ended;
    }
    expect(missed).equal(0);
  });
});
