import { expect } from 'chai';
import fc from 'fast-check';
import { sameCase } from '../../core/base/text/same-case.ts';
import { searchFor } from '../../core/people/filters/text-search.ts';
import { textTest } from '../../core/people/filters/value-tests.ts';
import { firstExcess } from './cpu.ts';

const SIZES = [1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072];

/** A text, and one that it nearly has at each of its places. */
const hostile: Record<string, (size: number) => { text: string; wanted: string }> = {
  'a run and an almost-match of it that begins otherwise': (size) => ({
    text: 'a'.repeat(size),
    wanted: `aaaaaaaaab${'a'.repeat(size / 4)}`,
  }),
  'a run and an almost-match of it in its middle': (size) => ({
    text: 'a'.repeat(size),
    wanted: `${'a'.repeat(size / 8)}b${'a'.repeat(size / 8)}`,
  }),
  'pairs that end otherwise': (size) => ({ text: 'ab'.repeat(size / 2), wanted: `${'ab'.repeat(size / 8)}b` }),
  'letters whose lower case is looked up': (size) => ({ text: 'ſ'.repeat(size), wanted: `S${'ß'.repeat(size / 4)}` }),
};

describe('The comparison of texts without case', () => {
  for (const [what, made] of Object.entries(hostile))
    it(`takes time that doubles at most when both texts double: ${what}`, () => {
      const workOf = (size: number) => {
        const { text, wanted } = made(size);
        // Each time another text, so that nothing is remembered.
        let count = 0;
        return () => searchFor(wanted)(`${text}${count++}`);
      };
      expect(firstExcess(SIZES, workOf)).to.equal(null);
    });

  it('has the same letters as patterns with the flags iu, for every character of Unicode', () => {
    const characters = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((one) => /[\p{Cased}\p{CWCM}\p{CWCF}]/u.test(one) || sameCase(one) !== one);
    const all = characters.join('');
    const groups = Map.groupBy(characters, sameCase);
    for (const one of characters) {
      const pattern = new RegExp(`\\u{${one.codePointAt(0)!.toString(16)}}`, 'giu');
      expect([...(all.match(pattern) ?? [])].join('')).to.equal(groups.get(sameCase(one))!.join(''));
    }
    expect(characters.length).to.be.above(2_500);
    // Texts are compared at their ends as they were folded whole.
    expect(characters.filter((one) => sameCase(one).length !== one.length)).to.deep.equal([]);
  }).timeout(60_000);

  it('answers as patterns with the flags iu, for texts of every length', () => {
    const pieces = [
      ...'aAbßẞsSſiIİıkK\u212aéΣσς',
      'e\u0301',
      '\u0345',
      '😀',
      '\ud801\udc00',
      '\ud801\udc28',
      '$',
      '\n',
      '.',
    ];
    const short = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((some) => some.join(''));
    const text = fc
      .tuple(short, fc.constantFrom(...pieces), fc.constantFrom(0, 3, 200), short)
      .map(([before, piece, times, after]) => before + piece.repeat(times) + after);
    const operators = ['equals', 'contains', 'starts_with', 'ends_with'] as const;
    let found = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...operators),
        text,
        fc.oneof(short, text),
        fc.nat(),
        (operator, stored, other, at) => {
          // Half of them are a part of the text, in another case.
          const part = [...stored].slice(at % (stored.length + 1)).join('');
          const value = at % 2 === 0 ? other : part.toUpperCase();
          if (value === '') return;
          const matches = textTest({ fieldType: 'string', operator, value })(stored);
          expect(matches).to.equal(patternOf(operator, value).test(stored));
          if (matches) found += 1;
        },
      ),
      { numRuns: 3_000 },
    );
    expect(found).to.be.above(300);
  });
});

function patternOf(operator: 'equals' | 'contains' | 'starts_with' | 'ends_with', value: string): RegExp {
  const source = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const from = operator === 'equals' || operator === 'starts_with' ? '^' : '';
  const to = operator === 'equals' || operator === 'ends_with' ? '$' : '';
  return new RegExp(`${from}${source}${to}`, 'iu');
}
