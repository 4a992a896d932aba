// Promise: nothing is sent twice.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { hurry, type Post, type PostOptions, startPost } from '../delivery/support.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

const MINUTE_MS = 60_000;

interface Row {
  /** The sink's behaviour: the local part of the address. */
  to: string;
  /** Of an attachment, which make the mail too long for one write. */
  bytes?: number;
  status: 'sent' | 'deferred' | 'bounced' | 'failed' | 'unknown';
  /** How long a deferred mail waits, in milliseconds. */
  waits?: [number, number];
  reply?: number;
  accepted: boolean;
  suppressed?: boolean;
}

const fiveMinutes: [number, number] = [4.9 * MINUTE_MS, 6.1 * MINUTE_MS];
const soon: [number, number] = [0, 1_500];

const rows: Record<string, Row> = {
  'RCPT 450: greylisted, so again in five minutes at the earliest': {
    to: 'temp-rcpt-450',
    status: 'deferred',
    waits: fiveMinutes,
    reply: 450,
    accepted: false,
  },
  'RCPT 452 4.2.2: a full mailbox, deferred': {
    to: 'temp-rcpt-452-4.2.2',
    status: 'deferred',
    waits: fiveMinutes,
    reply: 452,
    accepted: false,
  },
  'RCPT 550 5.1.1: a hard bounce, and the address is suppressed': {
    to: 'perm-rcpt-550-5.1.1',
    status: 'bounced',
    reply: 550,
    accepted: false,
    suppressed: true,
  },
  'RCPT, then the connection drops: before the dot, so again': {
    to: 'drop-at-rcpt',
    status: 'deferred',
    waits: soon,
    accepted: false,
  },
  'DATA 451: deferred': { to: 'temp-data-451', status: 'deferred', waits: fiveMinutes, reply: 451, accepted: false },
  'the connection drops in mid-DATA: before the dot, so again': {
    to: 'drop-mid-data',
    bytes: 6_000_000,
    status: 'deferred',
    waits: soon,
    accepted: false,
  },
  '451 after the dot: certainly not accepted, deferred': {
    to: 'after-dot-451',
    status: 'deferred',
    waits: fiveMinutes,
    reply: 451,
    accepted: false,
  },
  '550 5.7.1 after the dot: failed, and nobody is suppressed for it': {
    to: 'after-dot-550-5.7.1',
    status: 'failed',
    reply: 550,
    accepted: false,
    suppressed: false,
  },
  'a drop after the dot: unknown': { to: 'drop-after-dot', status: 'unknown', accepted: true },
  'a drop after the dot of a mail that was not taken: unknown too, nobody can tell': {
    to: 'lose-after-dot',
    status: 'unknown',
    accepted: false,
  },
  '250 and then a drop: sent': { to: 'drop-after-250', status: 'sent', reply: 250, accepted: true },
  'a 250 of several lines: sent': { to: 'multi-line-250', status: 'sent', reply: 250, accepted: true },
  'a 250 without an enhanced code: sent': { to: 'no-enhanced', status: 'sent', reply: 250, accepted: true },
  'a 250 with 8-bit bytes: sent': { to: 'eight-bit', status: 'sent', reply: 250, accepted: true },
};

/** Deliveries of the mail with this id. */
const countOf = ({ sink }: Post, id: string) =>
  [...sink.ledger.counts].reduce((sum, [key, count]) => (key.includes(id) ? sum + count : sum), 0);

async function expectOutcome(post: Post, row: Row): Promise<void> {
  const email = `${row.to}+one@in.test`;
  const attachments = row.bytes ? [{ fileName: 'x', content: Buffer.alloc(row.bytes).toString('base64') }] : [];
  const answer = await post.send({ to: { email }, attachments });
  const record = await post.settled(answer, row.status);
  expect(record.reply?.code).to.equal(row.reply);
  const [first, second, outcome, ...later] = record.timeline;
  expect([first, second, outcome].map(({ type }: { type: string }) => type)).to.deep.equal([
    'queued',
    'claimed',
    row.status,
  ]);
  expect(outcome.reply?.code).to.equal(row.reply);
  expect(countOf(post, answer.body.data.emailId)).to.equal(row.accepted ? 1 : 0);
  if (!row.waits) expect(record.nextAttemptAt).to.equal(null);
  // A mail that is tried again after a second may have been by now.
  if (row.waits !== soon) expect(later).to.deep.equal([]);
  if (row.waits && later.length === 0) {
    const waitMs = new Date(record.nextAttemptAt).getTime() - new Date(outcome.at).getTime();
    expect(waitMs).to.be.within(...row.waits);
  }
  if (row.suppressed === undefined) return;
  const { body } = await post.own.client.post('/suppression-groups/entries', { email });
  expect(body.data.entries).to.have.length(row.suppressed ? 1 : 0);
}

