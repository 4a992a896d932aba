import { expect } from 'chai';
import type { Document, MongoClient } from 'mongodb';
import { shardingCommands } from '../../cli/sharding.ts';
import type { Collections } from '../../core/base/collections.ts';
import type { Deps } from '../../core/base/deps.ts';
import { indexes } from '../../platform/mongo/indexes.ts';
import {
  declaredIndexes,
  isSupported,
  type KnownIndex,
  shardKeys,
  uniqueFaults,
  unsharded,
} from '../../platform/sharding/keys.ts';
import { plannedCommands, shard, shardSteps } from '../../platform/sharding/shard.ts';
import { useEnvironment } from '../support/environment.ts';

const names = Object.keys(shardKeys) as Array<keyof typeof shardKeys>;

describe('npm run admin -- shard', () => {
  const environment = useEnvironment();

  it('has a key for each collection, or a reason why it stays whole', () => {
    const placed = [...names, ...Object.keys(unsharded)];
    expect(placed.toSorted()).to.deep.equal(Object.keys(environment.deps.db).toSorted());
    for (const [name, reason] of Object.entries(unsharded)) expect(reason, name).to.match(/\.$/);
  });

  it('has keys that begin with the project, and that every unique index of ours begins with', () => {
    for (const name of names) {
      expect(Object.keys(shardKeys[name])[0], name).to.equal('projectId');
      expect(uniqueFaults(shardKeys[name], declaredIndexes(name)), name).to.deep.equal([]);
    }
    const byOther = uniqueFaults(shardKeys.messages, [index({ projectId: 1, email: 1 }, { unique: true })]);
    expect(byOther).to.have.length(1);
    expect(byOther[0]).to.contain('does not begin with the shard key (projectId, _id)');
    expect(uniqueFaults({ projectId: 1 }, [index({ hash: 1 }, { unique: true })])).to.have.length(1);
  });

  it('keeps a collection whole because of a unique index only when that index could not be one of a sharded collection', () => {
    const held = Object.entries(unsharded).filter(([, reason]) => /unique index does not begin/.test(reason));
    expect(held.length).to.be.above(3);
    for (const [name] of held) {
      const unique = indexes.filter(({ on, options }) => on === name && options.unique);
      expect(
        unique.some(({ key }) => Object.keys(key)[0] !== 'projectId'),
        name,
      ).to.equal(true);
    }
  });

  it('takes no partial index for that of a shard key, nor one of another kind', () => {
    const key = { projectId: 1, _id: 'hashed' } as const;
    expect(isSupported(key, [index({ projectId: 1, _id: -1 })])).to.equal(false);
    expect(isSupported(key, [index({ projectId: 1, _id: 'hashed' })])).to.equal(true);
    expect(isSupported({ projectId: 1 }, [index({ projectId: 1, _id: 1 })])).to.equal(true);
    expect(isSupported({ projectId: 1 }, [index({ projectId: 1 }, { partialFilterExpression: {} })])).to.equal(false);
  });

  it('prints the commands of every collection that grows', async () => {
    const printed = await outputOf(() => shardingCommands.shard.run(environment.deps, []));
    const { mongodbDatabase } = environment.deps.config;
    expect(printed).to.deep.equal(plannedCommands(mongodbDatabase));
    const sharded = printed.flatMap(({ shardCollection: name }) => name ?? []);
    expect(sharded).to.deep.equal(names.map((name) => `${mongodbDatabase}.${name}`));
  });

  it('asks for indexes that a server makes next to ours', async () => {
    const { deps } = environment;
    const db = deps.mongo.db(deps.config.mongodbDatabase);
    for (const command of plannedCommands(deps.config.mongodbDatabase).filter(({ createIndexes }) => createIndexes))
      await db.command(command);
    for (const name of names) {
      const known = (await db.collection(name).indexes()) as KnownIndex[];
      expect(isSupported(shardKeys[name], known), name).to.equal(true);
      expect(uniqueFaults(shardKeys[name], known), name).to.deep.equal([]);
      if (known.some((one) => one.name === 'shard_key')) await db.collection(name).dropIndex('shard_key');
    }
  });

  it('refuses a replica set, and options that there are not', async () => {
    const fault = await faultOf(environment.deps, ['--apply']);
    expect(fault).to.contain('MONGODB_URL leads to a replica set');
    expect(await faultOf(environment.deps, ['--aply'])).to.contain('"--aply" is no option');
  });

  it('refuses a mongos that is too old, a key that is in use, a unique index of others, and documents without a word of them', async () => {
    const refused = async (cluster: Cluster, ...args: string[]) => {
      const { deps, ran } = standIn(cluster);
      const fault = await faultOf(deps, ['--apply', ...args]);
      expect(ran).to.deep.equal([]);
      return fault;
    };
    expect(await refused({ version: '7.0.12' })).to.contain('has version 7.0.12, and 8.0 or later is needed');
    expect(await refused({ sharded: { messages: { _id: 'hashed' } } })).to.contain(
      'messages: it is sharded already, by another key: {"_id":"hashed"}',
    );
    const own = index({ email: 1 }, { unique: true, name: 'own' });
    expect(await refused({ known: { contacts: [own] } })).to.contain('contacts: the unique index own (email)');
    const filled = await refused({ documents: { messages: 12, contacts: 3 } });
    expect(filled).to.contain('messages (12), contacts (3)').and.to.contain('--with-data');
    expect(await refused({ documents: { messages: 12 }, known: { contacts: [own] } }, '--with-data')).to.contain('own');
  });

  it('runs what is left to do on a mongos, and names what was done before', async () => {
    const empty = standIn({});
    await outputOf(() => shardingCommands.shard.run(empty.deps, ['--apply']));
    expect(empty.ran).to.deep.equal(plannedCommands('everpost'));
    const half = standIn({ sharded: { messages: shardKeys.messages }, documents: { messages: 5, events: 7 } });
    const lines = await outputOf(() => shardingCommands.shard.run(half.deps, ['--apply', '--with-data']));
    expect(lines.find(({ collection }) => collection === 'messages')?.sharded).to.equal('before');
    expect(lines.find(({ collection }) => collection === 'events')?.sharded).to.equal('now');
    const about = half.ran.filter(
      ({ shardCollection, createIndexes }) => createIndexes === 'messages' || shardCollection === 'everpost.messages',
    );
    expect(about).to.deep.equal([]);
    expect(half.ran.length).to.equal(plannedCommands('everpost').length - 2);
  });

  it('looks at a server that is no mongos without changing it', async () => {
    const { mongo, config } = environment.deps;
    const steps = await shardSteps(mongo, config.mongodbDatabase);
    expect(steps.flatMap(({ faults }) => faults)).to.deep.equal([]);
    await shard(mongo, config.mongodbDatabase, steps).then(
      () => expect.fail('a replica set has sharded'),
      () => {},
    );
  });
});

