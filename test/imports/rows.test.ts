import { expect } from 'chai';
import { FileProblem } from '../../core/base/work/csv-records.ts';
import { csvHeader, csvRows, ndjsonRows } from '../../core/people/imports/rows.ts';

describe('Rows of an imported file', () => {
  async function* inPieces(text: string): AsyncGenerator<Buffer> {
    const file = Buffer.from(text);
    for (let at = 0; at < file.length; at += 1_048_576) yield file.subarray(at, at + 1_048_576);
  }

  async function readCsv(text: string): Promise<{ count: number; problem: string | null }> {
    let count = 0;
    try {
      const header = await csvHeader(inPieces(text));
      for await (const _row of csvRows(inPieces(text.slice(header.endBytes)), header)) count += 1;
      return { count, problem: null };
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      return { count, problem: error.message };
    }
  }

  it('are read up to a row that does not end, however many empty cells it has', async () => {
    const row = 'a@example.com\n';
    expect(await readCsv(`email\n${row}${','.repeat(1_000_000)}`)).to.deep.equal({
      count: 1,
      problem: 'A row is longer than 262144 bytes.',
    });
    const lines = [`email\n${row}`, '\n'.repeat(1_000_000), row].join('');
    expect(await readCsv(lines)).to.deep.equal({ count: 2, problem: null });
  });

  it('need a first line that ends: one that is cut short would name other columns', async () => {
    const named = (columns: number) => `email,${Array.from({ length: columns }, (_, index) => `c${index}`).join(',')}`;
    expect((await readCsv(`${named(12_000)}\na@example.com`)).problem).to.equal(
      'The first line is longer than 65536 bytes.',
    );
    expect(await readCsv(`${named(9_000)}\na@example.com`)).to.deep.equal({ count: 1, problem: null });
  });

  it('of NDJSON may not be longer than 256 KiB either', async () => {
    const rows = ndjsonRows(inPieces(`{"email":"${'x'.repeat(300_000)}"}\n`));
    const problem = await rows.next().catch((error) => error);
    expect(problem).to.be.instanceOf(FileProblem);
  });
});
