import { expect } from 'chai';
import fc from 'fast-check';
import { readCsv, readNdjson } from '../imports/read-file.ts';
import { leastHold } from '../linear/hold.ts';
import { type FuzzOptions, type FuzzResult, fuzz } from './run.ts';

const cells = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    '"',
    '""',
    '"a""b"',
    '=1+1',
    "'=1",
    'a@example.com',
    '{"a":1}',
    '{',
    '\ufeff',
    '\u0000',
    '\r',
    '__proto__',
  ),
  fc
    .tuple(fc.constantFrom('"', ',', ';', ' ', '\n', '{', '[', '\\', 'é'), fc.nat(20_000))
    .map(([one, times]) => one.repeat(times)),
);
const names = fc.oneof(
  fc.constantFrom('email', 'Email', 'e_mail', 'firstName', 'contactProperties', 'listIds', 'status', 'constructor'),
  cells,
);
const csv = fc
  .record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    lineBreak: fc.constantFrom('\n', '\r\n', '\r'),
    rows: fc.array(fc.array(cells, { maxLength: 8 }), { maxLength: 15 }),
    header: fc.array(names, { maxLength: 8 }),
  })
  .map(({ delimiter, lineBreak, header, rows }) =>
    [['email', ...header], ...rows].map((row) => row.join(delimiter)).join(lineBreak),
  );
const ndjson = fc
  .array(
    fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      cells,
    ),
    { maxLength: 40 },
  )
  .map((lines) => lines.join('\n'));
const files = fc.oneof(
  { weight: 16, arbitrary: csv.map((text) => Buffer.from(text)) },
  { weight: 8, arbitrary: ndjson.map((text) => Buffer.from(text)) },
  { weight: 6, arbitrary: fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes)) },
);

/** Rows or a problem of the file; the same however the file is cut into pieces; the places of the rows only grow. */
export async function fuzzImports(options: FuzzOptions): Promise<FuzzResult> {
  return fuzz(
    'files of imports',
    fc.record({ file: files, pieceBytes: fc.constantFrom(7, 1_000, 65_536) }),
    async ({ file, pieceBytes }) => {
      let longestMs = 0;
      for (const read of [readCsv, readNdjson]) {
        const { holdMs, result: whole } = await leastHold(() => read(file, 1_048_576));
        longestMs = Math.max(longestMs, holdMs);
        const inPieces = file.length / pieceBytes > 1_000 ? whole : await read(file, pieceBytes);
        // Where a row that does not end is given up depends on the pieces.
        if (!whole.problem?.includes('longer than')) expect(inPieces).to.deep.equal(whole);
        expect(whole.endBytes).to.be.at.most(file.length);
      }
      return longestMs;
    },
    options,
  );
}
