import { expect } from 'chai';
import { keyedBatcher } from '../../core/base/database/batcher.ts';
import { type Deps, oncePerCore, openCore } from '../../core/base/deps.ts';
import { BoundedMap, costlyCache, ttlCache } from '../../core/base/work/cache.ts';

describe('The state of the core', () => {
  it('forgets the oldest entry of a full map', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
    expect([...map]).to.deep.equal([
      ['b', 2],
      ['c', 4],
    ]);
  });

  it('reads a value once until it is old, and again after a failed read', async () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      if (reads === 1) throw new Error('down');
      return reads;
    };
    const cache = ttlCache<number>({ keptMs: 60_000, sizeMax: 2 });
    expect(await cache.get('a', read).catch((error: Error) => error.message)).to.equal('down');
    expect(await Promise.all([cache.get('a', read), cache.get('a', read)])).to.deep.equal([2, 2]);
    cache.delete('a');
    expect(await cache.get('a', read)).to.equal(3);
    const old = ttlCache<number>({ keptMs: 0, sizeMax: 2 });
    expect([await old.get('a', read), await old.get('a', read)]).to.deep.equal([4, 5]);
  });

  it('joins the calls of a key, and only these', async () => {
    const batches: number[][] = [];
    const run = (times: number) => async (items: number[]) => {
      batches.push(items);
      return items.map((item) => item * times);
    };
    const add = keyedBatcher(run, { sizeMax: 10, runsMax: 1, callers: 'jobs' });
    expect(await Promise.all([add('a', 2, 1), add('a', 3, 2), add('b', 5, 3)])).to.deep.equal([2, 4, 15]);
    expect(batches).to.deep.equal([[1, 2], [3]]);
    expect(await add('a', 3, 1), 'a key without waiting calls takes a new target').to.equal(3);
  });

  it('has each part once for each core, and closes it with the core', () => {
    const closed: string[] = [];
    const part = oncePerCore(({ name }: Pick<Deps, 'state'> & { name: string }, onClose) => {
      onClose(() => closed.push(name));
      return {};
    });
    const [one, other] = [openCore({ name: 'one' }), openCore({ name: 'other' })];
    expect(part(one)).to.equal(part({ ...one }));
    expect(part(one)).to.not.equal(part(other));
    one.state.close();
    expect(closed).to.deep.equal(['one']);
  });
});

describe('A cache of costly values', () => {
  const { now } = performance;
  let nowMs = 0;
  beforeEach(() => {
    performance.now = () => nowMs;
  });
  afterEach(() => {
    performance.now = now;
  });

  /** How long a value is shown that took so long to compute. */
  async function shownMs(tookMs: number): Promise<number> {
    const cache = costlyCache<number>({ sizeMax: 10 });
    let computed = 0;
    const get = (ms: number) =>
      cache.get('one', async () => {
        nowMs += ms;
        return ++computed;
      });
    await get(tookMs);
    const endedMs = nowMs;
    for (; computed === 1; nowMs += 100) await get(0);
    return nowMs - 100 - endedMs;
  }

  it('shows a value nine times as long as it took, and for a minute at most', async () => {
    expect(await shownMs(1_000)).to.equal(9_000);
    expect(await shownMs(30_000)).to.equal(60_000);
  });
});
