import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readDurations, shardsOf } from '../../scripts/tests/shards.ts';

const root = join(import.meta.dirname, '../..');

describe('The files of the suite', () => {
  it('are shared out by their durations: the longest first, each to the run that has the least', () => {
    const durations = { a: 10, b: 6, c: 5, d: 1 };
    expect(shardsOf(['a', 'b', 'c', 'd'], 2, durations)).to.deep.equal([
      ['a', 'd'],
      ['b', 'c'],
    ]);
    expect(shardsOf(['new', 'a', 'other'], 2, durations)).to.deep.equal([['a'], ['new', 'other']]);
    expect(shardsOf(['a', 'b'], 1, durations)).to.deep.equal([['a', 'b']]);
  });

  it('have durations only while they exist', () => {
    expect(Object.keys(readDurations()).filter((file) => !existsSync(join(root, file)))).to.deep.equal([]);
  });
});
