import { expect } from 'chai';
import fc from 'fast-check';
import type { PropertyType } from '../../core/base/model.ts';
import { coerce, PROPERTY_TYPES } from '../../core/base/text/coercion.ts';
import { parseIsoDate } from '../../core/base/text/dates.ts';

const TAKEN: [PropertyType, unknown, unknown][] = [
  ['string', 'x', 'x'],
  ['string', '', ''],
  ['string', 5, '5'],
  ['string', 1.5, '1.5'],
  ['string', true, 'true'],
  ['number', 5, 5],
  ['number', -0, 0],
  ['number', '5', 5],
  ['number', '-1.5e3', -1500],
  ['number', '.5', 0.5],
  ['number', '0e-999', 0],
  ['number', ' 7 ', 7],
  ['boolean', true, true],
  ['boolean', false, false],
  ['boolean', 1, true],
  ['boolean', 0, false],
  ['boolean', 'true', true],
  ['boolean', 'false', false],
  ['boolean', '1', true],
  ['boolean', '0', false],
  ['date', '2026-01-15', '2026-01-15T00:00:00.000Z'],
  ['date', '2026-01-15T10:00:00Z', '2026-01-15T10:00:00.000Z'],
  ['date', '2026-01-15T10:00', '2026-01-15T10:00:00.000Z'],
  ['date', '2026-01-15 10:00:00.123456', '2026-01-15T10:00:00.123Z'],
  ['date', '2026-01-15T10:00:00+02:00', '2026-01-15T08:00:00.000Z'],
  ['date', '2026-01-15T10:00:00-0530', '2026-01-15T15:30:00.000Z'],
  ['date', '2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['date', '0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['date', 1768471200000, '2026-01-15T10:00:00.000Z'],
  ['date', 0, '1970-01-01T00:00:00.000Z'],
  ['date', -1, '1969-12-31T23:59:59.999Z'],
  ['date', new Date(0), '1970-01-01T00:00:00.000Z'],
];

const REFUSED: [PropertyType, unknown][] = [
  ...PROPERTY_TYPES.flatMap((type): [PropertyType, unknown][] => [
    [type, null],
    [type, undefined],
    [type, {}],
    [type, []],
    [type, [5]],
    [type, Number.NaN],
    [type, Number.POSITIVE_INFINITY],
  ]),
  ...['', ' ', 'abc', '5 apples', '0x10', '1e400', '1e-400', '-1e-310', 'Infinity', 'NaN', '1_000', '1,5', '٥'].map(
    (text): [PropertyType, unknown] => ['number', text],
  ),
  ['number', true],
  ...['yes', 'no', 'TRUE', '', '2', ' true'].map((text): [PropertyType, unknown] => ['boolean', text]),
  ['boolean', 2],
  ...[
    '',
    'abc',
    '2026',
    '0000',
    '2026-02',
    '0000-01-01',
    '2026-02-30',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-1-5',
    '+275760-09-13',
    '-000001-01-01T00:00:00Z',
    '2026-01-15T24:00:00Z',
    '2026-01-15T10:60:00Z',
    '2026-01-15T10:00:60Z',
    '2026-01-15T10:00:00+24:00',
    '2026-01-15T10',
    '2026-01-15Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '2026-01-15T10:00:00Z\n',
    '15/01/2026',
    'Thu, 15 Jan 2026 10:00:00 GMT',
    '1768471200000',
  ].map((text): [PropertyType, unknown] => ['date', text]),
  ['date', 1.5],
  ['date', 8.64e15],
  ['date', true],
  ['date', new Date(Number.NaN)],
];

describe('coercion', () => {
  for (const [type, value, stored] of TAKEN)
    it(`reads ${JSON.stringify(value)} as the ${type} ${JSON.stringify(stored)}`, () => {
      expect(coerce(type, value)).to.deep.equal({ ok: true, value: stored });
    });

  for (const [type, value] of REFUSED)
    it(`refuses ${typeof value === 'number' ? value : JSON.stringify(value)} as a ${type}`, () => {
      expect(coerce(type, value)).to.deep.equal({ ok: false });
    });

  it('stores what it stored unchanged, and never throws', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PROPERTY_TYPES),
        fc.oneof(fc.anything(), fc.string(), fc.double(), fc.date()),
        (type, value) => {
          const once = coerce(type, value);
          if (once.ok) expect(coerce(type, once.value)).to.deep.equal(once);
        },
      ),
    );
  });

  it('reads every instant between the years 1 and 9999 back from its ISO string', () => {
    const between = {
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(between), (date) => {
        expect(parseIsoDate(date.toISOString())).to.equal(date.getTime());
      }),
    );
  });
});
