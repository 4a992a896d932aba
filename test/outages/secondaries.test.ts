import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Document, MongoClient, ObjectId } from 'mongodb';
import { onSecondaries } from '../../core/base/database/secondaries.ts';
import type { Deps } from '../../core/base/deps.ts';
import { everyContact } from '../../core/people/imports/exports.ts';
import type { Contact } from '../../core/people/model.ts';
import { startReplicaSet } from '../../lab/rig/faults/replica-set.ts';
import { openMongo } from '../../platform/mongo/mongo.ts';
import { until } from '../support/wait.ts';

const DATABASE = 'secondaries';

describe('Heavy reads, with three members of MongoDB', function () {
  this.timeout(180_000);
  const project = { _id: new ObjectId() };
  let dataDir: string;
  let set: Awaited<ReturnType<typeof startReplicaSet>>;
  let members: MongoClient[];
  let primary: MongoClient;
  let secondaries: MongoClient[];
  let deps: Deps;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'everpost-secondaries-'));
    set = await startReplicaSet(dataDir);
    const ports = [...set.url.matchAll(/:(\d+)/g)].map(([, port]) => port);
    members = ports.map((port) => new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`));
    const { port } = await set.primary();
    primary = members[ports.indexOf(`${port}`)] as MongoClient;
    secondaries = members.filter((member) => member !== primary);
    for (const member of secondaries) await stateOf(member, 'secondary');
    deps = {
      ...openMongo({ mongodbUrl: set.url, mongodbDatabase: DATABASE }),
      config: { mongodbDatabase: DATABASE },
    } as Deps;
    await deps.db.contacts.createIndex({ projectId: 1, _id: -1 }, { name: 'newest' });
    await add('first@in.test');
    for (const member of members) await member.db(DATABASE).command({ profile: 2 });
  });
  after(async () => {
    await Promise.allSettled([...members.map((member) => member.close()), deps.mongo.close()]);
    await set.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const add = (email: string) =>
    deps.db.contacts.insertOne({ _id: new ObjectId(), projectId: project._id, email } as Contact);

  async function exported(): Promise<string[]> {
    const emails: string[] = [];
    for await (const page of everyContact(deps, project)) emails.push(...page.map(({ email }) => email));
    return emails;
  }

  /** Reads of contacts that this member has answered. */
  const readsOf = (member: MongoClient) =>
    member
      .db(DATABASE)
      .collection('system.profile')
      .countDocuments({ ns: `${DATABASE}.contacts`, op: 'query' });

  it('go to a secondary, and have what was written before them', async () => {
    for (const name of ['second', 'third', 'fourth', 'fifth']) {
      await add(`${name}@in.test`);
      expect(await exported()).to.include(`${name}@in.test`);
    }
    const [atPrimary, ...others] = await Promise.all([primary, ...secondaries].map(readsOf));
    expect(atPrimary).to.equal(0);
    expect(others.reduce((sum, count) => sum + count, 0)).to.equal(4);
  });

  it('wait for a member that is behind, where a read without the time of the primary misses the newest', async () => {
    const [late, other] = secondaries as [MongoClient, MongoClient];
    // It applies nothing that is written from here on.
    await late.db('admin').command({ fsync: 1, lock: true });
    await add('newest@in.test');
    await other.db('admin').command({ replSetMaintenance: true });
    try {
      await noticed(other);
      const bare = deps.db.contacts.find({ projectId: project._id }, { readPreference: 'secondary' });
      expect((await bare.toArray()).map(({ email }) => email)).to.not.include('newest@in.test');
      let isOver = false;
      const reading = exported().finally(() => {
        isOver = true;
      });
      await until(async () => isOver || (await waitingAt(late)), Boolean);
      expect(isOver).to.equal(false);
      await late.db('admin').command({ fsyncUnlock: 1 });
      expect(await reading).to.include('newest@in.test');
    } finally {
      await other.db('admin').command({ replSetMaintenance: false });
    }
  });

  it('fail with the error of their read, and leave no session open', async () => {
    const failed = await onSecondaries(deps, async () => {
      throw new Error('no time');
    }).then(
      () => 'nothing failed',
      (error: Error) => error.message,
    );
    expect(failed).to.equal('no time');
    expect((deps.mongo as unknown as { s: { activeSessions: Set<unknown> } }).s.activeSessions.size).to.equal(0);
  });

  /** The driver no longer takes this member for a secondary. */
  async function noticed(member: MongoClient): Promise<void> {
    const { me } = await member.db('admin').command({ hello: 1 });
    const topology = () =>
      (deps.mongo as unknown as { topology: { description: { servers: Map<string, { type: string }> } } }).topology;
    await until(
      async () => topology().description.servers.get(me)?.type,
      (type) => type !== 'RSSecondary',
    );
  }

  async function waitingAt(member: MongoClient): Promise<boolean> {
    const { inprog } = await member.db('admin').command({ currentOp: 1, $all: true });
    return inprog.some(({ command }: Document) => command?.find === 'contacts' && command.$db === DATABASE);
  }

  async function stateOf(member: MongoClient, state: 'secondary'): Promise<void> {
    await until(async () => (await member.db('admin').command({ hello: 1 }))[state] as boolean, Boolean);
  }
});
