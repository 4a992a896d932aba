import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { drainSignals } from '../../core/mail/feedback/buffer.ts';
import { anyFreePort } from '../../stack/ports.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { returnedMails } from '../fixtures/inbound/mails.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';
import type { AcceptedMessage } from '../support/mail/smtp-sink/ledger.ts';
import { type Sink, startSink } from '../support/mail/smtp-sink.ts';
import { until } from '../support/wait.ts';
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts';
import { BROWSER } from './support.ts';

const EACH = 6;
/** The fate of a mail, by the local part of its recipient. */
const KINDS = [
  'quiet',
  'open',
  'machine',
  'click',
  'leave',
  'bounce',
  'full',
  'complain',
  'reject-rcpt-550-5.1.1',
] as const;
type Kind = (typeof KINDS)[number];

describe('From the send to everything that comes back', function () {
  this.timeout(180_000);
  let environment: Environment;
  let sink: Sink;
  let door: Door;
  let receiver: Receiver;
  let workers: Workers;
  before(async () => {
    const hookPort = await anyFreePort();
    receiver = await startReceiver(hookPort);
    sink = await startSink({ keepRaw: 1_000 });
    environment = await startEnvironment({
      SMTP_URL: sink.url,
      MAIL_HOST: 'mail.example.com',
      PUBLIC_RATE_LIMIT: '100000',
      AUTOMATED_OPEN_SECONDS: '0',
      ALLOW_PRIVATE_URLS: `127.0.0.1:${hookPort}`,
    });
    door = await openDoor(environment);
    workers = startWorkers(environment.deps, ['mail']);
    await workers.ready;
  });
  after(async () => {
    await workers.stop();
    await door.server.close();
    await Promise.all([sink.close(), receiver.stop()]);
    await environment.stop();
  });

  it('Counts, suppressions and events come out exact.', async () => {
    const { deps, own } = environment;
    const projectId = own.project._id;
    await seedVerifiedDomain(deps, own.project, 'news.example.com', new ObjectId());
    const types = ['email.sent', 'email.bounced', 'email.opened', 'email.clicked', 'email.unsubscribed'];
    const hook = { url: receiver.url, events: [...types, 'email.spam_reported'] };
    expect((await own.client.post('/webhooks', hook)).status).to.equal(201);
    const group = (await own.client.post('/suppression-groups', { name: 'News' })).body.data.groupId;
    const people = KINDS.flatMap((kind) =>
      Array.from({ length: EACH }, (_, index) => `${kind}+${index}@reader.example.net`),
    );
    for (let at = 0; at < people.length; at += 100) {
      const sent = await own.client.post('/mails/bulk', {
        from: { email: 'news@news.example.com' },
        subject: 'News',
        html: '<p>Hello <a href="https://shop.example.com/x?a=1&amp;b=2">shop</a></p>',
        unsubscribeGroupId: group,
        recipients: people.slice(at, at + 100).map((email) => ({ email })),
      });
      expect(sent.status, sent.text).to.equal(200);
    }
    const taken = people.length - EACH;
    await until(
      () => deps.db.messages.countDocuments({ projectId, state: { $in: ['sent', 'bounced'] } }),
      (count) => count === people.length,
      { ms: 90_000 },
    );
    expect(sink.ledger.total).to.equal(taken);
    for (const mail of sink.ledger.messages) await comeBack(mail);
    await drainSoon();

    const states = await deps.db.messages
      .aggregate<{ _id: string; count: number }>([
        { $match: { projectId } },
        { $group: { _id: '$state', count: { $sum: 1 } } },
      ])
      .toArray();
    expect(Object.fromEntries(states.map(({ _id, count }) => [_id, count]))).to.deep.equal(
      Object.fromEntries([
        ['sent', EACH * 6],
        ['bounced', EACH * 3],
      ]),
    );
    const engaged = await deps.db.engagements.find({ projectId }).toArray();
    const with_ = (field: 'openedAt' | 'humanOpenedAt' | 'clickedAt' | 'unsubscribedAt' | 'complainedAt') =>
      engaged.filter((one) => one[field] !== undefined).length;
    expect(with_('openedAt')).to.equal(EACH * 2);
    expect(with_('humanOpenedAt')).to.equal(EACH);
    expect(with_('clickedAt')).to.equal(EACH);
    expect(with_('unsubscribedAt')).to.equal(EACH);
    expect(with_('complainedAt')).to.equal(EACH);

    // Suppressions and events are written after the outcome of their mail.
    const entries = await until(
      () => deps.db.suppressions.find({ projectId }).toArray(),
      ({ length }) => length >= EACH * 4,
    );
    const kinds = entries.map(
      ({ email, reason, isGlobal, groupId }) => `${email.split('+')[0]} ${reason} ${isGlobal ? 'global' : groupId}`,
    );
    const expected = [
      'bounce BOUNCE global',
      'complain COMPLAINT global',
      `leave UNSUBSCRIBE ${group}`,
      'reject-rcpt-550-5.1.1 BOUNCE global',
    ];
    expect([...new Set(kinds)].sort()).to.deep.equal(expected);
    expect(kinds).to.have.length(EACH * 4);

    const events = await until(
      () => deps.db.projectEvents.find({ projectId }).toArray(),
      ({ length }) => length >= taken + EACH * 8,
    );
    const told = [...Map.groupBy(events, ({ type }) => type)].map(([type, some]) => [type, some.length] as const);
    expect(Object.fromEntries(told)).to.deep.equal({
      'email.sent': taken,
      'email.bounced': EACH * 3,
      'email.opened': EACH * 2,
      'email.clicked': EACH,
      'email.unsubscribed': EACH,
      'email.spam_reported': EACH,
    });
  });

  async function comeBack(mail: AcceptedMessage): Promise<void> {
    const kind = mail.to[0]!.split('+')[0] as Kind;
    const visitor = environment.client(null, { 'User-Agent': BROWSER });
    const text = decoded(mail.raw ?? '');
    const here = (pattern: RegExp) => new URL(pattern.exec(text)?.[1] ?? 'http://nowhere.invalid/').pathname;
    const fixture = (name: string) => returnedMails.find((one) => one.name === name)!.raw;
    switch (kind) {
      case 'open':
        await visitor.get(here(/src="([^"]+\/t\/o\/[^"]+)"/));
        break;
      case 'machine':
        await visitor.get(here(/src="([^"]+\/t\/o\/[^"]+)"/), { 'User-Agent': 'Mozilla/5.0' });
        break;
      case 'click': {
        const clicked = await visitor.get(here(/href="([^"]+\/t\/c\/[^"]+)"/));
        expect(clicked.headers.get('location')).to.equal('https://shop.example.com/x?a=1&b=2');
        break;
      }
      case 'leave': {
        const path = here(/List-Unsubscribe:\s*<([^>]+)>/);
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
        const left = await visitor.send('POST', path, { body: 'List-Unsubscribe=One-Click', headers });
        expect(left.status).to.equal(200);
        break;
      }
      case 'bounce':
        expect((await door.send({ to: mail.from, raw: fixture('Exchange Online, address unknown') })).data).to.match(
          /^250/,
        );
        break;
      case 'full':
        await door.send({ to: mail.from, raw: fixture('Gmail, over quota') });
        break;
      case 'complain':
        await door.send({ from: 'fbl@isp.example.net', to: mail.from, raw: fixture('a complaint, abuse') });
        break;
      default:
    }
  }

  async function drainSoon(): Promise<void> {
    await drainSignals(environment.deps, 60_000);
  }
});

/** Headers unfolded, bodies without quoted-printable. */
function decoded(raw: string): string {
  return raw
    .replace(/=\r?\n/g, '')
    .replace(/\r?\n[ \t]+/g, ' ')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
