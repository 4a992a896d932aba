import { expect } from 'chai';
import { COLUMNS_MAX } from '../../core/people/imports/columns.ts';
import { readCsv, readNdjson } from '../imports/read-file.ts';
import { HOLD_MS_MAX } from './cpu.ts';
import { leastHold } from './hold.ts';

const PIECE_BYTES = 1_048_576;
const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`).join(',');
const files: Record<string, string> = {
  'as many columns as there may be': `email,${names(COLUMNS_MAX - 1)}\na@example.com`,
  'more columns': `email${','.repeat(60_000)}\na@example.com`,
  'a row of a megabyte': `email\n${','.repeat(1_000_000)}`,
  'rows of one letter': `email\n${'x\n'.repeat(500_000)}`,
  'short rows': `email,plan\n${'a@example.com,pro\n'.repeat(58_000)}`,
  'short rows in quotes': `email,plan\n${'"a@example.com","p""o"\n'.repeat(45_000)}`,
  'short objects': `{"email":"a@example.com"}\n`.repeat(40_000),
  'a deep array': `{"email":${'['.repeat(100_000)}\n`,
};

describe('A file of an import', function () {
  this.timeout(60_000);
  for (const [content, text] of Object.entries(files))
    it(`of one megabyte holds the event loop for less than ${HOLD_MS_MAX} ms with ${content}`, async () => {
      for (const read of [readCsv, readNdjson]) {
        const { holdMs } = await leastHold(() => read(Buffer.from(text), PIECE_BYTES));
        expect(holdMs).to.be.below(HOLD_MS_MAX);
      }
    });

  it('with more columns than there may be is refused by their number', async () => {
    expect((await readCsv(Buffer.from(files['more columns']!), PIECE_BYTES)).problem).to.equal(
      `The first line names 60001 columns; a file may have ${COLUMNS_MAX}.`,
    );
    expect((await readCsv(Buffer.from(files['as many columns as there may be']!), PIECE_BYTES)).count).to.equal(1);
  });
});
