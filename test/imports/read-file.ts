import { createHash } from 'node:crypto';
import { FileProblem } from '../../core/base/work/csv-records.ts';
import { csvHeader, csvRows, type FileRow, ndjsonRows } from '../../core/people/imports/rows.ts';

/** Rows as a digest: half a million of them would make the collector of garbage hold the loop. */
interface Read {
  rows: string;
  count: number;
  endBytes: number;
  problem: string | null;
}

export async function readCsv(file: Buffer, pieceBytes: number): Promise<Read> {
  return collect(async function* () {
    const header = await csvHeader(pieces(file, pieceBytes));
    for await (const row of csvRows(pieces(file.subarray(header.endBytes), pieceBytes), header))
      yield { ...row, endBytes: row.endBytes + header.endBytes };
  });
}

export function readNdjson(file: Buffer, pieceBytes: number): Promise<Read> {
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
