// Promise: who left is not mailed.
import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { mailLocalPart } from '../../core/mail/compose/tokens.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { signMessage } from '../../platform/dkim/sign.ts';
import { bareCampaign, refOf, sentMessage } from '../feedback/support.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type DnsStandIn, startDnsStandIn } from '../support/mail/dns-stand-in.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';

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
