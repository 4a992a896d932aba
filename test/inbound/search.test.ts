import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { InboundMessage } from '../../core/inbound/model.ts';
import { useEnvironment } from '../support/environment.ts';

const LARGE_MAILS = 80;
const TEXT_LENGTH_MAX = 1_000_000;
const MINUTE_MS = 60_000;

describe('A search of inbound messages', function () {
  this.timeout(60_000);
  const environment = useEnvironment();
  let newest: Date;
  before(async () => {
    newest = environment.deps.clock.now();
    const texts = Array.from({ length: LARGE_MAILS }, (_, index) => `${'a'.repeat(TEXT_LENGTH_MAX - 10)}b ${index}`);
    for (let from = 0; from < texts.length; from += 10) await store(texts.slice(from, from + 10), from);
  });

  /** As core/inbound.ts stores them, a minute apart, the first one newest. */
  async function store(texts: string[], from: number): Promise<void> {
    const { deps, own } = environment;
    const messages = texts.map((text, index) => {
      const address = { email: 'ada@sender.example.net', name: null };
      return {
        ...{
          _id: new ObjectId(),
          projectId: own.project._id,
          dedupe: `${from + index}`,
          messageId: `${from + index}@x`,
        },
        ...{ domainName: 'mail.example.com', from: address, to: [address], cc: [], bcc: [], replyTo: [] },
        ...{ subject: `Mail ${from + index}`, text, html: null, attachments: [], headers: [], status: 'PROCESSED' },
        ...{ spfVerdict: 'NONE', dkimVerdict: 'NONE', dmarcVerdict: 'NONE', threadId: 't', inReplyTo: null },
        ...{ references: [], inReplyToEmailActivityId: null, inReplyToInboundEmailId: null },
        receivedAt: new Date(newest.getTime() - (from + index) * MINUTE_MS),
      } as InboundMessage;
    });
    await deps.db.inboundMessages.insertMany(messages);
  }
  const search = (query: Record<string, string>) =>
    environment.own.client.get(`/inbound/messages?${new URLSearchParams(query)}`);

  it('finds a word in many large messages, with an exact total, page by page', async () => {
    const { status, body } = await search({ search: 'B 7', limit: '3', page: '2' });
    expect(status).to.equal(200);
    expect(body.data.pagination).to.include({ total: 11, page: 2, pages: 4 });
    const subjects = body.data.items.map(({ subject }: { subject: string }) => subject);
    expect(subjects).to.deep.equal(['Mail 72', 'Mail 73', 'Mail 74']);
  });

  it('that would read for too long is refused with how to narrow it, and goes when it is narrowed', async () => {
    const slow = `${'a'.repeat(190)}ü`;
    const begun = performance.now();
    const refused = await search({ search: slow });
    expect([refused.status, refused.body.error]).to.deep.equal([
      400,
      {
        message:
          'The search would read too many messages. Narrow it with dateFrom and dateTo, from, to, threadId or status.',
        code: 'VALIDATION_ERROR',
        details: 'search: reads too many messages',
      },
    ]);
    expect(performance.now() - begun).to.be.below(8_000);
    const dateFrom = new Date(newest.getTime() - MINUTE_MS / 2).toISOString();
    const narrowed = await search({ search: slow, dateFrom });
    expect([narrowed.status, narrowed.body.data.pagination.total]).to.deep.equal([200, 0]);
  });
});
