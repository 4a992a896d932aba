import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type IndexDescription, ObjectId } from 'mongodb';
import type { Collections } from '../../core/base/collections.ts';
import { readConfig } from '../../platform/config.ts';
import { indexes, makeIndexes, missingUniqueIndexes } from '../../platform/mongo/indexes.ts';
import { openMongo } from '../../platform/mongo/mongo.ts';

type Kept = Record<string, Record<string, Omit<IndexDescription, 'name'>>>;

/** An installation of that release has these. */
const RELEASED = JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/indexes/0.1.0.json'), 'utf8')) as Kept;

describe('The indexes of an installation that is upgraded', function () {
  this.timeout(120_000);
  let opened: ReturnType<typeof openMongo>;
  const name = `test_${new ObjectId().toHexString()}`;
  before(() => {
    opened = openMongo({ ...readConfig(), mongodbDatabase: name });
  });
  after(async () => {
    await opened.mongo.db(name).dropDatabase();
    await opened.mongo.close();
  });

  const collectionOf = (on: keyof Collections) => opened.mongo.db(name).collection(opened.db[on].collectionName);
  const make = (kept: Kept) =>
    Promise.all(
      Object.entries(kept).map(([on, named]) => {
        const list = Object.entries(named).map(([name, index]) => ({ name, ...index }));
        // A noun that is no more has left its collection.
        return opened.mongo.db(name).collection(on).createIndexes(list);
      }),
    );

  async function wrong(): Promise<string[]> {
    const found: string[] = [];
    for (const { on, name, key, options } of indexes) {
      const all = await collectionOf(on)
        .indexes()
        .catch(() => []);
      const present = all.find((index) => index.name === name);
      const isRight = JSON.stringify(present?.key) === JSON.stringify(key) && present?.unique === options.unique;
      if (!isRight) found.push(`${on}.${name}`);
    }
    return found;
  }

  it('are those of this version after the ones of the release', async () => {
    await make(RELEASED);
    expect(await wrong()).to.not.deep.equal([]);
    await makeIndexes(opened.db);
    expect(await wrong()).to.deep.equal([]);
    expect(await missingUniqueIndexes(opened.db)).to.deep.equal([]);
  });

  it('that have another definition under their names are made again, with all others of their collection', async () => {
    const blocks = collectionOf('campaignBlocks');
    await blocks.insertOne({ projectId: 1, campaignId: 1, run: 1, n: 1, fromSeq: 1, count: 1, first: 'a' });
    await makeIndexes(opened.db);
    const others: IndexDescription[] = [
      { name: 'person', key: { projectId: 1, campaignId: 1, run: 1, first: 1 } },
      { name: 'order', key: { projectId: 1, fromSeq: 1 }, unique: true },
    ];
    for (const other of others) {
      await blocks.dropIndex(other.name!);
      await blocks.createIndexes([other]);
    }
    await blocks.dropIndex('place');
    expect(await wrong()).to.deep.equal(['campaignBlocks.place', 'campaignBlocks.order', 'campaignBlocks.person']);
    await makeIndexes(opened.db);
    expect(await wrong()).to.deep.equal([]);
  });
});
