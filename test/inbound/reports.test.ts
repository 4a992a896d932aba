import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { openCore } from '../../core/base/deps.ts';
import { refreshCounts } from '../../core/campaigns/numbers/counts.ts';
import { listen } from '../../core/events/listeners.ts';
import { mailLocalPart, unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import { applyReports } from '../../core/mail/feedback/bounces.ts';
import type { Message, MessageRecipient } from '../../core/mail/ledger/model.ts';
import { bareCampaign, engagementOf, refOf, sentMessage, storedMessage } from '../feedback/support.ts';
import { returnedMails } from '../fixtures/inbound/mails.ts';
import { bytesOf } from '../fixtures/inbound/recorded/reports.ts';
import { HOLD_MS_MAX } from '../linear/cpu.ts';
import { leastHold } from '../linear/hold.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';

const HOST = 'mail.example.com';

/** Letters that a recipient may send to a return path, made so that reading them takes long. */
const letterOf = (type: string, body: string) =>
  `From: a@example.net\r\nSubject: Undeliverable\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n${lined(body)}\r\n`;
const lined = (body: string) => body.match(/.{1,900}/gs)!.join('\r\n');
const hostileLetters = {
  'unclosed tags': letterOf('text/html', '<'.repeat(300_000)),
  'a word without an end': letterOf('text/plain', `Delivery has failed ${'a'.repeat(300_000)}`),
  'a line of dashes': letterOf('text/plain', '-'.repeat(300_000)),
  'spaces in a feedback report': letterOf(
    'multipart/report; boundary=b',
    `--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type:${' '.repeat(90_000)}\u2028\r\n--b--`,
  ),
};

describe('Reports at return paths', () => {
  let environment: Environment;
  let door: Door;
  before(async () => {
    environment = await startEnvironment({ MAIL_HOST: HOST });
    door = await openDoor(environment);
  });
  after(async () => {
    await door.server.close();
    await environment.stop();
  });

  const fixture = (name: string) => returnedMails.find((mail) => mail.name === name)!.raw;
  const returnPath = (message: Message, kind: 'b' | 'u' = 'b') =>
    `${mailLocalPart(environment.deps.config, kind, refOf(message))}@${HOST}`;
  const bring = (message: Message, name: string) => door.send({ to: returnPath(message), raw: fixture(name) });
  const refQuery = ({ _id, projectId }: Message) => ({ _id, projectId });
  const entries = (email: string) =>
    environment.deps.db.suppressions.find({ projectId: environment.own.project._id, email }).toArray();

  async function mailed(fields: Partial<Message> = {}) {
    const campaign = await bareCampaign(environment, environment.own);
    return {
      campaign,
      message: await sentMessage(environment, environment.own, { campaignId: campaign._id, ...fields }),
    };
  }

  it('A late bounce moves the message from delivered to bounced once, and suppresses the address for the whole project.', async () => {
    const { campaign, message } = await mailed();
    expect((await refreshCounts(environment.deps, campaign)).bounced).to.equal(0);
    for (let i = 0; i < 3; i += 1) expect((await bring(message, 'Postfix, no such user')).data).to.match(/^250/);
    const counts = await refreshCounts(environment.deps, campaign);
    expect([counts.totalContacts, counts.sent, counts.bounced]).to.deep.equal([1, 1, 1]);
    const stored = await storedMessage(environment, message);
    expect([stored?.state, stored?.reply?.enhanced]).to.deep.equal(['bounced', '5.1.1']);
    expect(stored?.timeline?.filter(({ type }) => type === 'bounced')).to.have.length(1);
    const found = await entries(message.email);
    expect(found.map(({ isGlobal, reason }) => [isGlobal, reason])).to.deep.equal([[true, 'BOUNCE']]);
    expect(found[0]?.evidence).to.contain('5.1.1');
  });

  for (const [name, type] of [
    ['Postfix, no such user', 'bounced'],
    ['Postfix, delivered', 'delivered'],
  ] as const)
    for (const broken of ['projectEvents', 'notedFacts'] as const)
      it(`A report (${type}) whose write breaks off at ${broken} has its event and its line after the repeat, once, and its contact is compared.`, async () => {
        const { deps } = environment;
        const tenant = await environment.newTenant(`${type} ${broken}`);
        const filterCriteria = { groups: [{ behaviour: 'received', operator: 'at_least' }] };
        const segment = await tenant.client.post('/contact-lists', { name: 'Readers', filterCriteria });
        expect(segment.status, segment.text).to.equal(201);
        await listen(deps, tenant.project._id);
        const message = await sentMessage(environment, tenant);
        const fail = async () => {
          throw new Error('broken off');
        };
        const failing = new Proxy(deps.db[broken] as object, {
          get(collection, key) {
            if (key === 'insertMany') return fail;
            const value = Reflect.get(collection, key);
            return typeof value === 'function' ? value.bind(collection) : value;
          },
        });
        const worse = openCore({ ...deps, db: { ...deps.db, [broken]: failing } });
        const first = await openDoor({ ...environment, deps: worse });
        const mail = { to: returnPath(message), raw: fixture(name) };
        expect((await first.send(mail)).data).to.match(/^451/);
        await first.server.close();
        for (let i = 0; i < 2; i += 1) expect((await door.send(mail)).data).to.match(/^250/);
        const stored = await storedMessage(environment, message);
        expect(stored?.timeline?.filter((line) => line.type === type)).to.have.length(1);
        const ofProject = { projectId: tenant.project._id };
        const events = await deps.db.projectEvents.find({ ...ofProject, type: `email.${type}` }).toArray();
        expect(events.map(({ data }) => data.emailId)).to.deep.equal([message._id.toHexString()]);
        const noted = { ...ofProject, messageIds: message._id };
        expect(await deps.db.notedFacts.countDocuments(noted)).to.be.greaterThan(0);
      });

  it('The timeline of a mail that bounces later still says that the relay took it, and under which queue id.', async () => {
    const reply = { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 4XyZ' };
    const { message } = await mailed({ reply });
    for (let i = 0; i < 2; i += 1) await bring(message, 'Postfix, no such user');
    const { timeline } = (await environment.own.client.get(`/emails/${message._id}`)).body.data;
    const shown = timeline.map((line: { type: string; reply?: { text: string } }) => [line.type, line.reply?.text]);
    expect(shown.map(([type]: [string]) => type)).to.deep.equal(['queued', 'claimed', 'sent', 'bounced']);
    expect(shown[2][1]).to.equal(reply.text);
    expect(timeline[2].at).to.equal(message.sentAt?.toISOString());
    expect(shown[3][1]).to.contain('User unknown');
  });

  it('A bounce about an address with dollars in it, which MongoDB could read as a variable or a field, is applied as any other.', async () => {
    for (const local of ['$$ada', '$.ada', '$email']) {
      const email = `${local}.${new ObjectId()}@example.com`;
      const { message } = await mailed({ email });
      expect((await bring(message, 'Postfix, no such user')).data, local).to.match(/^250/);
      const stored = await storedMessage(environment, message);
      const line = stored?.timeline?.find(({ type }) => type === 'bounced');
      expect([stored?.state, line?.email]).to.deep.equal(['bounced', email]);
    }
  });

  it('The reply of the receiving server is shown as it was, once, though Exim and OpenSMTPD report 5.0.0.', async () => {
    for (const program of ['exim', 'opensmtpd', 'postfix']) {
      const { message } = await mailed();
      const sent = await door.send({ to: returnPath(message), raw: bytesOf({ program, file: 'full' }) });
      expect(sent.data).to.match(/^250/);
      const { reply, reason } = (await environment.own.client.get(`/emails/${message._id}`)).body.data;
      expect(reply, program).to.deep.equal({
        code: 552,
        enhanced: '5.2.2',
        text: '<full@example.net>: Mailbox is full',
      });
      expect(reason).to.equal('The mailbox is full.');
    }
  });

  it('A mail whose outcome was unknown until it bounced has no line that says it was sent.', async () => {
    const { message } = await mailed({ state: 'unknown', reply: null });
    await environment.deps.db.messages.updateOne(refQuery(message), { $unset: { sentAt: '' } });
    await bring(message, 'Postfix, no such user');
    const stored = await storedMessage(environment, message);
    expect(stored?.timeline?.map(({ type }) => type)).to.deep.equal(['bounced']);
  });

  for (const [what, letter] of Object.entries(hostileLetters))
    it(`A letter with ${what} does not hold the event loop, and the next report counts.`, async () => {
      const { holdMs, result: next } = await leastHold(async () => {
        const [{ message }, { message: other }] = [await mailed(), await mailed()];
        const hostile = door.send({ to: returnPath(message), raw: letter });
        expect((await bring(other, 'Postfix, no such user')).data).to.match(/^250/);
        expect((await hostile).data).to.match(/^[25]/);
        return other;
      });
      expect(holdMs).to.be.below(HOLD_MS_MAX);
      expect((await storedMessage(environment, next))?.state).to.equal('bounced');
    }).timeout(60_000);

  it('A block list bounces the mail and suppresses no address.', async () => {
    const { message } = await mailed();
    await bring(message, 'Postfix, on a block list');
    expect((await storedMessage(environment, message))?.state).to.equal('bounced');
    expect(await entries(message.email)).to.deep.equal([]);
  });

  it('A full mailbox suppresses with the third mail that comes back within 30 days, however often each is reported.', async () => {
    const email = `full-${new ObjectId().toHexString()}@example.com`;
    for (let i = 1; i <= 3; i += 1) {
      const { message } = await mailed({ email });
      await bring(message, 'Postfix, mailbox full');
      await bring(message, 'Postfix, mailbox full');
      expect(await entries(email), `after ${i}`).to.have.length(i === 3 ? 1 : 0);
    }
  });

  it('A delay changes nothing but the timeline; a delivery makes the mail delivered.', async () => {
    const { message } = await mailed();
    await bring(message, 'Postfix, delayed');
    expect((await storedMessage(environment, message))?.state).to.equal('sent');
    await bring(message, 'Postfix, delivered');
    const stored = await storedMessage(environment, message);
    expect(stored?.deliveredAt).to.be.instanceOf(Date);
    expect(stored?.timeline?.map(({ type }) => type)).to.deep.equal(['delayed', 'delivered']);
  });

  it('Automatic answers, and people who write to a return path, bounce nothing.', async () => {
    const { message } = await mailed();
    for (const name of ['a vacation notice by the standard', 'a challenge']) await bring(message, name);
    const raw = fixture('a person who answers the return path');
    await door.send({ from: 'reader@example.net', to: returnPath(message), raw });
    expect((await storedMessage(environment, message))?.state).to.equal('sent');
    expect(await entries(message.email)).to.deep.equal([]);
  });

  it('A forged return path is refused and has no effect; neither has one that names an unknown message.', async () => {
    const { message } = await mailed();
    const right = returnPath(message);
    const forged = right.replace(/-([0-9a-f])/, (_, digit) => `-${digit === '0' ? '1' : '0'}`);
    expect((await door.send({ to: forged, raw: fixture('Postfix, no such user') })).rcpt[0]).to.match(/^550/);
    const theirs = mailLocalPart(environment.deps.config, 'b', {
      projectId: environment.other.project._id,
      messageId: message._id,
    });
    await door.send({ to: `${theirs}@${HOST}`, raw: fixture('Postfix, no such user') });
    expect((await storedMessage(environment, message))?.state).to.equal('sent');
    expect(await entries(message.email)).to.deep.equal([]);
  });

  it('A report that comes before the outcome is stored is asked to come again.', async () => {
    const { message } = await mailed({ state: 'committing' });
    expect((await bring(message, 'Postfix, no such user')).data).to.match(/^451/);
    const { _id, projectId } = message;
    await environment.deps.db.messages.updateOne({ _id, projectId }, { $set: { state: 'sent' } });
    expect((await bring(message, 'Postfix, no such user')).data).to.match(/^250/);
    expect((await storedMessage(environment, message))?.state).to.equal('bounced');
  });

  it('Among to, cc and bcc the report says who it was; the others stay as they are.', async () => {
    const open = { name: null, reply: null, reason: null, state: 'sent' as const };
    const { message } = await mailed({
      recipients: [
        { ...open, kind: 'to', email: 'first@example.net' },
        { ...open, kind: 'cc', email: 'reader@example.net' },
      ],
      email: 'first@example.net',
    });
    await bring(message, 'Postfix, no such user');
    const stored = await storedMessage(environment, message);
    expect(stored?.state).to.equal('sent');
    expect(stored?.recipients?.map(({ state }) => state)).to.deep.equal(['sent', 'bounced']);
    expect(await entries('first@example.net')).to.deep.equal([]);
    expect(await entries('reader@example.net')).to.have.length(1);
  });

  describe('about one of to and cc of a mail that went in one transaction', () => {
    const ended = { name: null, reply: null, reason: null };
    const [to, cc] = ['first@example.org', 'reader@example.net'] as const;
    const people = (...rest: Array<Partial<MessageRecipient>>) =>
      [to, cc].map((email, index): MessageRecipient => {
        const kind = index === 0 ? 'to' : 'cc';
        return { ...ended, email, kind, state: 'sent', ...rest[index] };
      });
    const statusesOf = async ({ _id }: Message) => {
      const { body } = await environment.own.client.get(`/emails/${_id}`);
      return body.data.recipients.map(({ status }: { status: string }) => status);
    };

    for (const [name, type] of [
      ['Postfix, no such user', 'failed'],
      ['Postfix, delivered', 'delivered'],
    ] as const)
      it(`An address that is none of them (${type}) is a line in the timeline, and nothing else.`, async () => {
        const recipients = people({}, { email: 'other@example.org' });
        const { message } = await mailed({ lane: 'transactional', email: to, recipients });
        expect((await bring(message, name)).data).to.match(/^250/);
        const stored = await storedMessage(environment, message);
        expect(stored).to.deep.include({ state: 'sent', recipients });
        expect(stored).to.not.have.property('deliveredAt');
        expect(stored?.timeline?.map((line) => line.type)).to.deep.equal(['reported']);
        expect(stored?.timeline?.[0]?.reason).to.contain(type).and.to.contain('none of the recipients');
        for (const email of [to, 'other@example.org']) expect(await entries(email)).to.deep.equal([]);
      });

    it('A report that names no address is a line as well, since it may be about either.', async () => {
      const { message } = await mailed({ lane: 'transactional', email: to, recipients: people() });
      await applyReports(environment.deps, refOf(message), [
        { recipient: null, action: 'failed', code: 550, enhanced: '5.1.1', text: 'no such user' },
      ]);
      expect(await statusesOf(message)).to.deep.equal(['sent', 'sent']);
      expect(await entries(to)).to.deep.equal([]);
    });

    it('A delivery is that of the one it names.', async () => {
      const { message } = await mailed({ lane: 'transactional', email: to, recipients: people() });
      for (let i = 0; i < 2; i += 1) await bring(message, 'Postfix, delivered');
      expect(await statusesOf(message)).to.deep.equal(['sent', 'delivered']);
      expect((await storedMessage(environment, message))?.timeline).to.have.length(1);
    });

    it('A full mailbox in cc counts as one in to: with the third mail it is suppressed.', async () => {
      const email = `full-${new ObjectId()}@example.net`;
      const raw = fixture('Postfix, mailbox full').replaceAll('reader@example.net', email);
      for (let i = 1; i <= 3; i += 1) {
        const { message } = await mailed({ lane: 'transactional', email: to, recipients: people({}, { email }) });
        for (let again = 0; again < 2; again += 1) await door.send({ to: returnPath(message), raw });
        expect(await entries(email), `after ${i}`).to.have.length(i === 3 ? 1 : 0);
      }
    });

    it('The mail stays sent in the timeline once, whichever of the two bounces, and in which order.', async () => {
      const raw = fixture('Postfix, no such user');
      for (const order of [
        [to, cc],
        [cc, to],
      ]) {
        const { message } = await mailed({ lane: 'transactional', email: to, recipients: people() });
        for (const email of order) {
          await door.send({ to: returnPath(message), raw: raw.replaceAll(cc, email) });
          const { timeline } = (await environment.own.client.get(`/emails/${message._id}`)).body.data;
          const sent = timeline.filter(({ type }: { type: string }) => type === 'sent');
          expect(sent.map(({ reply }: Pick<Message, 'reply'>) => reply?.text)).to.deep.equal(['ok']);
        }
      }
    });

    it('A bounce of `to` counts while another is still to be tried, who is then tried as before.', async () => {
      const dueAt = new Date(Date.now() + 60_000);
      const recipients = people({ email: cc }, { email: 'busy@example.org', state: 'deferred' });
      const { message } = await mailed({ lane: 'transactional', state: 'deferred', email: cc, recipients, dueAt });
      await bring(message, 'Postfix, no such user');
      expect(await statusesOf(message)).to.deep.equal(['bounced', 'deferred']);
      expect(await storedMessage(environment, message)).to.deep.include({ state: 'deferred', dueAt });
    });
  });

  it('A complaint about a mail to several suppresses the one it names, and no one when it names none of them.', async () => {
    const [to, cc] = [`to-${new ObjectId()}@example.org`, `cc-${new ObjectId()}@example.org`];
    const open = { name: null, reply: null, reason: null, state: 'sent' as const };
    const { message } = await mailed({
      lane: 'transactional',
      email: to,
      recipients: [
        { ...open, kind: 'to', email: to },
        { ...open, kind: 'cc', email: cc },
      ],
    });
    const raw = fixture('a complaint, abuse').replace(/^Original-Rcpt-To:.*\n/gim, '');
    await door.send({ to: returnPath(message), raw });
    expect([...(await entries(to)), ...(await entries(cc))]).to.deep.equal([]);
    expect((await engagementOf(environment, message))?.complainedAt).to.be.instanceOf(Date);
    const named = raw.replace(/^(Feedback-Type: abuse)/m, `$1\nOriginal-Rcpt-To: <${cc.toUpperCase()}>`);
    await door.send({ to: returnPath(message), raw: named });
    expect(await entries(to)).to.deep.equal([]);
    expect((await entries(cc)).map(({ reason }) => reason)).to.deep.equal(['COMPLAINT']);
  });

  it('A report at the return path of a marketing copy is about that copy, whomever it names.', async () => {
    const [to, cc] = [`to-${new ObjectId()}@example.org`, `cc-${new ObjectId()}@example.org`];
    const { message: first } = await mailed({ email: to });
    const { _id: of } = first;
    await environment.deps.db.messages.updateOne({ _id: of }, { $set: { copy: { of, index: 0, kind: 'to', cc: [] } } });
    const { message: copy } = await mailed({ email: cc, copy: { of, index: 1, kind: 'cc' } });
    const raw = fixture('Postfix, no such user').replaceAll('reader@example.net', to);
    await door.send({ to: returnPath(copy), raw });
    expect((await storedMessage(environment, first))?.state).to.equal('sent');
    expect((await storedMessage(environment, copy))?.state).to.equal('bounced');
    expect(await entries(to)).to.deep.equal([]);
    expect((await entries(cc)).map(({ reason }) => reason)).to.deep.equal(['BOUNCE']);
  });

  it('A complaint at the return path suppresses everywhere in the project and counts once.', async () => {
    const { campaign, message } = await mailed();
    for (let i = 0; i < 2; i += 1) await bring(message, 'a complaint, abuse');
    expect((await refreshCounts(environment.deps, campaign)).spamReported).to.equal(1);
    const found = await entries(message.email);
    expect(found.map(({ isGlobal, reason }) => [isGlobal, reason])).to.deep.equal([[true, 'COMPLAINT']]);
    expect((await storedMessage(environment, message))?.state).to.equal('sent');
  });

  it('At the feedback address the mail must be proved by something of ours; a Message-ID or an address proves nothing.', async () => {
    const { message } = await mailed();
    const bare = fixture('a complaint, abuse').replaceAll('65f0c0ffee0123456789abcd', message._id.toHexString());
    await door.send({ from: 'abuse@isp.example.net', to: `fbl@${HOST}`, raw: bare });
    expect(await entries(message.email)).to.deep.equal([]);
    const token = unsubscribeToken(environment.deps.config, { ...refOf(message), groupId: null, email: message.email });
    const link = `List-Unsubscribe: <https://t.example.com/u/${token}>\r\nSubject: Our news`;
    const proved = bare.replace('Subject: Our news of this week\r\nMessage-ID', `${link}\r\nMessage-ID`);
    expect((await door.send({ from: 'abuse@isp.example.net', to: `fbl@${HOST}`, raw: proved })).data).to.match(/^250/);
    expect((await entries(message.email)).map(({ reason }) => reason)).to.deep.equal(['COMPLAINT']);
  });

  it('When the message is gone the List-Unsubscribe link in the report names the address, at either address; a link of another mail does not.', async () => {
    const { config, db } = environment.deps;
    const linkOf = (message: Message) =>
      `https://t.example.com/u/${unsubscribeToken(config, { ...refOf(message), groupId: null, email: message.email })}`;
    const complain = (to: string, message: Message) =>
      door.send({
        from: 'abuse@isp.example.net',
        to,
        raw: fixture('a complaint, abuse').replace(
          'Subject: Our news of this week\r\n',
          `List-Unsubscribe: <mailto:${returnPath(message, 'u')}>, <${linkOf(message)}>\r\nSubject: Our news\r\n`,
        ),
      });
    for (const where of ['feedback', 'return path']) {
      const { message } = await mailed();
      await db.messages.deleteOne({ _id: message._id, projectId: message.projectId });
      const theirs = await sentMessage(environment, environment.other);
      if (where === 'return path') await complain(returnPath(message), theirs);
      expect(await db.suppressions.countDocuments({ email: { $in: [message.email, theirs.email] } })).to.equal(0);
      await complain(where === 'feedback' ? `fbl@${HOST}` : returnPath(message), message);
      expect((await entries(message.email)).map(({ isGlobal, reason }) => [isGlobal, reason])).to.deep.equal([
        [true, 'COMPLAINT'],
      ]);
    }
  });

  it('"Not spam" has no effect.', async () => {
    const { message } = await mailed();
    await bring(message, 'not spam after all');
    expect(await entries(message.email)).to.deep.equal([]);
  });

  it("A mail to the address of List-Unsubscribe unsubscribes from the mail's group.", async () => {
    const group = await environment.own.client.post('/suppression-groups', { name: 'By mail' });
    const { groupId } = group.body.data;
    const campaign = await bareCampaign(environment, environment.own, { unsubscribeGroupId: groupId });
    const message = await sentMessage(environment, environment.own, { campaignId: campaign._id });
    const raw = `From: ${message.email}\nTo: ${returnPath(message, 'u')}\nSubject: unsubscribe\n\n`;
    const sent = await door.send({ from: message.email, to: returnPath(message, 'u').toUpperCase(), raw });
    expect(sent.data).to.match(/^250/);
    expect((await entries(message.email)).map((one) => [one.groupId, one.reason])).to.deep.equal([
      [groupId, 'UNSUBSCRIBE'],
    ]);
    expect((await engagementOf(environment, message))?.unsubscribedAt).to.be.instanceOf(Date);
  });
});
