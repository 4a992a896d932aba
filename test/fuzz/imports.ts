import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { csvHeader, csvRows, FileProblem, type FileRow, ndjsonRows } from '../../core/imports/rows.ts';
import { HOLD_MS_MAX } from '../linear/cpu.ts';
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
/** As many columns as the first line can hold, more than that, rows without an end, and a file of one megabyte in short rows. */
const LARGE = [
  `email,${Array.from({ length: 10_000 }, (_, index) => `c${index}`).join(',')}\na@example.com`,
  `email${','.repeat(60_000)}\na@example.com`,
  `email\n${','.repeat(1_000_000)}`,
  `email\n${'x\n'.repeat(500_000)}`,
  `email,plan\n${'a@example.com,pro\n'.repeat(58_000)}`,
  `email,plan\n${'"a@example.com","p""o"\n'.repeat(45_000)}`,
  `{"email":"a@example.com"}\n`.repeat(40_000),
  `{"email":${'['.repeat(100_000)}\n`,
];
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
  for (const text of LARGE)
    for (const read of [readCsv, readNdjson]) {
      const { holdMs } = await leastHold(() => read(Buffer.from(text), 1_048_576));
      expect(holdMs, text.slice(0, 30)).to.be.below(HOLD_MS_MAX);
    }
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

/** Rows as a digest: half a million of them would make the collector of garbage hold the loop. */
interface Read {
  rows: string;
  count: number;
  endBytes: number;
  problem: string | null;
}

async function readCsv(file: Buffer, pieceBytes: number): Promise<Read> {
  return collect(async function* () {
    const header = await csvHeader(pieces(file, pieceBytes));
    for await (const row of csvRows(pieces(file.subarray(header.endBytes), pieceBytes), header))
      yield { ...row, endBytes: row.endBytes + header.endBytes };
  });
}

function readNdjson(file: Buffer, pieceBytes: number): Promise<Read> {
  return collect(() => ndjsonRows(pieces(file, pieceBytes)));
}

async function collect(read: () => AsyncGenerator<FileRow>): Promise<Read> {
  const digest = createHash('sha256');
  let [count, endBytes, problem]: [number, number, string | null] = [0, 0, null];
  try {
    for await (const row of read()) {
      if (row.endBytes <= endBytes) throw new Error('the places of rows must grow');
      digest.update(JSON.stringify(row));
      endBytes = row.endBytes;
      count += 1;
    }
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    problem = error.message;
  }
  return { rows: digest.digest('hex'), count, endBytes, problem };
}

async function* pieces(file: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += bytes) yield file.subarray(at, at + bytes);
}
