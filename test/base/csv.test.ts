import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { type CsvValue, csvCell, csvRow, withoutFormulaPrefix } from '../../core/base/text/csv.ts';

const CELLS: [value: CsvValue, cell: string][] = [
  ['Ann', 'Ann'],
  ['', ''],
  [null, ''],
  [undefined, ''],
  [5, '5'],
  [-1.5, '-1.5'],
  [true, 'true'],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  [' space ', '" space "'],
  ['Ünal 例', 'Ünal 例'],
  ["=cmd|'/c calc'!A0", "'=cmd|'/c calc'!A0"],
  ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
  ['+SUM(A1)', "'+SUM(A1)"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1', "'＝1"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['-5', '-5'],
  ['+12025550123', '+12025550123'],
  ["O'Neil", "O'Neil"],
  ["'quoted'", "'quoted'"],
  ["'=1", "''=1"],
];

describe('csv', () => {
  for (const [value, cell] of CELLS)
    it(`writes ${JSON.stringify(value)} as ${JSON.stringify(cell)}`, () => expect(csvCell(value)).to.equal(cell));

  it('ends each line with CRLF', () => {
    expect(csvRow(['email', 'a b', null])).to.equal('email,a b,\r\n');
    expect(csvRow([''])).to.equal('""\r\n');
  });

  it('is read back by another reader, and no cell begins a formula', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^['=+@\t\r\n,"-][ -~\r\n]{0,6}$/));
    const row = fc.array(text, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        const cells: string[][] = parse(rows.map(csvRow).join(''), {
          relax_column_count: true,
          record_delimiter: '\r\n',
        });
        expect(cells.map((line) => line.map(withoutFormulaPrefix))).to.deep.equal(rows);
        for (const cell of cells.flat()) expect(cell).not.to.match(/^[=@\t\r\n]|^[+-](?!\d+(\.\d+)?$)/);
      }),
      { numRuns: 200 },
    );
  });
});