describe('Answers of the relay', function () {
  this.timeout(120_000);
  let post: Post;
  before(async () => {
    post = await startPost();
  });
  after(() => post.stop());

  for (const [title, row] of Object.entries(rows)) it(title, () => expectOutcome(post, row));

  it('the same answers, fifty times each and all together, give the same outcomes', async () => {
    const cases = Object.values(rows).filter(({ bytes }) => !bytes);
    const people = cases.flatMap(({ to, status }) =>
      Array.from({ length: 50 }, (_, index) => ({ email: `${to}+bulk${index}@in.test`, status })),
    );
    const batches: string[] = [];
    for (let from = 0; from < people.length; from += 100) {
      const recipients = people.slice(from, from + 100).map(({ email }) => ({ email }));
      batches.push((await post.bulk({ recipients })).body.data.batchId);
    }
    const { db } = post.environment.deps;
    const filter = { projectId: post.own.project._id, batchId: { $in: batches } };
    const stored = await until(
      () => db.messages.find(filter, { projection: { email: 1, state: 1 } }).toArray(),
      (found) =>
        found.length === people.length && found.every(({ state }) => !['queued', 'committing'].includes(state)),
      { ms: 100_000 },
    );
    const states = new Map(stored.map(({ email, state }) => [email, state]));
    for (const { email, status } of people) expect(states.get(email), email).to.equal(status);
    // After a minute an ambiguous end is tried again.
    const certain = stored.filter(({ state }) => state !== 'unknown').map(({ _id }) => _id.toHexString());
    expect(certain.filter((id) => countOf(post, id) > 1)).to.deep.equal([]);
  });

  it('a "try again in 20 minutes" is honoured', async () => {
    const { db } = post.environment.deps;
    post.sink.modes.mailReply = '451 4.7.1 Busy, please try again in 20 minutes\r\n';
    const answer = await post.send({ to: { email: 'a@in.test' } });
    await post.settled(answer, 'deferred');
    post.sink.modes.mailReply = null;
    const { dueAt } = (await db.messages.findOne({ _id: (await post.read(answer))._id }))!;
    expect(dueAt!.getTime() - Date.now()).to.be.within(19 * MINUTE_MS, 25 * MINUTE_MS);
  });

  it('a deferred mail is sent at the next attempt, with the same Message-ID and Date', async () => {
    post.sink.modes.mailReply = '451 4.4.3 local error\r\n';
    const answer = await post.send({ to: { email: 'later@in.test' } });
    const { timeline } = await post.settled(answer, 'deferred');
    post.sink.modes.mailReply = null;
    await pause(1_100);
    await hurry(post, 'deferred');
    const { mail } = await post.arrived(answer);
    expect(mail.messageId).to.equal(`<${answer.body.data.emailId}@mail.example.com>`);
    expect(new Date(mail.date!).getTime()).to.be.at.most(new Date(timeline[1].at).getTime());
    const record = await post.settled(answer, 'sent');
    expect(record.timeline.map(({ type }: { type: string }) => type)).to.deep.equal([
      'queued',
      'claimed',
      'deferred',
      'claimed',
      'sent',
    ]);
    expect(record.attempts).to.equal(1);
  });

  it('a mail that is still deferred after 24 hours has failed', async () => {
    const answer = await post.send({ to: { email: 'temp-rcpt-450+old@in.test' } });
    await post.settled(answer, 'deferred');
    const { _id, projectId } = await post.read(answer);
    const firstAt = new Date(Date.now() - 24 * 60 * MINUTE_MS - 1_000);
    await post.environment.deps.db.messages.updateOne({ _id, projectId }, { $set: { firstAt, deferrals: 9 } });
    await hurry(post, 'deferred');
    const record = await post.settled(answer, 'failed');
    expect(record.reason).to.match(/24 hours/);
    expect(record.reply.code).to.equal(450);
  });

  it('each of to, cc and bcc has an outcome of its own, and only those who are open are asked for again', async () => {
    const answer = await post.send({
      to: { email: 'good@in.test' },
      cc: [{ email: 'perm-rcpt-550-5.1.1+cc@in.test' }],
      bcc: [{ email: 'temp-rcpt-450+bcc@in.test' }],
    });
    expect(answer.body.data.totalRecipients).to.equal(3);
    const statuses = async () =>
      (await post.own.client.get(`/emails/${answer.body.data.emailId}`)).body.data.recipients.map(
        ({ kind, status }: Record<string, string>) => `${kind} ${status}`,
      );
    await until(statuses, (found) => found.join() === 'to sent,cc bounced,bcc deferred');
    const { envelope, mail } = await post.arrived(answer);
    expect(envelope.to).to.deep.equal(['good@in.test']);
    expect(mail.cc?.map(({ address }) => address)).to.deep.equal(['perm-rcpt-550-5.1.1+cc@in.test']);
    expect(mail.bcc).to.equal(undefined);
    expect((await post.read(answer)).state).to.equal('deferred');
    const { db } = post.environment.deps;
    const { _id, projectId } = await post.read(answer);
    await db.messages.updateOne({ _id, projectId }, { $set: { 'recipients.2.email': 'bcc@in.test' } });
    await hurry(post, 'deferred');
    await until(statuses, (found) => found.join() === 'to sent,cc bounced,bcc sent');
    expect(post.sink.ledger.messages.filter(({ to }) => to.includes('good@in.test'))).to.have.length(1);
    expect(post.sink.ledger.messages.flatMap(({ to }) => (to.includes('bcc@in.test') ? [to] : []))).to.deep.equal([
      ['bcc@in.test'],
    ]);
    expect((await post.read(answer)).state).to.equal('sent');
  });

  it('a cc and a bcc that are suppressed while the mail is deferred are in no later envelope', async () => {
    const emails = ['to', 'cc', 'bcc', 'other'].map((name) => `temp-rcpt-450+${name}.${new ObjectId()}@in.test`);
    const [to, cc, bcc, other] = emails as [string, string, string, string];
    const answer = await post.send({ to: { email: to }, cc: [{ email: cc }, { email: other }], bcc: [{ email: bcc }] });
    await post.settled(answer, 'deferred');
    const { db } = post.environment.deps;
    const { _id, projectId } = await post.read(answer);
    // The relay takes them now: what follows the "+" of a plain name means nothing to it.
    const taken = (email: string) => email.replace('temp-rcpt-450', 'taken');
    const { recipients } = await post.read(answer);
    const now = recipients!.map((one) => ({ ...one, email: taken(one.email) }));
    await db.messages.updateOne({ _id, projectId }, { $set: { recipients: now, email: taken(to) } });
    await post.own.client.post('/suppression-groups/emails/suppress', {
      emails: [taken(cc), taken(bcc)],
      reason: 'COMPLAINT',
      isGlobal: true,
    });
    await hurry(post, 'deferred');
    await post.settled(answer, 'sent');
    const { body } = await post.own.client.get(`/emails/${_id}`);
    expect(body.data.recipients.map(({ status }: { status: string }) => status)).to.deep.equal([
      'sent',
      'suppressed',
      'sent',
      'suppressed',
    ]);
    expect((await post.arrived(answer)).envelope.to).to.deep.equal([taken(to), taken(other)]);
  });

  it('an ambiguous end repeats a transactional mail with the same Message-ID, and never a marketing mail', async () => {
    const group = (await post.own.client.post('/suppression-groups', { name: 'News' })).body.data;
    const [single, marketing] = await Promise.all([
      post.send({ to: { email: 'drop-after-dot+t@in.test' } }),
      post.send({ to: { email: 'drop-after-dot+m@in.test' }, unsubscribeGroupId: group.groupId }),
    ]);
    await post.settled(single, 'unknown');
    await post.settled(marketing, 'unknown');
    expect((await post.read(single)).dueAt).to.be.a('date');
    expect((await post.read(marketing)).dueAt).to.equal(undefined);
    await hurry(post, 'unknown');
    await until(
      async () => countOf(post, single.body.data.emailId),
      (count) => count === 2,
    );
    expect(countOf(post, marketing.body.data.emailId)).to.equal(1);
    const { body } = await post.own.client.get('/emails?status=unknown&email=drop-after-dot%2Bm@in.test');
    expect(body.data.emails).to.have.length(1);
  });
});

