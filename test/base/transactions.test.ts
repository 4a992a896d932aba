import { expect } from 'chai';
import { type ClientSession, type Collection, ObjectId } from 'mongodb';
import { inTransaction, madeOutside } from '../../core/base/database/transactions.ts';
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

  it('is ended while something that takes long is made, and repeated with it', async () => {
    const _id = new ObjectId();
    const sessions: ClientSession[] = [];
    let made = 0;
    const make = async () => {
      expect(sessions.map((session) => session.inTransaction() || !session.hasEnded)).to.deep.equal([false]);
      made += 1;
      return 7;
    };
    await inTransaction(env.deps, async (session) => {
      sessions.push(session);
      await rows.insertOne({ _id, version: 0 }, { session });
      const version = await madeOutside(session, 'seven', make);
      expect(await madeOutside(session, 'seven', make)).to.equal(7);
      await rows.updateOne({ _id }, { $set: { version } }, { session });
    });
    expect([sessions.length, made]).to.deep.equal([2, 1]);
    expect(await rows.findOne({ _id })).to.deep.equal({ _id, version: 7 });
  });

  it('throws what the making of it throws, and writes nothing', async () => {
    const _id = new ObjectId();
    const failed = inTransaction(env.deps, async (session) => {
      await rows.insertOne({ _id, version: 0 }, { session });
      return madeOutside(session, 'fault', async () => {
        throw new Error('at fault');
      });
    });
    expect(await failed.catch((error) => error.message)).to.equal('at fault');
    expect(await rows.findOne({ _id })).to.equal(null);
  });

  it('of unknown outcome is committed again with pauses, until the time of a call is over', async () => {
    let tries = 0;
    const config = { ...env.deps.config, operationTimeoutMs: 400 };
    const failed = inTransaction({ ...env.deps, config }, async (session) => {
      session.commitTransaction = async () => {
        tries += 1;
        throw new Error('write EPROTO');
      };
    });
    const status = await failed.catch(({ kind }) => kind);
    expect(status).to.equal('unavailable');
    // 1, 2, 4, 8, 16, 32, 32, ... ms.
    expect(tries).to.be.within(2, 20);
  });
});
