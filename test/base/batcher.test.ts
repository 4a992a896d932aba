import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { type BatcherLimits, createBatcher } from '../../core/base/batcher.ts';

describe('Calls that arrive together', () => {
  const sizes = (limits: BatcherLimits) => {
    const runs: number[] = [];
    const add = createBatcher<number, number>(async (items) => {
      runs.push(items.length);
      await setTimeout(20);
      return items;
    }, limits);
    const some = (count: number) => Promise.all(Array.from({ length: count }, (_, index) => add(index)));
    return { runs, some };
  };

  it('are one batch, and calls that arrive during it are the next', async () => {
    const { runs, some } = sizes({ sizeMax: 10, runsMax: 1 });
    const first = some(3);
    await setImmediate();
    expect(await Promise.all([first, some(12)])).to.have.nested.property('[1].length', 12);
    expect(runs).to.deep.equal([3, 10, 2]);
  });

  it('begins during another call, unless only a full batch may do so', async () => {
    const any = sizes({ sizeMax: 10, runsMax: 2 });
    const enough = sizes({ sizeMax: 10, runsMax: 2, nextFrom: 4 });
    for (const { some } of [any, enough]) {
      const [first, second] = [some(3), setImmediate().then(() => some(2))];
      const third = setTimeout(5).then(() => some(2));
      await Promise.all([first, second, third]);
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
});
