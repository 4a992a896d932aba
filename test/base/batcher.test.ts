import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { type BatcherLimits, createBatcher } from '../../core/base/work/batcher.ts';

describe('Calls that arrive together', () => {
  /** No call is over before `end`. */
  const sizes = (limits: BatcherLimits) => {
    const runs: number[] = [];
    const ended = Promise.withResolvers<void>();
    const add = createBatcher<number, number>(async (items) => {
      runs.push(items.length);
      await ended.promise;
      return items;
    }, limits);
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
      { sizeMax: 10, runsMax: 1 },
    );
    const told = async (...items: number[]) =>
      (await Promise.allSettled(items.map(add))).map((one) =>
        one.status === 'fulfilled' ? one.value : one.reason.message,
      );
    expect(await told(1, 2, 3)).to.deep.equal(['1', 2, '3']);
    expect(await told(2, 13)).to.deep.equal(['all', 'all']);
  });

  it('fails those that wait too, with an error that they would meet as well', async () => {
    const runs: string[] = [];
    const ended = Promise.withResolvers<void>();
    const failsWaiting = (error: unknown) => error instanceof Error && error.message === 'away';
    const added = (message: string, first: string) => {
      const add = createBatcher<string, string>(
        async (items) => {
          runs.push(...items);
          await ended.promise;
          if (items.includes(first)) throw new Error(message);
          return items;
        },
        { sizeMax: 1, runsMax: 1, failsWaiting },
      );
      return Promise.allSettled([first, `${first} waits`].map(add));
    };
    const both = [added('away', 'a'), added('refused', 'b')];
    await setImmediate();
    ended.resolve();
    const ends = (await Promise.all(both)).flat().map(({ status }) => status);
    expect(ends).to.deep.equal(['rejected', 'rejected', 'rejected', 'fulfilled']);
    expect(runs).to.deep.equal(['a', 'b', 'b waits']);
  });
});
