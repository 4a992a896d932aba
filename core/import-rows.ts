import { Readable } from 'node:stream';
import { type CsvError, type Info, parse } from 'csv-parse';
import { delimiterOf, parseObject, readCells, readColumns } from './rules/import-columns.ts';

/** One row as the file has it, or why it cannot be read. */
export interface FileRow {
  given: Record<string, unknown> | null;
  problem: string | null;
  /** Where the next row begins, counted from where the reading began. */
  endBytes: number;
}

export interface CsvHeader {
  columns: string[];
  delimiter: string;
}

/** The file itself is not what it should be: nothing more can be read of it. */
export class FileProblem extends Error {}

export const ROW_BYTES_MAX = 256 * 1024;
const HEADER_BYTES_MAX = 64 * 1024;

/** One JSON object a line. */
export async function* ndjsonRows(bytes: AsyncIterable<Buffer>): AsyncGenerator<FileRow> {
  let rest: Buffer = Buffer.alloc(0);
  let endBytes = 0;
  for await (const piece of bytes) {
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

/** The names of the columns, and where the first row begins. */
export async function csvHeader(bytes: AsyncIterable<Buffer>): Promise<CsvHeader & { endBytes: number }> {
  const head = await firstBytes(bytes);
  const firstLine = head.toString('utf8').split(/\r?\n/, 1)[0] ?? '';
  const delimiter = delimiterOf(firstLine);
  for await (const { record, info } of csvRecords([head], delimiter, true, 1)) {
    const read = readColumns(record);
    if ('problem' in read) throw new FileProblem(read.problem);
    return { columns: record, delimiter, endBytes: info.bytes };
  }
  throw new FileProblem('The file is empty.');
}

/** `bytes` begin behind the header. */
export async function* csvRows(
  bytes: AsyncIterable<Buffer>,
  { columns, delimiter }: CsvHeader,
): AsyncGenerator<FileRow> {
  const read = readColumns(columns);
  if ('problem' in read) throw new FileProblem(read.problem);
  for await (const { record, info } of csvRecords(bytes, delimiter, false)) {
    const cells = readCells(read.columns, record);
    const endBytes = info.bytes;
    yield cells.ok ? { given: cells.row, problem: null, endBytes } : { given: null, problem: cells.message, endBytes };
  }
}

async function* csvRecords(
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>,
  delimiter: string,
  bom: boolean,
  to?: number,
): AsyncGenerator<{ record: string[]; info: Info }> {
  const parser = parse({
    delimiter,
    bom,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: ROW_BYTES_MAX,
    ...(to === undefined ? {} : { to }),
  });
  const source = Readable.from(bytes, { objectMode: false });
  source.on('error', (error) => parser.destroy(error)).pipe(parser);
  try {
    for await (const entry of parser) yield entry as { record: string[]; info: Info };
  } catch (error) {
    throw isCsvError(error) ? new FileProblem(describe(error)) : error;
  } finally {
    source.destroy();
    parser.destroy();
  }
}

function isCsvError(error: unknown): error is CsvError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_');
}

/** Never the text of the parser: it quotes the file. */
function describe({ code }: CsvError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE')
    return 'A row does not end: a quote that opens a cell is not closed.';
  return `The file is no CSV from here on (${code}).`;
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
