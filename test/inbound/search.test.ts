import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { InboundMessage } from '../../core/inbound/model.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { profiled } from '../support/profile.ts';

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
    expect(performance.now() - begun).to.be.below(20_000);
    const dateFrom = new Date(newest.getTime() - MINUTE_MS / 2).toISOString();
    const narrowed = await search({ search: slow, dateFrom });
    expect([narrowed.status, narrowed.body.data.pagination.total]).to.deep.equal([200, 0]);
  });
});

describe('The conversations of inbound messages', () => {
  const environment = useEnvironment();
  const THREADS = 30;
  const IN_EACH = 40;
  let tenant: Tenant;
  before(async () => {
    tenant = await environment.newTenant('Conversations');
    const begun = environment.deps.clock.now().getTime();
    const messages = Array.from({ length: THREADS * IN_EACH }, (_, index) => {
      const thread = index % THREADS;
      const address = { email: `writer${thread % 2}@sender.example.net`, name: null };
      return {
        ...{ _id: new ObjectId(), projectId: tenant.project._id, dedupe: `${index}`, messageId: `${index}@x` },
        ...{ domainName: 'mail.example.com', from: address, to: [address], cc: [], bcc: [], replyTo: [] },
        ...{ subject: `Mail ${index}`, text: index === 33 ? 'a needle' : 'hay', html: null, attachments: [] },
        ...{ headers: [], status: 'PROCESSED', spfVerdict: 'NONE', dkimVerdict: 'NONE', dmarcVerdict: 'NONE' },
        ...{ threadId: `thread-${thread}`, inReplyTo: null, references: [] },
        ...{ inReplyToEmailActivityId: null, inReplyToInboundEmailId: null },
        receivedAt: new Date(begun + index * MINUTE_MS),
      } as InboundMessage;
    });
    await environment.deps.db.inboundMessages.insertMany(messages);
  });
  const list = async (query: Record<string, string>, { client } = tenant) => {
    const { status, body } = await client.get(`/inbound/messages?${new URLSearchParams(query)}`);
    expect(status).to.equal(200);
    const subjects = body.data.items.map(({ subject }: { subject: string }) => subject);
    return { subjects, total: body.data.pagination.total };
  };

  it('are shown by their newest message each, page by page, with an exact total', async () => {
    const last = THREADS * IN_EACH - 1;
    const expected = Array.from({ length: 7 }, (_, index) => `Mail ${last - 7 - index}`);
    expect(await list({ newestOfThread: 'true', limit: '7', page: '2' })).to.deep.equal({
      subjects: expected,
      total: THREADS,
    });
    expect((await list({ newestOfThread: 'false' })).total).to.equal(THREADS * IN_EACH);
    expect((await list({ newestOfThread: 'true', page: '3' })).subjects).to.deep.equal([]);
    expect((await list({ newestOfThread: 'true' }, environment.own)).total).to.equal(0);
    expect((await tenant.client.get('/inbound/messages?newestOfThread=yes')).status).to.equal(400);
  });

  it('are those with a message that the other filters find, and show that message', async () => {
    const found = await list({ newestOfThread: 'true', search: 'NEEDLE' });
    expect(found).to.deep.equal({ subjects: ['Mail 33'], total: 1 });
    const written = await list({ newestOfThread: 'true', from: 'Writer1@sender.example.net', limit: '1' });
    expect(written).to.deep.equal({ subjects: [`Mail ${THREADS * IN_EACH - 1}`], total: THREADS / 2 });
    const one = await list({ newestOfThread: 'true', threadId: 'thread-4' });
    expect(one).to.deep.equal({ subjects: [`Mail ${THREADS * (IN_EACH - 1) + 4}`], total: 1 });
  });

  it('are read with some keys for each conversation, however many messages it has', async () => {
    const operations = await profiled(environment.deps, () => list({ newestOfThread: 'true', limit: '5' }));
    const [grouped] = operations.filter(({ command }) => command?.aggregate === 'inboundMessages');
    expect(grouped?.planSummary).to.match(/DISTINCT_SCAN/);
    expect(grouped?.docsExamined).to.be.at.most(THREADS);
    expect(grouped?.keysExamined).to.be.at.most(2 * THREADS + 2);
  });
});
