import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { MongoServerSelectionError, type TopologyDescription } from 'mongodb';
import { type BatcherLimits, createBatcher } from '../../core/base/database/batcher.ts';

describe('Calls that arrive together', () => {
  /** No call is over before `end`. */
  const sizes = (limits: Omit<BatcherLimits, 'callers'>) => {
    const runs: number[] = [];
    const ended = Promise.withResolvers<void>();
    const add = createBatcher<number, number>(
      async (items) => {
        runs.push(items.length);
        await ended.promise;
        return items;
      },
      { ...limits, callers: 'requests' },
    );
    /** Added, and begun if they may begin now. */
    const some = async (count: number) => {
      const all = Promise.all(Array.from({ length: count }, (_, index) => add(index)));
      await setImmediate();
      return { all };
    };
    return { runs, some, end: ended.resolve };
  };

  it('are one batch, and calls that arrive during it are the next', async () => {
    const { runs, some, end } = sizes({ sizeMax: 10, runsMax: 1 });
    const [first, second] = [await some(3), await some(12)];
    expect(runs).to.deep.equal([3]);
    end();
    expect(await Promise.all([first.all, second.all])).to.have.nested.property('[1].length', 12);
    expect(runs).to.deep.equal([3, 10, 2]);
  });

  it('begins during another call, unless only a full batch may do so', async () => {
    const any = sizes({ sizeMax: 10, runsMax: 2 });
    const enough = sizes({ sizeMax: 10, runsMax: 2, nextFrom: 4 });
    for (const { some, end } of [any, enough]) {
      const added = [await some(3), await some(2), await some(2)];
      end();
      await Promise.all(added.map(({ all }) => all));
    }
    expect(any.runs).to.deep.equal([3, 2, 2]);
    expect(enough.runs).to.deep.equal([3, 4]);
  });

  it('fails alone where one of them is an error, and together where the call fails', async () => {
    const add = createBatcher<number, number>(
      async (items) => {
        if (items.includes(13)) throw new Error('all');
        return items.map((item) => (item % 2 === 0 ? item : new Error(`${item}`)));
      },
      { sizeMax: 10, runsMax: 1, callers: 'requests' },
    );
    const told = async (...items: number[]) =>
      (await Promise.allSettled(items.map(add))).map((one) =>
        one.status === 'fulfilled' ? one.value : one.reason.message,
      );
    expect(await told(1, 2, 3)).to.deep.equal(['1', 2, '3']);
    expect(await told(2, 13)).to.deep.equal(['all', 'all']);
  });

  it('fails requests that wait too when the database is away, and neither jobs nor requests for another error', async () => {
    const runs: string[] = [];
    const ended = Promise.withResolvers<void>();
    const added = (first: string, callers: BatcherLimits['callers'], error: Error, isThrown = true) => {
      const add = createBatcher<string, string>(
        async (items) => {
          runs.push(...items);
          await ended.promise;
          if (!items.includes(first)) return items;
          if (isThrown) throw error;
          return [error];
        },
        { sizeMax: 1, runsMax: 1, callers },
      );
      return Promise.allSettled([first, `${first} waits`].map(add));
    };
    const away = new MongoServerSelectionError('away', {} as TopologyDescription);
    const all = [
      added('a', 'requests', away),
      added('its own', 'requests', away, false),
      added('b', 'requests', new Error('refused')),
      added('c', 'jobs', away),
    ];
    await setImmediate();
    ended.resolve();
    const ends = (await Promise.all(all)).map((some) => some.map(({ status }) => status));
    expect(ends).to.deep.equal([
      ['rejected', 'rejected'],
      ['rejected', 'rejected'],
      ['rejected', 'fulfilled'],
      ['rejected', 'fulfilled'],
    ]);
    expect(runs).to.deep.equal(['a', 'its own', 'b', 'c', 'b waits', 'c waits']);
  });
});
