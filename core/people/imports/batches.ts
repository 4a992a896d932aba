import { FileProblem } from '../../base/work/csv-records.ts';
import { IMPORT_CHANGES_TOGETHER_MAX } from '../changes/changes.ts';
import type { ContactImport } from './model.ts';
import { csvHeader, csvRows, type FileRow, ndjsonRows } from './rows.ts';

export interface Batch {
  rows: FileRow[];
  header: ContactImport['header'];
  /** Why nothing can be read after these rows. */
  problem: string | null;
}

type Begun = Pick<ContactImport, 'format' | 'header' | 'cursor'>;

/** The rows of a file from the position of the import on; `open` returns the bytes from an offset. */
export async function* batchesOf(
  open: (from: number) => AsyncIterable<Buffer>,
  { format, header: known, cursor }: Begun,
  rowsMax = IMPORT_CHANGES_TOGETHER_MAX,
): AsyncGenerator<Batch, undefined> {
  let header = known;
  let rows: FileRow[] = [];
  try {
    let from = cursor.bytes;
    if (format === 'csv' && !header) {
      const { endBytes, ...read } = await csvHeader(open(0));
      header = read;
      from = endBytes;
    }
    const bytes = open(from);
    for await (const row of header ? csvRows(bytes, header) : ndjsonRows(bytes)) {
      rows.push({ ...row, endBytes: from + row.endBytes });
      if (rows.length < rowsMax) continue;
      yield { rows, header, problem: null };
      rows = [];
    }
    if (rows.length > 0) yield { rows, header, problem: null };
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    yield { rows, header, problem: error.message };
  }
}
