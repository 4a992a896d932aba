import { expect } from 'chai';
import { diff, groupsOf } from '../../../console/pages/templates/lines.ts';

const seeded = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return seed / 2 ** 31;
};

describe('The lines that differ', () => {
  const texts = (lines: ReturnType<typeof diff>, without: 'added' | 'removed') =>
    lines.filter(({ kind }) => kind !== without).map(({ text }) => text);

  it('lead from one text to the other with as few changes as there can be', () => {
    const random = seeded(7);
    const some = () =>
      Array.from({ length: 1 + Math.floor(random() * 9) }, () => 'abc'[Math.floor(random() * 3)] ?? '');
    for (let times = 0; times < 2_000; times += 1) {
      const [before, after] = [some(), some()];
      const lines = diff(before.join('\n'), after.join('\n'));
      expect(texts(lines, 'added')).to.deep.equal(before);
      expect(texts(lines, 'removed')).to.deep.equal(after);
      const changed = lines.filter(({ kind }) => kind !== 'same').length;
      expect(changed, `${before} to ${after}`).to.equal(before.length + after.length - 2 * commonLines(before, after));
    }
  });

  it('are one block where texts differ in too many lines to compare each with each', () => {
    const text = (name: string) => Array.from({ length: 30_000 }, (_, index) => `${name} ${index}`).join('\n');
    const lines = diff(`first\n${text('a')}\nlast`, `first\n${text('b')}\nlast`);
    expect(lines.filter(({ kind }) => kind === 'removed')).to.have.length(30_000);
    expect(lines[0]?.kind).to.equal('same');
    expect(lines.at(-1)).to.deep.equal({ kind: 'same', text: 'last', before: 30_002, after: 30_002 });
  });

  it('are shown in groups with two lines around each change', () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    const after = before.with(4, 'five').with(14, 'fifteen');
    const groups = groupsOf(diff(before.join('\n'), after.join('\n')));
    const numbers = groups.map((lines) => lines.map(({ before: at }) => at));
    expect(numbers).to.deep.equal([
      [3, 4, 5, null, 6, 7],
      [13, 14, 15, null, 16, 17],
    ]);
  });
});

/** Of the longest common subsequence, by the plain table. */
function commonLines(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (x: number, y: number) => table[x]?.[y] ?? 0;
  for (const [x, one] of a.entries())
    for (const [y, other] of b.entries())
      (table[x + 1] as number[])[y + 1] = one === other ? at(x, y) + 1 : Math.max(at(x, y + 1), at(x + 1, y));
  return at(a.length, b.length);
}
