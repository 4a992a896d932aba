import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { delimiterOf, parseObject, readCells, readColumns } from './columns.ts';

/** One row of the file, or the reason why it cannot be read. */
export interface FileRow {
  given: Record<string, unknown> | null;
  problem: string | null;
  /** The start of the next row, relative to the start of the reading. */
  endBytes: number;
}

interface CsvHeader {
  columns: string[];
  delimiter: string;
}

/** The file itself is invalid: the rest of it cannot be read. */
export class FileProblem extends Error {}

export const ROW_BYTES_MAX = 256 * 1024;
/** Parsed in one step; other work of the process runs before the next. */
const TURN_BYTES = 4 * 1024;
const HEADER_BYTES_MAX = 64 * 1024;

/** One JSON object a line. */
export async function* ndjsonRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<FileRow> {
  let rest: Buffer = Buffer.alloc(0);
  let endBytes = 0;
  for await (const piece of inTurns(bytes)) {
    const buffer = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let from = 0;
    for (let to = buffer.indexOf(10, from); to !== -1; to = buffer.indexOf(10, from)) {
      endBytes += to + 1 - from;
      yield* ndjsonRow(buffer.subarray(from, to), endBytes);
      from = to + 1;
    }
    rest = buffer.subarray(from);
    if (rest.length > ROW_BYTES_MAX) throw new FileProblem(`A line is longer than ${ROW_BYTES_MAX} bytes.`);
  }
  yield* ndjsonRow(rest, endBytes + rest.length);
}

function* ndjsonRow(line: Buffer, endBytes: number): Generator<FileRow> {
  const text = line
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trim();
  if (text === '') return;
  const isValid = !text.includes('\ufffd');
  const given = isValid ? parseObject(text) : null;
  const problem = given ? null : isValid ? 'is not a JSON object' : 'is not valid UTF-8; save the file as UTF-8';
  yield { given, problem, endBytes };
}

/** The names of the columns, and the offset of the first row. */
export async function csvHeader(bytes: AsyncIterable<Buffer>): Promise<CsvHeader & { endBytes: number }> {
  const head = await firstBytes(bytes);
  const firstLine = head.toString('utf8').split(/\r?\n/, 1)[0] ?? '';
  const delimiter = delimiterOf(firstLine);
  for await (const { cells, endBytes } of csvRecords([head], { delimiter, bom: true })) {
    if (endBytes >= HEADER_BYTES_MAX) throw new FileProblem(`The first line is longer than ${HEADER_BYTES_MAX} bytes.`);
    const read = readColumns(cells);
    if ('problem' in read) throw new FileProblem(read.problem);
    return { columns: cells, delimiter, endBytes };
  }
  throw new FileProblem('The file is empty.');
}

/** `bytes` begin after the header. */
export async function* csvRows(
  bytes: AsyncIterable<Buffer>,
  { columns, delimiter }: CsvHeader,
): AsyncGenerator<FileRow> {
  const read = readColumns(columns);
  if ('problem' in read) throw new FileProblem(read.problem);
  for await (const { cells, endBytes } of csvRecords(bytes, { delimiter, bom: false })) {
    const row = readCells(read.columns, cells);
    yield row.ok ? { given: row.row, problem: null, endBytes } : { given: null, problem: row.message, endBytes };
  }
}

interface CsvRecord {
  cells: string[];
  endBytes: number;
}

/** The parser is fed in chunks and its records are taken at once, so that a fault does not lose the records before it. */
async function* csvRecords(
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>,
  options: { delimiter: string; bom: boolean },
): AsyncGenerator<CsvRecord> {
  let records: CsvRecord[] = [];
  let fault: Error | null = null;
  const parser = parse({
    ...options,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: ROW_BYTES_MAX,
    on_record: (cells: string[], { bytes: endBytes }) => {
      records.push({ cells, endBytes });
      return null;
    },
  });
  parser.on('error', (error) => {
    fault = error;
  });
  parser.resume();
  const settled = (feed: (done: () => void) => void) =>
    new Promise<void>((resolve) => {
      parser.once('close', resolve);
      feed(() => {
        parser.off('close', resolve);
        resolve();
      });
    });
  const take = () => {
    const taken = records;
    records = [];
    return taken;
  };
  let rowsSeen = 0;
  let rowBytes = 0;
  for await (const piece of inTurns(bytes)) {
    await settled((done) => parser.write(piece, done));
    yield* take();
    if (fault) throw asProblem(fault);
    // The parser limits the length of a row's cells, but not the number of empty ones.
    const { records: whole, empty_lines: empty } = parser.info;
    rowBytes = whole + empty > rowsSeen ? 0 : rowBytes + piece.length;
    rowsSeen = whole + empty;
    if (rowBytes > ROW_BYTES_MAX) throw new FileProblem(`A row is longer than ${ROW_BYTES_MAX} bytes.`);
  }
  await settled((done) => parser.end(done));
  yield* take();
  if (fault) throw asProblem(fault);
}

async function* inTurns(bytes: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of bytes)
    for (let from = 0; from < piece.length; from += TURN_BYTES) {
      yield piece.subarray(from, from + TURN_BYTES);
      await setImmediate();
    }
}

/** Never the text of the parser, which quotes the file. */
function asProblem(error: Error): Error {
  if (!(error instanceof CsvError)) return error;
  if (error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE')
    return new FileProblem('A row does not end: a quote that opens a cell is not closed.');
  return new FileProblem(`The file is no CSV from here on (${error.code}).`);
}

async function firstBytes(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of bytes) {
    pieces.push(piece);
    length += piece.length;
    if (length >= HEADER_BYTES_MAX) break;
  }
  return Buffer.concat(pieces, length).subarray(0, HEADER_BYTES_MAX);
}
