import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { TooMuch } from '../../core/base/errors.ts';
import type { Kind } from '../../platform/threads/kinds.ts';
import { createPool, type Pool } from '../../platform/threads/pool.ts';
import type { Order, ThreadsLoaded } from './threads-work.ts';

const LONG_MS = 20_000;

describe('Threads for bytes of strangers', function () {
  this.timeout(60_000);
  const pools: Pool<Order, unknown>[] = [];
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

  function open(limits: Partial<Kind> = {}, settings: ThreadsLoaded | null = null): Pool<Order, unknown> {
    const module = new URL('./threads-work.ts', import.meta.url);
    const most = { ...{ cpuMs: 300, cpuMsPerMegabyte: 0 }, ...{ bytesMax: 100, bytesPerClientMax: 60 }, heapMb: 64 };
    const pool = createPool<Order, unknown>('largeMails', {
      settings,
      limits: { module, threads: 1, together: 1, ...most, ...limits },
    });
    pools.push(pool);
    return pool;
  }
  const limitOf = (work: Promise<unknown>) =>
    work.then(
      (answer) => answer,
      (error: Error) => (error instanceof TooMuch ? error.limit : error.message),
    );

  it('end with a task that is over its CPU time, in one turn or in many, and the next task has another', async () => {
    const pool = open();
    const slow = [{ spinMs: LONG_MS }, { spinMs: 50, turns: LONG_MS / 50 }];
    for (const order of slow) {
      const answers = [order, { answer: 'next' }].map((one) => limitOf(pool.run(one, { bytes: 1 })));
      expect(await Promise.all(answers)).to.deep.equal(['time', 'next']);
    }
  });

  it('count the CPU time of each task, not that of those before it or the time that it waits', async () => {
    const pool = open();
    for (let task = 0; task < 4; task += 1)
      expect(await limitOf(pool.run({ spinMs: 150, answer: task }, { bytes: 1 }))).to.equal(task);
    expect(await limitOf(pool.run({ pauseMs: 900, answer: 'late' }, { bytes: 1 }))).to.equal('late');
  });

  it('give a larger task more CPU time', async () => {
    const pool = open({ cpuMsPerMegabyte: 2_000, bytesMax: 2 ** 21, bytesPerClientMax: 2 ** 21 });
    expect(await limitOf(pool.run({ spinMs: 1_200, answer: 'large' }, { bytes: 2 ** 20 }))).to.equal('large');
    expect(await limitOf(pool.run({ spinMs: LONG_MS }, { bytes: 1 }))).to.equal('time');
  });

  it('end with a task that fills their memory; one that fails fails alone', async () => {
    const pool = open({ cpuMs: LONG_MS });
    expect(await limitOf(pool.run({ fillsMemory: true }, { bytes: 1 }))).to.equal('memory');
    expect(await limitOf(pool.run({ fails: true }, { bytes: 1 }))).to.equal('as ordered');
    expect(await limitOf(pool.run({ answer: 'next' }, { bytes: 1 }))).to.equal('next');
  });

  it('are ready when one has loaded its module, and one that is loading takes no task that another has room for', async () => {
    const count = new SharedArrayBuffer(4);
    const pool = open({ threads: 2, together: 2 }, { count });
    await pool.ready();
    expect(new Int32Array(count)[0]).to.equal(1);
    const order = { pauseMs: 1, namesThread: true };
    const [first, second] = await Promise.all([pool.run(order, { bytes: 1 }), pool.run(order, { bytes: 1 })]);
    expect(second).to.equal(first);
  });

  it('refuse a task when too many bytes wait, of one client or of all, and take it when they are done', async () => {
    const pool = open();
    const first = pool.run({ pauseMs: 300 }, { bytes: 60, client: 'a' });
    const rest = [
      ['a', 1],
      ['b', 41],
      ['b', 40],
    ].map(([client, bytes]) => limitOf(pool.run({ answer: 'done' }, { bytes: Number(bytes), client: String(client) })));
    expect(await Promise.all(rest)).to.deep.equal(['waiting', 'waiting', 'done']);
    await first;
    expect(await limitOf(pool.run({ answer: 'alone' }, { bytes: 1_000, client: 'a' }))).to.equal('alone');
  });

  it('do the tasks of clients in turns, and none that was called off while it waited', async () => {
    const pool = open();
    const done: string[] = [];
    const calledOff = new AbortController();
    const run = (client: string, signal = new AbortController().signal) =>
      limitOf(pool.run({ answer: client }, { bytes: 1, client, signal })).then((answer) => done.push(String(answer)));
    const all = ['a', 'a', 'a', 'b'].map((client) => run(client));
    all.push(run('c', calledOff.signal));
    calledOff.abort();
    await Promise.all(all);
    expect(done).to.deep.equal(['The task was called off.', 'a', 'a', 'b', 'a']);
  });

  it('do one large task at a time, which does not wait for small ones, nor they for it', async () => {
    const pool = open({ threads: 2, largeBytes: 10 });
    const done: string[] = [];
    const run = (answer: string, bytes: number, pauseMs: number) =>
      pool.run({ answer, pauseMs }, { bytes, client: answer }).then(() => done.push(answer));
    await pool.ready();
    await Promise.all([run('large 1', 11, 600), run('large 2', 11, 0), run('small 1', 10, 0), run('small 2', 10, 0)]);
    expect(done).to.deep.equal(['small 1', 'small 2', 'large 1', 'large 2']);
    done.length = 0;
    const small = ['1', '2', '3', '4'].map((name) => run(`small ${name}`, 1, 200));
    await Promise.all([...small, run('large', 11, 0)]);
    expect(done.indexOf('large')).to.be.below(done.indexOf('small 3'));
  });

  it('with several tasks do them again one by one when one is over its time, which alone is refused', async () => {
    const pool = open({ together: 4 });
    const others = [1, 2].map((answer) => limitOf(pool.run({ pauseMs: 400, answer }, { bytes: 1 })));
    await pause(50);
    const slow = limitOf(pool.run({ spinMs: LONG_MS }, { bytes: 1 }));
    expect(await Promise.all([...others, slow])).to.deep.equal([1, 2, 'time']);
    const patient = Array.from({ length: 8 }, (_, answer) =>
      limitOf(pool.run({ spinMs: 80, turns: 2, answer }, { bytes: 1 })),
    );
    expect(await Promise.all(patient)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('answer what waits when they are closed', async () => {
    const pool = open();
    const waiting = [1, 2].map(() => limitOf(pool.run({ pauseMs: LONG_MS }, { bytes: 1 })));
    await pool.close();
    expect(await Promise.all(waiting)).to.deep.equal(['The threads are closed.', 'The threads are closed.']);
    expect(await limitOf(pool.run({}, { bytes: 1 }))).to.equal('The threads are closed.');
  });
});
