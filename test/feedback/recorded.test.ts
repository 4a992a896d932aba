import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import type { MailReader } from '../../core/inbound/mail.ts';
import { classifyReply } from '../../core/mail/ledger/rules/bounces.ts';
import { createMailReader } from '../../platform/inbound/reader.ts';
import { bytesOf, PROGRAMS, recordedLetters, recordedReports } from '../fixtures/inbound/recorded/reports.ts';
import { silent } from '../workflows/support.ts';

describe('A report that a mail server wrote', () => {
  let reader: MailReader;
  before(() => {
    reader = createMailReader({ dnsServers: [], mailHost: 'mail.example.com' }, silent);
  });
  after(() => reader.close());

  it('has a row for each file.', () => {
    for (const program of Object.keys(PROGRAMS)) {
      const files = readdirSync(new URL(`../fixtures/inbound/recorded/${program}`, import.meta.url));
      const rows = recordedReports.filter((one) => one.program === program).map(({ file }) => `${file}.eml`);
      expect(rows.toSorted(), program).to.deep.equal(files.toSorted());
    }
  });

  for (const row of recordedReports)
    it(`${PROGRAMS[row.program]}, ${row.file}: ${row.action}${row.category ? `, ${row.category}` : ''}.`, async () => {
      const parsed = await reader.parse(bytesOf(row), { mailFrom: '', remoteAddress: '127.0.0.1' });
      const returned = parsed?.returned;
      if (returned?.kind !== 'delivery') throw new Error(`read as ${returned?.kind}`);
      expect(returned.reports).to.have.length(1);
      const { action, recipient, code, enhanced, text } = returned.reports[0]!;
      expect({ action, recipient, reply: [code, enhanced] }).to.deep.equal({
        ...{ action: row.action, recipient: row.recipient, reply: row.reply },
      });
      expect(text.slice(0, row.text.length || undefined)).to.equal(row.text);
      expect(text).to.not.match(/(^|\s)[245]\d\d[ -]|(^|\s)[245]\.\d+\.\d+\s/);
      if (row.action !== 'failed') return;
      const { category, suppress } = classifyReply({ code, enhanced, text, phase: 'dsn' });
      expect({ category, suppress }).to.deep.equal({ category: row.category, suppress: row.suppress });
    });

  for (const { program, file, from, text } of recordedLetters)
    it(`is none when a person's rule wrote it: ${program}, ${file}.`, async () => {
      const bytes = bytesOf({ program, file });
      const parsed = await reader.parse(bytes, { mailFrom: '', remoteAddress: '127.0.0.1' });
      expect(parsed?.returned).to.deep.equal({ kind: 'auto_reply' });
      expect(parsed?.complaint).to.equal(null);
      expect(parsed?.from?.email).to.equal(from);
      expect(parsed?.text).to.contain(text);
    });
});
