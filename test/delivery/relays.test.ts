import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { applyReports } from '../../core/mail/feedback/bounces.ts';
import type { DeliveryReport } from '../../core/mail/feedback/delivery-reports/dsn.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { measureSending, sendingFacts } from '../../workers/sending.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import type { Reply } from '../support/client.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { seedSendingDomain } from '../support/mail/domains.ts';
import { type Sink, startSink } from '../support/mail/smtp-sink.ts';
import { until } from '../support/wait.ts';
import { SENDER } from './support.ts';

interface Line {
  type: string;
  relay?: string;
  reply?: { code: number; relay?: string };
}

describe('Mail through several relays', function () {
  this.timeout(120_000);
  let environment: Environment;
  let sinks: [Sink, Sink];
  let workers: Workers;
  const metrics = createMetrics();
  before(async () => {
    sinks = [await startSink(), await startSink()];
    environment = await startEnvironment({
      SMTP_URL: `${sinks[0].url}?priority=0, ${sinks[1].url}?priority=1`,
      SMTP_MAX_CONNECTIONS: '8',
    });
    const { deps, own } = environment;
    await seedSendingDomain(deps, own.project, 'mail.example.com');
    const hook = { url: 'https://hooks.example.com/', events: ['email.sent', 'email.deferred', 'email.bounced'] };
    expect((await own.client.post('/webhooks', hook)).status).to.equal(201);
    workers = startWorkers(deps, ['mail']);
    await workers.ready;
    measureSending(metrics, deps);
  });
  after(async () => {
    await workers.stop();
    await Promise.all(sinks.map((sink) => sink.close()));
    await environment.stop();
  });

  const hosts = () => sinks.map(({ port }) => `127.0.0.1:${port}`) as [string, string];

  /** Sends a mail and waits for one of these statuses. */
  async function mail(to: string, ...statuses: string[]): Promise<Reply['body'] & { timeline: Line[] }> {
    const { client } = environment.own;
    const fields = { to: { email: to }, from: { email: SENDER }, subject: 'Hello', text: 'Hello' };
    const { body, text } = await client.post('/mails/send', fields);
    expect(body.data?.emailId, text).to.be.a('string');
    const read = async () => (await client.get(`/emails/${body.data.emailId}`)).body.data;
    return until(read, ({ status }) => statuses.includes(status), { ms: 25_000 });
  }

  const lineOf = ({ timeline }: { timeline: Line[] }, type: string) => timeline.find((line) => line.type === type);

  it('says in its timeline, its recipients and its events which relay took it', async () => {
    const [first, second] = hosts();
    const one = await mail('one@in.test', 'sent');
    expect(one.reply).to.deep.include({ code: 250, relay: first });
    expect(one.recipients[0].reply.relay).to.equal(first);
    expect(lineOf(one, 'sent')?.reply?.relay).to.equal(first);

    await sinks[0].refuse();
    const other = await mail('other@in.test', 'sent');
    expect(lineOf(other, 'sent')?.reply?.relay).to.equal(second);
    expect(other.attempts, 'a relay that is down counts no attempt').to.equal(0);
    const events = await until(
      () => environment.deps.db.projectEvents.find({ type: 'email.sent' }).toArray(),
      (found) => found.length === 2,
    );
    const relays = events.map(({ data }) => [data.emailId, (data.reply as { relay: string }).relay]);
    expect(relays).to.have.deep.members([
      [one.id, first],
      [other.id, second],
    ]);

    await sinks[0].listen();
    await until(
      () => mail('again@in.test', 'sent'),
      (again) => again.reply.relay === first,
    );
    expect(sinks.map(({ ledger }) => ledger.duplicates)).to.deep.equal([0, 0]);
  });

  it('says which relay put it off, refused it, or gave no answer; and keeps that when a bounce comes later', async () => {
    const [first] = hosts();
    const deferred = await mail('temp-rcpt-450@in.test', 'deferred');
    expect(lineOf(deferred, 'deferred')?.reply).to.include({ code: 450, relay: first });
    const bounced = await mail('perm-rcpt-550-5.1.1@in.test', 'bounced');
    expect(lineOf(bounced, 'bounced')?.reply).to.include({ code: 550, relay: first });

    const unknown = await mail('drop-after-dot@in.test', 'unknown');
    expect(lineOf(unknown, 'unknown')).to.include({ relay: first });
    expect(sinks[1].ledger.messages.filter(({ to }) => to[0] === 'drop-after-dot@in.test')).to.deep.equal([]);

    const sent = await mail('later@in.test', 'sent');
    const { deps, own } = environment;
    const ref = { projectId: own.project._id, messageId: new ObjectId(sent.id as string) };
    const report = { action: 'failed', recipient: 'later@in.test', code: 550, enhanced: '5.1.1', text: 'unknown' };
    await applyReports(deps, ref, [report as DeliveryReport]);
    const { body } = await own.client.get(`/emails/${sent.id}`);
    expect(body.data).to.include({ status: 'bounced' });
    expect(body.data.reply).to.deep.include({ code: 550, relay: first });
  });

  it('is counted by relay in /metrics, with the state of each, and in the report of the process', async () => {
    const [first, second] = hosts();
    await sinks[1].refuse();
    await sinks[0].refuse();
    const client = environment.own.client;
    await client.post('/mails/send', {
      ...{ to: { email: 'waits@in.test' }, from: { email: SENDER }, subject: 'Hello', text: 'Hello' },
    });
    const down = (host: string) => `everpost_relay_down{route="default",relay="${host}"} 1`;
    await until(
      () => metrics.registry.metrics(),
      (text) => text.includes(down(first)) && text.includes(down(second)),
      { ms: 30_000 },
    );
    await sinks[0].listen();
    const text = await until(
      () => metrics.registry.metrics(),
      (now) => now.includes(`everpost_relay_down{route="default",relay="${first}"} 0`),
    );
    expect(text).to.contain(down(second)).and.to.contain('everpost_relays_down 1');
    expect(text).to.match(new RegExp(`everpost_relay_mails_total\\{relay="${first}"\\} [1-9]`));
    expect(text).to.match(new RegExp(`everpost_relay_mails_total\\{relay="${second}"\\} [1-9]`));
    const { relays } = sendingFacts(environment.deps);
    expect(relays.map(({ host, priority, isAnswering }) => [host, priority, isAnswering])).to.deep.equal([
      [first, 0, true],
      [second, 1, false],
    ]);
    expect(relays[0]?.delivered).to.be.above(2);
    await sinks[1].listen();
  });
});