describe("The relay's own state", function () {
  this.timeout(120_000);
  const environment = useEnvironment({ SMTP_MAX_CONNECTIONS: '8' });
  let post: Post;
  const start = async (options: PostOptions = {}) => startPost({ environment, ...options });
  afterEach(() => post.stop());

  /** Nothing is said about the mail: it waits, and no attempt is counted. */
  async function staysQueued(to: string): Promise<() => Promise<void>> {
    const answer = await post.send({ to: { email: to } });
    await until(
      async () => post.sending.deps.mailer.states()[0]!,
      ({ faults }) => faults > 0,
    );
    await pause(50);
    const { body } = await post.own.client.get(`/emails/${answer.body.data.emailId}`);
    expect(body.data).to.include({ status: 'queued', attempts: 0 });
    return async () => {
      await hurry(post, 'queued');
      await post.settled(answer, 'sent');
      expect(post.sink.ledger.total).to.equal(1);
    };
  }

  it('connection refused: mail waits, and goes out when the relay is back', async () => {
    post = await start();
    await post.sink.refuse();
    const back = await staysQueued('a@in.test');
    expect(post.sending.deps.mailer.states()[0]?.notAnsweringSince).to.be.a('date');
    await post.sink.listen();
    await back();
    expect(post.sending.deps.mailer.states()[0]).to.include({ state: 'closed', notAnsweringSince: null });
  });

  for (const greeting of ['421 4.3.2 not now', '554 5.7.1 go away'])
    it(`greeting ${greeting.slice(0, 3)}: the relay refuses us, which says nothing about a recipient`, async () => {
      post = await start({ sink: { greeting } });
      const back = await staysQueued('a@in.test');
      post.sink.modes.greeting = '220 welcome';
      await back();
    });

  it('it never greets: mail waits', async () => {
    post = await start({ sink: { greeting: '' }, timeouts: { greetingMs: 200 } });
    const back = await staysQueued('a@in.test');
    post.sink.modes.greeting = '220 welcome';
    await back();
  });

  it('silence after the dot: unknown', async () => {
    post = await start({ timeouts: { dotMs: 500 } });
    await expectOutcome(post, { to: 'silent-after-dot', status: 'unknown', accepted: true });
  });

  it('MAIL 421 and close: the relay sends us away, and the mail waits', async () => {
    post = await start({ sink: { mailReply: '421 4.7.0 too busy\r\n' } });
    const back = await staysQueued('a@in.test');
    post.sink.modes.mailReply = null;
    await back();
  });

  it('MAIL 451: deferred', async () => {
    post = await start({ sink: { mailReply: '451 4.4.3 local error\r\n' } });
    const record = await post.settled(await post.send({ to: { email: 'a@in.test' } }), 'deferred');
    expect(record.attempts).to.equal(1);
  });

  it('AUTH 535: the relay refuses our login; no recipient bounces', async () => {
    const auth = { methods: 'PLAIN LOGIN', user: 'anna', password: 'right' };
    const relay = (url: string) => url.replace('smtp://', 'smtp://anna:right@');
    post = await start({ sink: { auth: { ...auth, reply: '535 5.7.8 no\r\n' } }, relay });
    const back = await staysQueued('a@in.test');
    expect(post.sending.deps.mailer.states()[0]?.fault?.reply.code).to.equal(535);
    post.sink.modes.auth = auth;
    await back();
  });

  it('530 to MAIL without credentials: the same, whatever follows in the pipeline', async () => {
    post = await start({ sink: { auth: { methods: 'PLAIN', user: 'anna', password: 'right' } } });
    const back = await staysQueued('a@in.test');
    expect(post.sending.deps.mailer.states()[0]?.fault).to.deep.include({ reason: 'auth' });
    post.sink.modes.auth = null;
    await back();
  });

  it('STARTTLS with a certificate that is not for it: nothing leaves in the clear, and the mail waits', async () => {
    const read = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
    const tls = createSecureContext({ key: read('localhost.key'), cert: read('localhost.crt') });
    post = await start({ sink: { tls }, relay: (url) => `${url}?tls.rejectUnauthorized=true` });
    await staysQueued('a@in.test');
    expect(post.sending.deps.mailer.states()[0]?.fault?.reason).to.equal('tls');
    expect(post.sink.ledger.total).to.equal(0);
  });

  it('SIZE smaller than the mail: it fails at once, without DATA', async () => {
    post = await start({ sink: { sizeMax: 5_000 } });
    const answer = await post.send({ to: { email: 'a@in.test' }, text: 'x'.repeat(20_000) });
    const record = await post.settled(answer, 'failed');
    expect(record.reply.code).to.equal(552);
    const entries = await post.own.client.post('/suppression-groups/entries', { email: 'a@in.test' });
    expect(entries.body.data.entries).to.deep.equal([]);
  });

  for (const [title, modes] of [
    ['says 421 after every 3 messages of a connection', { sendAwayAfter: 3 }],
    ['closes the connection between messages', { closeAfter: 2 }],
    ['allows no more than two connections', { connectionsMax: 2 }],
    ['knows no PIPELINING', { pipelining: false }],
  ] as const)
    it(`a relay that ${title} gets every mail once`, async () => {
      post = await start({ sink: modes });
      const recipients = Array.from({ length: 40 }, (_, index) => ({ email: `p${index}@in.test` }));
      const { body } = await post.bulk({ recipients });
      expect(body.data.successCount).to.equal(40);
      const count = async () => {
        const { pagination } = (await post.own.client.get(`/emails?batchId=${body.data.batchId}&status=sent`)).body
          .data;
        return pagination.total;
      };
      await until(count, (total) => total === 40);
      expect([post.sink.ledger.total, post.sink.ledger.duplicates, post.sink.ledger.protocolErrors]).to.deep.equal([
        40, 0, 0,
      ]);
    });
});
