// Promise: nothing is sent twice.
import { expect } from 'chai';
import type { Delivery, Phase } from '../../core/mail/ledger/relay.ts';
import { until } from '../support/wait.ts';
import { closeRelays, deliver, fiftyTimes, newMessage, startRelay, TIMES } from './support.ts';

interface Row {
  what: string;
  to?: string;
  from?: string;
  message?: string;
  kind: Delivery['kind'];
  phase: Phase;
  answered: boolean;
  /** 0: nothing was said about the recipient. */
  code: number;
  enhanced?: string | null;
  text?: string;
  /** How many of fifty the sink really took. */
  taken: number;
  dotMs?: number;
}

/** More than the kernel's buffers hold, so that the dot is still to come when the relay drops. */
const LONG = 'A line of a message that is too long for one write.\r\n'.repeat(90_000);

const ROWS: Row[] = [
  {
    what: '250',
    to: 'anna',
    kind: 'answered',
    phase: 'dot',
    answered: true,
    code: 250,
    enhanced: '2.0.0',
    text: 'queued',
    taken: 50,
  },
  { what: 'MAIL 451', from: 'temp-mail-451', kind: 'answered', phase: 'mail', answered: true, code: 451, taken: 0 },
  {
    what: 'MAIL 550',
    from: 'perm-mail-550-5.7.1',
    kind: 'answered',
    phase: 'mail',
    answered: true,
    code: 550,
    enhanced: '5.7.1',
    taken: 0,
  },
  {
    what: 'RCPT 450, greylisted',
    to: 'temp-rcpt-450',
    kind: 'answered',
    phase: 'rcpt',
    answered: true,
    code: 450,
    enhanced: null,
    text: 'greylisted, come back later',
    taken: 0,
  },
  {
    what: 'RCPT 452 4.2.2',
    to: 'temp-rcpt-452-4.2.2',
    kind: 'answered',
    phase: 'rcpt',
    answered: true,
    code: 452,
    enhanced: '4.2.2',
    taken: 0,
  },
  {
    what: 'RCPT 550 5.1.1',
    to: 'perm-rcpt-550-5.1.1',
    kind: 'answered',
    phase: 'rcpt',
    answered: true,
    code: 550,
    enhanced: '5.1.1',
    text: 'no such user here',
    taken: 0,
  },
  { what: 'RCPT, then a drop', to: 'drop-at-rcpt', kind: 'lost', phase: 'rcpt', answered: false, code: 0, taken: 0 },
  { what: 'DATA 451', to: 'reject-data-451', kind: 'answered', phase: 'data', answered: true, code: 451, taken: 0 },
  { what: 'DATA, then a drop', to: 'drop-at-data', kind: 'lost', phase: 'data', answered: false, code: 0, taken: 0 },
  {
    what: 'a drop in mid-DATA',
    to: 'drop-mid-data',
    message: LONG,
    kind: 'lost',
    phase: 'body',
    answered: false,
    code: 0,
    taken: 0,
  },
  {
    what: 'a drop in mid-DATA when message and dot left in one write',
    to: 'drop-mid-data',
    kind: 'unknown',
    phase: 'dot',
    answered: false,
    code: 0,
    taken: 0,
  },
  {
    what: '451 after the dot',
    to: 'after-dot-451',
    kind: 'answered',
    phase: 'dot',
    answered: true,
    code: 451,
    taken: 0,
  },
  {
    what: '550 5.7.1 after the dot',
    to: 'after-dot-550-5.7.1',
    kind: 'answered',
    phase: 'dot',
    answered: true,
    code: 550,
    enhanced: '5.7.1',
    taken: 0,
  },
  {
    what: 'a drop after the dot, taken',
    to: 'drop-after-dot',
    kind: 'unknown',
    phase: 'dot',
    answered: false,
    code: 0,
    taken: 50,
  },
  {
    what: 'a drop after the dot, not taken',
    to: 'lose-after-dot',
    kind: 'unknown',
    phase: 'dot',
    answered: false,
    code: 0,
    taken: 0,
  },
  {
    what: 'silence after the dot',
    to: 'silent-after-dot',
    dotMs: 100,
    kind: 'unknown',
    phase: 'dot',
    answered: false,
    code: 0,
    taken: 50,
  },
  {
    what: 'a 250 that comes late',
    to: 'slow-100ms',
    kind: 'answered',
    phase: 'dot',
    answered: true,
    code: 250,
    taken: 50,
  },
  {
    what: 'a 250, then a drop',
    to: 'drop-after-250',
    kind: 'answered',
    phase: 'dot',
    answered: true,
    code: 250,
    taken: 50,
  },
  {
    what: 'a 250 of several lines',
    to: 'multi-line-250',
    kind: 'answered',
    phase: 'dot',
    answered: true,
    code: 250,
    enhanced: '2.0.0',
    text: 'first line second line queued as M1',
    taken: 50,
  },
  {
    what: 'a 250 without an enhanced code',
    to: 'no-enhanced',
    kind: 'answered',
    phase: 'dot',
    answered: true,
    code: 250,
    enhanced: null,
    text: 'queued without a code',
    taken: 50,
  },
  {
    what: 'a 250 of three digits',
    to: 'bare-250',
    kind: 'answered',
    phase: 'dot',
    answered: true,
    code: 250,
    enhanced: null,
    text: '',
    taken: 50,
  },
  {
    what: 'a 250 without CR',
    to: 'bare-lf',
    kind: 'answered',
    phase: 'dot',
    answered: true,
    code: 250,
    text: 'no carriage return',
    taken: 50,
  },
  {
    what: 'a reply in Latin-1',
    to: 'eight-bit',
    kind: 'answered',
    phase: 'dot',
    answered: true,
    code: 250,
    text: 'angenommen für später',
    taken: 50,
  },
  {
    what: 'a reply in UTF-8',
    to: 'utf-8',
    kind: 'answered',
    phase: 'dot',
    answered: true,
    code: 250,
    text: 'angenommen für später',
    taken: 50,
  },
  {
    what: 'a reply with control bytes',
    to: 'control-bytes',
    kind: 'answered',
    phase: 'dot',
    answered: true,
    code: 250,
    text: 'a b [31mred',
    taken: 50,
  },
  {
    what: 'something that is no SMTP after the dot',
    to: 'no-smtp',
    kind: 'unknown',
    phase: 'dot',
    answered: false,
    code: 0,
    taken: 50,
  },
  {
    what: 'a reply line without an end',
    to: 'endless-line',
    kind: 'unknown',
    phase: 'dot',
    answered: false,
    code: 0,
    taken: 50,
  },
  {
    what: 'a reply of 10,000 lines',
    to: 'endless-lines',
    kind: 'unknown',
    phase: 'dot',
    answered: false,
    code: 0,
    taken: 50,
  },
];