function index(key: Document, more: Partial<KnownIndex> = {}): KnownIndex {
  return { name: 'some', key, ...more };
}

interface Cluster {
  version?: string;
  sharded?: Partial<Record<keyof Collections, Document>>;
  known?: Partial<Record<keyof Collections, KnownIndex[]>>;
  documents?: Partial<Record<keyof Collections, number>>;
}

/** Answers as a mongos does. None can be had for tests, so that what a real one does with the commands is not proven here. */
function standIn({ version = '8.0.4', sharded = {}, known = {}, documents = {} }: Cluster) {
  const ran: Document[] = [];
  const command = async (given: Document) => {
    if (given.hello) return { msg: 'isdbgrid' };
    if (given.buildInfo) return { version };
    ran.push(given);
    return {};
  };
  const list = (rows: unknown[]) => ({ toArray: async () => rows });
  const collection = (name: string) => {
    const on = name as keyof Collections;
    const rows = Object.entries(sharded).map(([one, key]) => ({ _id: `everpost.${one}`, key }));
    return {
      find: () => list(rows),
      listIndexes: () => list([...declaredIndexes(on), ...(known[on] ?? [])]),
      estimatedDocumentCount: async () => documents[on] ?? 0,
    };
  };
  const mongo = { db: () => ({ command, collection }) } as unknown as MongoClient;
  return { ran, deps: { mongo, config: { mongodbDatabase: 'everpost' } } as unknown as Deps };
}

async function faultOf(deps: Deps, args: string[]): Promise<string> {
  return shardingCommands.shard.run(deps, args).then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );
}

/** The lines that a command prints. */
async function outputOf(run: () => Promise<void>): Promise<Document[]> {
  const { log } = console;
  const lines: string[] = [];
  console.log = (line: string) => void lines.push(line);
  await run().finally(() => {
    console.log = log;
  });
  return lines.map((line) => JSON.parse(line));
}
