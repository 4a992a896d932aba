import { expect } from 'chai';
import type { UpdateResult } from 'mongodb';
import { type Authenticate, createAuthenticator } from '../../../core/accounts/api-keys.ts';
import { useEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { type MadeKey, makeKey } from './keys.ts';

const PROCESSES = 20;

describe('The last use of a key', () => {
  const environment = useEnvironment();

  async function lastUsedAt({ id }: MadeKey): Promise<string | null> {
    const { own } = environment;
    const path = `/account/projects/${own.project._id}/api-keys`;
    const { body } = await environment.client(own.adminKey).get(path);
    return body.data.apiKeys.find((apiKey: { id: string }) => apiKey.id === id).lastUsedAt;
  }

  /** The writes of the work, and the writes that changed something. */
  async function writesOf(work: () => Promise<unknown>): Promise<{ tried: number; made: number }> {
    const writes: Promise<UpdateResult>[] = [];
    const restore = replaceWrite((write) => {
      const writing = write();
      writes.push(writing);
      return writing;
    });
    await work().finally(restore);
    const results = await Promise.all(writes);
    return { tried: results.length, made: results.reduce((sum, { modifiedCount }) => sum + modifiedCount, 0) };
  }

  function replaceWrite(by: (write: () => Promise<UpdateResult>) => Promise<UpdateResult>): () => void {
    const { apiKeys } = environment.deps.db;
    const { updateOne } = apiKeys;
    apiKeys.updateOne = ((...given: Parameters<typeof updateOne>) =>
      by(() => updateOne.apply(apiKeys, given) as Promise<UpdateResult>)) as typeof updateOne;
    return () => {
      apiKeys.updateOne = updateOne;
    };
  }

  /** Each with a memory of its own, as processes have, and all at one time of day, however long the work takes. */
  async function inProcesses(ms: number, work: (authenticate: Authenticate) => Promise<unknown>): Promise<void> {
    const deps = { ...environment.deps, clock: { now: () => new Date(ms) } };
    const processes = Array.from({ length: PROCESSES }, () => createAuthenticator(deps));
    try {
      await Promise.all(processes.map(work));
    } finally {
      for (const { stop } of processes) stop();
    }
  }

  it('is null until a call, then its time; the wrong secret is no use', async () => {
    const made = await makeKey(environment, environment.own);
    const wrong = made.key.slice(0, -1) + (made.key.endsWith('a') ? 'b' : 'a');
    const writes = await writesOf(async () => {
      expect((await environment.client(wrong).get('/contacts')).status).to.equal(401);
    });
    expect([writes.tried, await lastUsedAt(made)]).to.deep.equal([0, null]);
    const from = environment.clock.now();
    expect((await made.client.get('/contacts')).status).to.equal(200);
    const shown = await until(() => lastUsedAt(made), Boolean);
    expect(Date.parse(shown as string)).to.be.within(from.getTime(), environment.clock.now().getTime());
  });

  it('is that of a refused call too', async () => {
    const made = await makeKey(environment, environment.own, { scope: 'read' });
    expect((await made.client.post('/contacts', {})).status).to.equal(403);
    await until(() => lastUsedAt(made), Boolean);
  });

  it('is written for admin keys too', async () => {
    const { own, deps } = environment;
    await environment.client(own.adminKey).get('/account/projects');
    const ofAdmin = { organizationId: own.organization._id, projectId: null };
    await until(
      () => deps.db.apiKeys.findOne(ofAdmin),
      (apiKey) => apiKey?.lastUsedAt !== undefined,
    );
  });

  it(`is written once a minute by ${PROCESSES} processes together, whatever the number of calls`, async () => {
    const { key } = await makeKey(environment, environment.own);
    const began = environment.clock.now().getTime();
    const busyAfter = (ms: number) =>
      writesOf(() =>
        inProcesses(began + ms, async (authenticate) => {
          for (let call = 0; call < 50; call += 1) expect(await authenticate(key)).to.not.equal(null);
        }),
      );
    expect((await busyAfter(0)).made).to.equal(1);
    expect(await busyAfter(0)).to.deep.equal({ tried: 0, made: 0 });
    expect(await busyAfter(59_000)).to.deep.equal({ tried: 0, made: 0 });
    expect((await busyAfter(61_000)).made).to.equal(1);
  });

  it('holds up no call when it cannot be written, and ends no process', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    for (const failing of [() => new Promise<never>(() => {}), () => Promise.reject(new Error('away'))]) {
      const made = await makeKey(environment, environment.own);
      const restore = replaceWrite(failing);
      try {
        expect((await made.client.get('/contacts')).status).to.equal(200);
      } finally {
        restore();
      }
      expect(await lastUsedAt(made)).to.equal(null);
    }
    process.off('unhandledRejection', note);
    expect(unhandled).to.deep.equal([]);
  });
});
