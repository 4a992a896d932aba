import { expect } from 'chai';
import { Paces } from '../../core/base/limits/paces.ts';

describe('Paces', () => {
  let nowMs = 0;
  let paces: Paces;

  beforeEach(() => {
    nowMs = 1_000;
    paces = new Paces({ now: () => nowMs });
  });

  const note = (kind: 'campaign' | 'provider B', id: string, { budget = 20, each = 100, times = 1 } = {}) => {
    for (let n = 0; n < times; n += 1) {
      paces.note(kind, id, budget);
      nowMs += each;
    }
  };
  const used = () => paces.states().map(({ name, budget, inUse }) => [name, budget, Math.round(inUse)]);

  it('are what was begun a second, over the last five to ten', () => {
    note('campaign', 'a', { times: 200, each: 100 });
    expect(used()).to.deep.equal([['campaign a', 20, 10]]);
    note('campaign', 'a', { times: 200, each: 50 });
    expect(used()).to.deep.equal([['campaign a', 20, 20]]);
  });

  it('have the budget that held last', () => {
    note('campaign', 'a', { budget: 20 });
    note('campaign', 'a', { budget: 30 });
    expect(used()[0]?.[1]).to.equal(30);
  });

  it('of a second or less are of a whole second', () => {
    note('provider B', 'a', { times: 3, each: 1 });
    expect(used()).to.deep.equal([['provider B a', 20, 3]]);
  });

  it('fall when nothing is begun, and are gone after fifteen seconds', () => {
    note('campaign', 'a', { times: 50 });
    nowMs += 4_000;
    expect(used()[0]?.[2]).to.be.below(10);
    nowMs += 12_000;
    expect(used()).to.deep.equal([]);
  });

  it('of a kind are one for metrics', () => {
    note('campaign', 'a', { times: 50, budget: 10, each: 0 });
    note('campaign', 'b', { times: 30, budget: 5, each: 0 });
    note('provider B', 'c', { times: 2, budget: 2, each: 0 });
    expect(paces.totals().map(({ name, budget, inUse }) => [name, budget, inUse])).to.deep.equal([
      ['campaign', 15, 80],
      ['provider B', 2, 2],
    ]);
  });
});
