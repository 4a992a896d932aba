import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { ClaimedMail } from '../../core/mail/deliver/claimed-mail.ts';
import { throughSandbox } from '../../core/mail/deliver/sandbox/connection.ts';
import { reportMail } from '../../core/mail/deliver/sandbox/report-text.ts';
import type { Connection, Delivery, RecipientReply } from '../../core/mail/ledger/relay.ts';
import { handToServer } from '../../platform/inbound/own-mail.ts';
import { anyFreePort } from '../../stack/ports.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { openDoor } from '../support/mail/inbound-door.ts';

const BOUNCED = 'bounced+c@sandbox.everpost.test';
const DEFERRED = 'deferred+c@sandbox.everpost.test';
const PERSON = 'ada@example.org';
const MESSAGE = '$A: of a caller\r\nSubject: A test\r\n\r\nHello\r\n';

describe('The connection of a mail to sandbox addresses', () => {
  let environment: Environment;
  before(async () => {
    environment = await startEnvironment({ SMTP_MAILBOX: 'false' });
  });
  after(() => environment.stop());

  const claimed = (deferrals = 0) =>
    ({ held: { _id: new ObjectId(), projectId: environment.own.project._id }, deferrals }) as ClaimedMail;
  const reports = ({ held }: ClaimedMail) =>
    environment.deps.db.sandboxReports.find({ projectId: held.projectId, messageId: held._id }).toArray();

  /** Answers with this, and notes the addresses that it gets. */
  function relay(kind: Delivery['kind'], reply: Partial<RecipientReply>) {
    const given: string[] = [];
    const connection: Connection = {
      takesEightBit: true,
      isPreferred: () => true,
      release: () => {},
      async send({ to }, _message, beforeDot) {
        given.push(...to);
        beforeDot();
        const recipients = to.map(() => ({ accepted: false, code: 0, enhanced: null, text: '', ...reply }));
        return { kind, phase: 'dot', answered: kind === 'answered', recipients, replies: [], fault: null };
      },
    };
    return { given, connection };
  }

  const send = (mail: ClaimedMail, { connection }: ReturnType<typeof relay>, to: string[], mayGo = true) =>
    throughSandbox(environment.deps, connection, mail).send({ from: 'b+x@b.test', to }, MESSAGE, () => mayGo);

  it('A guard that refuses the dot stops it: nothing is answered, and no report is stored.', async () => {
    const mail = claimed();
    const delivery = await send(mail, relay('answered', {}), [BOUNCED], false);
    expect(delivery.kind).to.equal('fenced');
    expect(await reports(mail)).to.deep.equal([]);
  });

  it('A repeated attempt stores one report, with the header of the mail.', async () => {
    const mail = claimed();
    for (const _ of [1, 2]) {
      const delivery = await send(mail, relay('answered', {}), [BOUNCED]);
      expect(delivery).to.deep.include({ kind: 'answered', phase: 'dot', answered: true });
      expect(delivery.recipients.map(({ code }) => code)).to.deep.equal([250]);
    }
    const [report, ...more] = await reports(mail);
    expect(more).to.deep.equal([]);
    expect(report).to.include({ kind: 'bounce', email: BOUNCED, returnPath: 'b+x@b.test' });
    expect(report?.head).to.equal('$A: of a caller\r\nSubject: A test');
  });

  it('Each recipient has the answer of its own server, whatever the relay says.', async () => {
    for (const [kind, reply, codes] of [
      ['answered', { accepted: true, code: 250 }, [250, 250, 450]],
      ['answered', { code: 550 }, [250, 550, 450]],
      ['unknown', {}, [250, 0, 450]],
    ] as const) {
      const mail = claimed();
      const way = relay(kind, reply);
      const delivery = await send(mail, way, [BOUNCED, PERSON, DEFERRED]);
      expect(delivery.kind).to.equal(kind);
      expect(delivery.recipients.map(({ code }) => code)).to.deep.equal(codes);
      expect(way.given).to.deep.equal([PERSON]);
      expect(await reports(mail)).to.have.length(1);
    }
  });

  it('A final dot is for a part of the recipients where deferred@ is one of them.', async () => {
    const said: unknown[] = [];
    const guard = (isInPart?: boolean) => said.push(isInPart) > 0;
    for (const to of [
      [BOUNCED, PERSON],
      [DEFERRED, PERSON],
    ]) {
      const { connection } = relay('answered', { accepted: true, code: 250 });
      await throughSandbox(environment.deps, connection, claimed()).send({ from: 'b+x@b.test', to }, MESSAGE, guard);
    }
    expect(said).to.deep.equal([false, true]);
  });

  it('The second attempt of deferred@ is taken.', async () => {
    const delivery = await send(claimed(1), relay('answered', {}), [DEFERRED]);
    expect(delivery.recipients[0]).to.include({ accepted: true, code: 250 });
  });
});

describe('A report of this installation', () => {
  let environment: Environment;
  before(async () => {
    environment = await startEnvironment({ MAIL_HOST: 'mx.example.com' });
  });
  after(() => environment.stop());

  const mail = reportMail(
    {
      ...{ _id: new ObjectId(), projectId: new ObjectId(), messageId: new ObjectId(), kind: 'complaint' },
      ...{
        email: 'complained+c@sandbox.everpost.test',
        returnPath: 'b+x@mx.example.com',
        head: '.a line with a dot',
        createdAt: new Date(),
      },
    },
    'mx.example.com',
  );

  it('is handed to its inbound server, also to one that is behind a proxy of this machine.', async () => {
    for (const inboundProxies of [[], ['127.0.0.1']]) {
      const door = await openDoor(environment, { inboundProxies });
      const config = { ...environment.deps.config, inboundProxies };
      expect(await handToServer(config, door.port, mail)).to.include({ code: 250 });
      await door.server.close();
    }
  });

  it('has the refusal as its reply, and code 0 where no server answers.', async () => {
    const door = await openDoor(environment);
    const { config } = environment.deps;
    expect(await handToServer(config, door.port, { ...mail, to: 'nobody@mx.example.com' })).to.include({ code: 550 });
    await door.server.close();
    expect(await handToServer(config, await anyFreePort(), mail)).to.include({ code: 0 });
  });
});
