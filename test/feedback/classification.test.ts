import { expect } from 'chai';
import type { MailReader } from '../../core/inbound/mail.ts';
import { classifyReply } from '../../core/mail/ledger/rules/bounces.ts';
import { createMailReader } from '../../platform/inbound/reader.ts';
import { type ReturnedMail, returnedMails } from '../fixtures/inbound/mails.ts';
import { silent } from '../workflows/support.ts';

describe('Mail to a return path', () => {
  let reader: MailReader;
  before(() => {
    reader = createMailReader({ dnsServers: [], mailHost: 'mail.example.com' }, silent);
  });
  after(() => reader.close());

  it('is known by more than forty examples, each of its own kind.', () => {
    expect(returnedMails.length).to.be.greaterThan(40);
    expect(new Set(returnedMails.map(({ name }) => name)).size).to.equal(returnedMails.length);
  });

  for (const mail of returnedMails)
    it(`${mail.name}: ${mail.is.kind}${'category' in mail.is ? `, ${mail.is.category}` : ''}.`, async () => {
      expect(await judge(mail)).to.deep.include(mail.is);
    });

  async function judge({ raw, mailFrom = '' }: ReturnedMail): Promise<object> {
    const parsed = await reader.parse(Buffer.from(raw), { mailFrom, remoteAddress: '127.0.0.1' });
    if (!parsed) throw new Error('not read');
    const { complaint, returned } = parsed;
    if (complaint) return { kind: complaint.isComplaint ? 'complaint' : 'not_spam' };
    if (returned.kind !== 'delivery') return { kind: returned.kind };
    const [{ action, code, enhanced, text }] = returned.reports as [(typeof returned.reports)[number]];
    if (action !== 'failed') return { kind: action };
    const { category, suppress } = classifyReply({ code, enhanced, text, phase: 'dsn' });
    return { kind: 'failed', category, suppress, code, enhanced, text };
  }
});
