import { expect } from 'chai';
import fc from 'fast-check';
import { emailDomain, isE164, normalizeDomain, normalizeEmail } from '../../core/base/text/addresses.ts';

const SAME: [string, string][] = [
  ['a@b.test', 'a@b.test'],
  ['A@B.Test', 'a@b.test'],
  [' a@b.test ', 'a@b.test'],
  ['   a@b.test', 'a@b.test'],
  ['a@b.test.', 'a@b.test'],
  ["o'neil+news@b.co.uk", "o'neil+news@b.co.uk"],
  ['a@xn--r8jz45g.jp', 'a@xn--r8jz45g.jp'],
  ['a@例え.jp', 'a@xn--r8jz45g.jp'],
  ['a@例え。jp', 'a@xn--r8jz45g.jp'],
  ['a@XN--R8JZ45G.JP.', 'a@xn--r8jz45g.jp'],
  ['a@ｅxample.test', 'a@example.test'],
  ['a@faß.de', 'a@xn--fa-hia.de'],
  ['a@аpple.test', 'a@xn--pple-43d.test'],
  ['a@example.xn--p1ai', 'a@example.xn--p1ai'],
  [`${'a'.repeat(64)}@b.test`, `${'a'.repeat(64)}@b.test`],
];

const REFUSED = [
  '',
  '@',
  'a@',
  '@b.test',
  'a@b.test\r\nBcc: x@y.z',
  'a@b.test\n',
  '\ta@b.test',
  'a@b.test\0',
  'a\0@b.test',
  '"x@evil.com y"@b.test',
  '"a"@b.test',
  'a@b.test(c)',
  'b@y.test(c)evil.test',
  'g: evil@e.test;',
  'a@b.test, c@d.test',
  'a@b.test;c@d.test',
  'A <a@b.test>',
  '<a@b.test>',
  'a@c@b.test',
  'a@[127.0.0.1]',
  'a@127.0.0.1',
  'a@localhost',
  'a@b',
  'a@-b.test',
  'a@b-.test',
  'a@b..test',
  'a@.b.test',
  'a@b.test..',
  'a@b_c.test',
  'a@b.test/x',
  'a@b.test:25',
  'a@b.test／x',
  'a@b.test＠c.test',
  'a@b%2etest',
  'a@b\\c.test',
  'a@b .test',
  'a @b.test',
  'a..b@c.test',
  '.a@b.test',
  'a.@b.test',
  `${'a'.repeat(65)}@b.test`,
  `${'a'.repeat(64)}@${`${'b'.repeat(60)}.`.repeat(3)}${'c'.repeat(10)}.test`,
  `a@${'b'.repeat(64)}.test`,
  `a@${'b.'.repeat(2_000)}test`,
  'a@b.1',
  'a@exa\u00admple.test',
  'a@exa\u200bmple.test',
  'a\u200b@b.test',
  'a\u202e@b.test',
  'a@b\u202e.test',
  'a@b\u3164.test',
  '\u00a0a@b.test',
  'а@b.test',
  '\u212a@b.test',
  'é@b.test',
  'a@xn--a.test',
  'a@xn--1ug.test',
  'a@\ud800.test',
];

describe('addresses', () => {
  for (const [input, stored] of SAME)
    it(`stores ${JSON.stringify(shown(input))} as ${shown(stored)}`, () =>
      expect(normalizeEmail(input)).to.equal(stored));

  for (const input of REFUSED)
    it(`refuses ${JSON.stringify(shown(input))}`, () => expect(normalizeEmail(input)).to.equal(null));

  it('keeps a +tag as another address', () => {
    expect(normalizeEmail('a+tag@b.test')).to.equal('a+tag@b.test');
  });

  it('normalises what it normalised to itself, whatever the input', () => {
    const part = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.domain(),
      fc.stringMatching(/^[a-zA-Z0-9.@ ßäЯ例.。-]{0,12}$/),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          part,
          fc.tuple(part, part).map(([a, b]) => `${a}@${b}.test`),
        ),
        (input) => {
          const once = normalizeEmail(input);
          if (once === null) return;
          expect(normalizeEmail(once)).to.equal(once);
          expect(normalizeEmail(` ${once.toUpperCase()}. `)).to.equal(once);
          expect(once).to.match(/^[\x21-\x7e]{3,254}$/);
          expect(once.split('@')).to.have.length(2);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('answers a hostile input of any length at once', () => {
    const started = performance.now();
    for (const input of [`${' '.repeat(200_000)}a@b.test`, `${'a.'.repeat(100_000)}@b.test`, `a@${'a-'.repeat(500)}`])
      expect(normalizeEmail(input)).to.equal(null);
    // The square of these lengths would take minutes.
    expect(performance.now() - started).to.be.below(5_000);
  });

  it('reads the domain of a stored address', () => {
    expect(emailDomain('a@mail.b.test')).to.equal('mail.b.test');
  });

  it('normalises a domain name as it does the domain of an address', () => {
    expect(normalizeDomain('Mail.Example.COM.')).to.equal('mail.example.com');
    expect(normalizeDomain('例え.jp')).to.equal('xn--r8jz45g.jp');
    for (const name of [
      '',
      '.',
      'com',
      'a..b',
      'https://a.test',
      'a.test/',
      '1.2.3.4',
      ' a.test',
      'a.test\n',
      'a.test.evil(',
    ]) {
      expect(normalizeDomain(name), name).to.equal(null);
    }
  });

  it('takes mobile numbers in E.164 form only', () => {
    for (const text of ['+12025550123', '+4915112345678', '+123456789012345'])
      expect(isE164(text), text).to.equal(true);
    for (const text of ['2025550123', '+0123456', '+1 202', '+1234567890123456', '+', '+1', '+12025550123\n', '+١٢٣٤٥'])
      expect(isE164(text), text).to.equal(false);
  });
});

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 40)}... (${text.length})` : text;
}
