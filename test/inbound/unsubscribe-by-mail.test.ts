// Promise: who left is not mailed.
import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { mailLocalPart, readUnsubscribeToken } from '../../core/mail/compose/tokens.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { signMessage } from '../../platform/dkim/sign.ts';
import { activeAutomation, email as emailStep, wait } from '../automations/support.ts';
import { SENDER, type Stage, startStage } from '../campaigns/support.ts';
import { bareCampaign, refOf, sentMessage } from '../feedback/support.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type DnsStandIn, startDnsStandIn } from '../support/mail/dns-stand-in.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';
import { until } from '../support/wait.ts';

const HOST = 'mail.example.com';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const KEY_RECORD = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;

describe('A mail to the address of List-Unsubscribe whose mail is gone', () => {
  let dns: DnsStandIn;
  let environment: Environment;
  let door: Door;
  before(async () => {
    dns = await startDnsStandIn();
    environment = await startEnvironment({ MAIL_HOST: HOST, DNS_SERVERS: dns.address });
    door = await openDoor(environment);
  });
  after(async () => {
    await door.server.close();
    await environment.stop();
    await dns.stop();
  });

  /** A domain that signs its mail. DNS answers are cached for a minute, so each test has its own. */
  function newDomain(): string {
    const name = `d${new ObjectId().toHexString()}.example`;
    dns.set(`s._domainkey.${name}`, 'TXT', [KEY_RECORD]);
    dns.set(`_dmarc.${name}`, 'TXT', ['v=DMARC1; p=reject']);
    return name;
  }

  async function goneMessage(): Promise<Message> {
    const message = await sentMessage(environment, environment.own);
    await environment.deps.db.messages.deleteOne({ _id: message._id, projectId: message.projectId });
    return message;
  }

  interface Letter {
    from: string;
    /** The domain that signs; null: none. */
    domainName: string | null;
    to?: string;
    more?: string;
  }

  async function write(message: Message, { from, domainName, to, more = '' }: Letter) {
    const address = `${mailLocalPart(environment.deps.config, 'u', refOf(message))}@${HOST}`;
    const head = `From: ${from}\r\nTo: ${to ?? address}\r\nSubject: unsubscribe\r\n`;
    const raw = `${head}Date: Sun, 22 Nov 2026 12:00:00 +0000\r\n\r\nPlease.\r\n`;
    const keys = domainName ? [{ domain: domainName, selector: 's', privateKey: PEM }] : [];
    const signed = signMessage(raw, keys, new Date()) + more + raw;
    return (await door.send({ from: 'bounces@elsewhere.example', to: address, raw: signed })).data;
  }

  const entries = async (email: string, { project } = environment.own) =>
    (await environment.deps.db.suppressions.find({ projectId: project._id, email }).toArray()).map(
      ({ groupId, isDefault, reason }) => ({ groupId, isDefault, reason }),
    );

  it('counts by the From that passes DMARC, in the default group of that project alone.', async () => {
    const domainName = newDomain();
    const message = await goneMessage();
    const email = `ada@${domainName}`;
    expect(await write(message, { from: `Ada <Ada@${domainName}>`, domainName })).to.match(/^250/);
    const found = await entries(email);
    expect(found.map(({ isDefault, reason }) => [isDefault, reason])).to.deep.equal([[true, 'UNSUBSCRIBE']]);
    expect(await entries(email, environment.other)).to.deep.equal([]);
    expect(await entries(message.email)).to.deep.equal([]);
  });

  it('counts in the group of its mail when that mail was erased with its contact.', async () => {
    const domainName = newDomain();
    const { groupId } = (await environment.own.client.post('/suppression-groups', { name: 'Erased' })).body.data;
    const campaign = await bareCampaign(environment, environment.own, { unsubscribeGroupId: groupId });
    const message = await sentMessage(environment, environment.own, { campaignId: campaign._id, email: '' });
    expect(await write(message, { from: `ada@${domainName}`, domainName })).to.match(/^250/);
    expect((await entries(`ada@${domainName}`)).map((one) => one.groupId)).to.deep.equal([groupId]);
  });

  for (const [name, letter] of [
    ['is not signed', (own: string) => ({ from: `ada@${own}`, domainName: null })],
    ['is signed by another domain', (own: string) => ({ from: `ada@${own}`, domainName: newDomain() })],
    ['has two From headers', (own: string) => ({ from: `ada@${own}`, domainName: own, more: `From: eve@${own}\r\n` })],
    ['names two people in From', (own: string) => ({ from: `ada@${own}, eve@${own}`, domainName: own })],
    [
      'was written to somebody else',
      (own: string) => ({ from: `ada@${own}`, domainName: own, to: 'list@example.net' }),
    ],
  ] as Array<[string, (own: string) => Letter]>)
    it(`is refused with 550, so that the person hears of it, when it ${name}.`, async () => {
      const own = newDomain();
      const reply = await write(await goneMessage(), letter(own));
      expect(reply).to.match(/^550 5\.7\.1 You are not unsubscribed/);
      for (const who of ['ada', 'eve']) expect(await entries(`${who}@${own}`)).to.deep.equal([]);
    });

  it('is asked to come again while DNS does not answer, and counts then.', async () => {
    const domainName = newDomain();
    const message = await goneMessage();
    dns.behave('servfail');
    expect(await write(message, { from: `ada@${domainName}`, domainName })).to.match(/^451/);
    dns.behave('answer');
    expect(await write(message, { from: `ada@${domainName}`, domainName })).to.match(/^250/);
    expect(await entries(`ada@${domainName}`)).to.have.length(1);
  });
});

