import { expect } from 'chai';
import type { Collection, MongoBulkWriteError } from 'mongodb';
import { isDuplicateKey } from '../../core/base/database/idempotent-insert.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';

interface Row {
  _id: number;
  name?: string;
}

describe('A write of several documents that failed', function () {
  this.timeout(60_000);
  let env: Environment;
  let rows: Collection<Row>;
  before(async () => {
    env = await startEnvironment();
    const validator = { name: { $ne: 'wrong' } };
    rows = await env.deps.mongo.db(env.deps.config.mongodbDatabase).createCollection<Row>('rows', { validator });
    await rows.createIndex({ name: 1 }, { unique: true, name: 'name', sparse: true });
    await rows.insertMany([{ _id: 1 }, { _id: 2, name: 'two' }]);
  });
  after(() => env.stop());

  const failureOf = (...documents: Row[]): Promise<MongoBulkWriteError> =>
    rows.insertMany(documents, { ordered: false }).then(
      () => expect.fail('it was stored'),
      (error) => error,
    );

  it('has stored all when each failure is of a document that is there', async () => {
    expect(isDuplicateKey(await failureOf({ _id: 1 }, { _id: 2 }, { _id: 3 }))).to.equal(true);
    expect(await rows.countDocuments({ _id: 3 })).to.equal(1);
  });

  it('has not when another failure comes behind that of a document that is there', async () => {
    for (const documents of [
      [{ _id: 1 }, { _id: 4, name: 'wrong' }],
      [{ _id: 4, name: 'wrong' }, { _id: 1 }],
    ])
      expect(isDuplicateKey(await failureOf(...documents))).to.equal(false);
  });

  it('has not when a majority did not take the documents', async () => {
    const error = await failureOf({ _id: 1 }, { _id: 5 });
    Object.assign(error.result, { getWriteConcernError: () => ({ code: 64 }) });
    expect(isDuplicateKey(error)).to.equal(false);
  });

  it('is of the index that each of its failures names', async () => {
    const error = await failureOf({ _id: 1 }, { _id: 6, name: 'two' });
    expect([isDuplicateKey(error), isDuplicateKey(error, '_id_'), isDuplicateKey(error, 'name')]).to.deep.equal([
      true,
      false,
      false,
    ]);
    expect(isDuplicateKey(await failureOf({ _id: 6, name: 'two' }), 'name')).to.equal(true);
  });
});
