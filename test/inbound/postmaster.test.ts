import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { mailFromName } from '../../core/domains/rules/records.ts';
import { ConfigError, readConfig } from '../../platform/config.ts';
import { receivingDomain } from '../feedback/support.ts';
import { returnedMails } from '../fixtures/inbound/mails.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';

const HOST = 'mail.example.com';

describe('Letters to the postmaster', () => {
  let environment: Environment;
  let domainName: string;
  /** With POSTMASTER_TO, and without. */
  let door: Door;
  let unread: Door;
  before(async () => {
    environment = await startEnvironment({ MAIL_HOST: HOST, DNS_SERVERS: '127.0.0.1:9' });
    domainName = await receivingDomain(environment, environment.own);
    door = await openDoor(environment, { postmasterTo: `operators@${domainName}` });
    unread = await openDoor(environment);
  });
  after(async () => {
    await door.server.close();
    await unread.server.close();
    await environment.stop();
  });

  const letter = (to: string) =>
    `From: Ada <ada@sender.example.net>\r\nTo: ${to}\r\nSubject: Your mail\r\nMessage-ID: <${new ObjectId()}@sender.example.net>\r\n\r\nPlease look at this.\r\n`;
  const kept = async (client = environment.own.client) =>
    (await client.get('/inbound/messages?limit=100')).body.data.items as Array<{ subject: string; domainName: string }>;

  for (const where of [`abuse@${HOST}`, `fbl@${HOST}`, `Postmaster@${HOST}`, 'postmaster', 'POSTMASTER'])
    it(`${where} become inbound messages of the project that has the domain of POSTMASTER_TO.`, async () => {
      const before = (await kept()).length;
      const sent = await door.send({ from: 'ada@sender.example.net', to: where, raw: letter(where) });
      expect(sent).to.deep.equal({ rcpt: ['250 2.1.5 Accepted'], data: '250 2.0.0 Taken' });
      const after = await kept();
      expect(after.length).to.equal(before + 1);
      expect(after[0]).to.include({ subject: 'Your mail', domainName });
      expect(await kept(environment.other.client)).to.deep.equal([]);
    });

  it('postmaster@ at the return paths of a verified domain is one of them; at those of others it is refused.', async () => {
    const before = (await kept()).length;
    const [ours, theirs] = [domainName, 'nobody.example.org'].map((name) => `postmaster@${mailFromName(name)}`);
    const sent = await door.send({ from: 'ada@sender.example.net', to: ours!, raw: letter(ours!) });
    expect(sent.data).to.match(/^250/);
    expect((await kept()).length).to.equal(before + 1);
    expect((await door.send({ to: theirs!, raw: letter(theirs!) })).rcpt[0]).to.match(/^550 5\.1\.2/);
  });

  it('Without POSTMASTER_TO the address is accepted, a letter is refused with the reason, and a feedback report is taken.', async () => {
    const to = `postmaster@${HOST}`;
    const before = (await kept()).length;
    const sent = await unread.send({ from: 'ada@sender.example.net', to, raw: letter(to) });
    expect(sent.rcpt[0]).to.match(/^250/);
    expect(sent.data).to.match(/^550 5\.7\.1 .*POSTMASTER_TO/);
    const { raw } = returnedMails.find(({ name }) => name === 'a complaint, abuse')!;
    expect((await unread.send({ from: 'fbl@isp.example.net', to: `fbl@${HOST}`, raw })).data).to.match(/^250/);
    expect((await kept()).length).to.equal(before);
  });

  it('A letter that also goes to a mailbox is one message there.', async () => {
    const before = (await kept()).length;
    const to = [`postmaster@${HOST}`, `support@${domainName}`];
    for (const which of [door, unread])
      expect((await which.send({ from: 'ada@sender.example.net', to, raw: letter(to[0]!) })).data).to.match(/^250/);
    expect((await kept()).length).to.equal(before + 2);
  });

  it('While the domain of POSTMASTER_TO takes no mail a letter is put off, and feedback reports are taken.', async () => {
    const other = await openDoor(environment, { postmasterTo: 'operators@nowhere.example.org' });
    const to = `abuse@${HOST}`;
    expect((await other.send({ from: 'ada@sender.example.net', to, raw: letter(to) })).data).to.match(/^451/);
    const { raw } = returnedMails.find(({ name }) => name === 'a complaint, abuse')!;
    expect((await other.send({ from: 'fbl@isp.example.net', to, raw })).data).to.match(/^250/);
    await other.server.close();
  });

  it('POSTMASTER_TO is one address, or the process does not start.', () => {
    expect(readConfig({ POSTMASTER_TO: 'Operators@Example.com' }).postmasterTo).to.equal('operators@example.com');
    for (const text of ['operators', 'a@example.com, b@example.com'])
      expect(() => readConfig({ POSTMASTER_TO: text })).to.throw(ConfigError, /POSTMASTER_TO/);
  });
});