describe('A mail to the address of List-Unsubscribe counts in the group of its link', function () {
  this.timeout(120_000);
  let stage: Stage;
  let door: Door;
  before(async () => {
    stage = await startStage({ env: { MAIL_HOST: HOST }, sinkOptions: { keepRaw: 1_000 } });
    door = await openDoor(stage.environment);
  });
  after(async () => {
    await door.server.close();
    await stage.stop();
  });

  const projectId = () => stage.own.project._id;
  const newGroup = async (): Promise<string> =>
    (await stage.own.client.post('/suppression-groups', { name: `Group ${new ObjectId()}` })).body.data.groupId;
  async function call(method: 'post' | 'patch' | 'delete', path: string, body: object = {}) {
    const { client } = stage.own;
    const reply = await (method === 'delete' ? client.delete(path) : client[method](path, body));
    expect(reply.body.success, reply.text).to.equal(true);
    return reply.body.data;
  }
  /** The content of a mail, a week after it was sent. */
  async function forget(email: string): Promise<void> {
    const mails = { projectId: projectId(), email };
    const message = await stage.deps.db.messages.findOneAndUpdate(mails, { $unset: { content: '' } });
    await stage.deps.db.contents.deleteOne({ _id: message!.contentId!, projectId: projectId() });
  }
  /** The address and the group of the link. */
  async function listUnsubscribe(email: string) {
    const found = await until(
      async () => stage.sink.ledger.messages.find((mail) => mail.to.includes(email) && mail.raw),
      Boolean,
    );
    const head = found!.raw!.replace(/\r\n[ \t]+/g, ' ').split('\r\n\r\n')[0]!;
    const token = /^List-Unsubscribe: <[^>]*\/u\/([\w-]+)>/m.exec(head)![1]!;
    const address = /^List-Unsubscribe: .*<mailto:([^?>]+)/m.exec(head)![1]!;
    return { address, groupId: readUnsubscribeToken(stage.deps.config, token)!.groupId };
  }

  const mail = (unsubscribeGroupId: string) => ({
    ...{ from: { email: SENDER }, subject: 'News', html: '<p>News</p>', unsubscribeGroupId },
  });
  /** Sends with the group, or with none for v1 of an automation without; then what happens until the person leaves. */
  const ways: Array<[string, (email: string, groupId: string) => Promise<unknown>]> = [
    [
      'a single mail, after its content is removed',
      async (email, groupId) => {
        await call('post', '/mails/send', { to: { email }, ...mail(groupId) });
        await listUnsubscribe(email);
        await forget(email);
      },
    ],
    [
      'a bulk mail, after its content is removed',
      async (email, groupId) => {
        await call('post', '/mails/bulk', { recipients: [{ email }], ...mail(groupId) });
        await listUnsubscribe(email);
        await forget(email);
      },
    ],
    [
      'a campaign that is deleted',
      async (email, unsubscribeGroupId) => {
        const toLists = [await stage.list(1, () => email)];
        const id = await stage.launch({ toLists, unsubscribeGroupId });
        await stage.until(id, 'sent');
        await call('delete', `/campaigns/${id}`);
      },
    ],
    ['an earlier version of an automation, which names no group', (email, to) => replaced(email, undefined, to)],
    [
      'an earlier version of an automation, after its content is removed',
      async (email, groupId) => {
        await replaced(email, groupId, await newGroup());
        await forget(email);
      },
    ],
  ];
  async function replaced(email: string, unsubscribeGroupId: string | undefined, next: string): Promise<void> {
    await stage.list(1, () => email);
    const step = { htmlTemplate: '<p>Hello</p>', subject: 'Hello', senderEmail: SENDER };
    const steps = [
      wait(0, 'minutes'),
      emailStep('hello', { email: step }),
      wait(30),
      emailStep('later', { email: step }),
    ];
    const { id } = await activeAutomation(stage.own.client, { steps, unsubscribeGroupId });
    await call('post', `/automations/${id}/enrollments`, { emails: [email] });
    await listUnsubscribe(email);
    await call('patch', `/automations/${id}`, { draft: true, unsubscribeGroupId: next });
    await call('post', `/automations/${id}/publish`, { existing: 'keep' });
  }

  /** Writes to the address, and answers the groups in which the person left; null: the default group. */
  async function leave(email: string, address: string): Promise<Array<string | null>> {
    const sent = await door.send({ from: email, to: address, raw: `From: ${email}\nTo: ${address}\n\nPlease.\n` });
    expect(sent.data, JSON.stringify(sent)).to.match(/^250/);
    const entries = { projectId: projectId(), email, reason: 'UNSUBSCRIBE' as const };
    const found = await stage.deps.db.suppressions.find(entries).toArray();
    return found.map(({ isDefault, groupId }) => (isDefault ? null : groupId));
  }

  for (const [index, [name, way]] of ways.entries())
    it(`of ${name}.`, async () => {
      const email = `reader${index}@in.test`;
      await way(email, await newGroup());
      const { address, groupId } = await listUnsubscribe(email);
      expect(await leave(email, address)).to.deep.equal([groupId]);
    });

  it('of a mail that an earlier version of this program sent, whose content names no group.', async () => {
    const email = 'early@in.test';
    await replaced(email, undefined, await newGroup());
    const message = await stage.deps.db.messages.findOne({ projectId: projectId(), email });
    const address = `${mailLocalPart(stage.deps.config, 'u', refOf(message!))}@${HOST}`;
    expect(await leave(email, address)).to.deep.equal([null]);
  });
});
