import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';

/** The file itself is invalid: the rest of it cannot be read. */
export class FileProblem extends Error {}

export const ROW_BYTES_MAX = 256 * 1024;
/** Parsed in one step; other work of the process runs before the next. */
const TURN_BYTES = 4 * 1024;

export interface CsvRecord {
  cells: string[];
  endBytes: number;
  /** Where it ends. */
  line: number;
}

/** The parser is fed in chunks and its records are taken at once, so that a fault does not lose the records before it. */
export async function* csvRecords(
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>,
  { rowBytesMax = ROW_BYTES_MAX, ...options }: { delimiter: string; bom: boolean; rowBytesMax?: number },
): AsyncGenerator<CsvRecord> {
  let records: CsvRecord[] = [];
  let fault: Error | null = null;
  const parser = parse({
    ...options,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: rowBytesMax,
    on_record: (cells: string[], { bytes: endBytes, lines: line }) => {
      records.push({ cells, endBytes, line });
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
    if (rowBytes > rowBytesMax) throw new FileProblem(`A row is longer than ${rowBytesMax} bytes.`);
  }
  await settled((done) => parser.end(done));
  yield* take();
  if (fault) throw asProblem(fault);
}

export async function* inTurns(bytes: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
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

/** The usual delimiter that is most frequent in the first line. */
export function delimiterOf(firstLine: string): string {
  const count = (delimiter: string) => firstLine.split(delimiter).length;
  return [';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best), ',');
}