describe('every outcome that an SMTP dialogue can have', () => {
  afterEach(closeRelays);

  for (const pipelining of [true, false])
    for (const row of ROWS)
      it(`${row.what} is ${row.kind} in phase ${row.phase}, ${pipelining ? 'with' : 'without'} PIPELINING`, async () => {
        const { sink, mailer } = await startRelay({ pipelining }, row.dotMs ? { timeouts: { dotMs: row.dotMs } } : {});
        await fiftyTimes(async (index) => {
          const to = `${row.to ?? 'anna'}+${index}@in.test`;
          const from = row.from ? `${row.from}+${index}@out.test` : undefined;
          const delivery = await deliver(mailer, to, { from, message: newMessage(row.message) });
          const { kind, phase, answered, fault } = delivery;
          expect({ kind, phase, answered }).to.deep.equal({ kind: row.kind, phase: row.phase, answered: row.answered });
          const [recipient] = delivery.recipients;
          expect(recipient?.code).to.equal(row.code);
          expect(recipient?.accepted).to.equal(row.code === 250);
          if (row.enhanced !== undefined) expect(recipient?.enhanced).to.equal(row.enhanced);
          if (row.text !== undefined) expect(recipient?.text).to.equal(row.text);
          expect(fault === null).to.equal(row.kind === 'answered');
        });
        // Of a mail whose answer was not waited for, the dot may still be on its way.
        await until(
          async () => sink.ledger.total,
          (total) => total >= row.taken,
        );
        expect(sink.ledger.total).to.equal(row.taken);
        expect(sink.ledger.duplicates).to.equal(0);
        expect(sink.ledger.protocolErrors).to.equal(0);
        expect(mailer.states()[0]?.state).to.equal('closed');
        expect(TIMES).to.equal(50);
      });
});

describe('a message to several recipients', () => {
  afterEach(closeRelays);

  for (const pipelining of [true, false]) {
    const how = pipelining ? 'with PIPELINING' : 'without';

    it(`gives each recipient its own answer, and carries one transaction to those taken (${how})`, async () => {
      const { sink, mailer } = await startRelay({ pipelining });
      const to = ['a@in.test', 'perm-rcpt-550-5.1.1@in.test', 'b@in.test', 'temp-rcpt-450@in.test'];
      const delivery = await deliver(mailer, to);
      expect(delivery.recipients.map(({ accepted, code }) => ({ accepted, code }))).to.deep.equal([
        { accepted: true, code: 250 },
        { accepted: false, code: 550 },
        { accepted: true, code: 250 },
        { accepted: false, code: 450 },
      ]);
      expect(sink.ledger.messages.map((message) => message.to)).to.deep.equal([['a@in.test', 'b@in.test']]);
    });

    it(`keeps the certain refusals when the rest ends unknown (${how})`, async () => {
      const { mailer } = await startRelay({ pipelining });
      const delivery = await deliver(mailer, ['perm-rcpt-550-5.1.1@in.test', 'drop-after-dot@in.test']);
      expect(delivery.kind).to.equal('unknown');
      expect(delivery.recipients.map(({ code }) => code)).to.deep.equal([550, 0]);
    });

    it(`sends nothing when no recipient was accepted, and keeps the connection (${how})`, async () => {
      const { sink, mailer } = await startRelay({ pipelining });
      const refused = await deliver(mailer, ['perm-rcpt-550-5.1.1@in.test', 'temp-rcpt-450@in.test']);
      expect([refused.kind, refused.phase]).to.deep.equal(['answered', 'rcpt']);
      expect((await deliver(mailer, 'a@in.test')).recipients[0]?.accepted).to.equal(true);
      expect(sink.ledger.connections).to.equal(1);
      expect(sink.ledger.total).to.equal(1);
    });

    it(`reaches no recipient when a relay takes DATA without recipients, and stays in step (${how})`, async () => {
      const { sink, mailer } = await startRelay({ pipelining, dataWithoutRecipients: true });
      let asked = 0;
      const beforeDot = () => Boolean(++asked);
      const refused = await deliver(mailer, 'perm-rcpt-550-5.1.1@in.test', { beforeDot });
      expect(refused.recipients[0]?.code).to.equal(550);
      expect(asked).to.equal(0);
      expect((await deliver(mailer, 'a@in.test')).recipients[0]?.accepted).to.equal(true);
      expect(sink.ledger.total).to.equal(1);
      expect(sink.ledger.connections).to.equal(1);
    });
  }
});
