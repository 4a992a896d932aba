import { csvRecords, delimiterOf, FileProblem, inTurns, ROW_BYTES_MAX } from '../../base/work/csv-records.ts';
import { parseObject, readCells, readColumns } from './columns.ts';

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
