// Promise: projects are apart.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { inboundRemovals } from '../../core/inbound/removals.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { messageIdOf } from '../../core/mail/compose/links.ts';
import { mailLocalPart } from '../../core/mail/compose/tokens.ts';
import { type Signal, writeSignals } from '../../core/mail/feedback/engagements.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { returnedMails } from '../fixtures/inbound/mails.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';
import { until } from '../support/wait.ts';
import { engagementOf, receivingDomain, sentMessage, storedMessage } from './support.ts';

const HOST = 'mail.example.com';
const WRITER = 'ada@sender.example.net';

/** Headers, signed ids and addresses are the same for all projects: none of them may lead from one into another. */
describe('Returned mail of one project has no effect on another', () => {
  const environment = useEnvironment({ MAIL_HOST: HOST, DNS_SERVERS: '127.0.0.1:9' });
  let door: Door;
  let own: Tenant;
  let other: Tenant;
  let ownDomain: string;
  let otherDomain: string;
  before(async () => {
    door = await openDoor(environment);
    ({ own, other } = environment);
    ownDomain = await receivingDomain(environment, own);
    otherDomain = await receivingDomain(environment, other);
  });
  after(async () => {
    await door.server.close();
  });

  const fixture = (name: string) => returnedMails.find((mail) => mail.name === name)!.raw;
  const idOf = () => `<${new ObjectId().toHexString()}@sender.example.net>`;
  const newest = async ({ client }: Tenant) => (await client.get('/inbound/messages?limit=1')).body.data.items[0];
  const entries = (email: string) => environment.deps.db.suppressions.countDocuments({ email });

  async function write(to: string | string[], messageId: string, head = '', body = 'Hello.'): Promise<void> {
    const raw = `From: ${WRITER}\r\nTo: ${to}\r\nMessage-ID: ${messageId}\r\n${head}\r\n${body}\r\n`;
    const sent = await door.send({ from: WRITER, to, raw });
    expect(sent.data, JSON.stringify(sent)).to.match(/^250/);
  }

  /** The signed address of a project with the id of another one's message. */
  function mixed(kind: 'b' | 'u', { project }: Tenant, { _id }: Message): string {
    return `${mailLocalPart(environment.deps.config, kind, { projectId: project._id, messageId: _id })}@${HOST}`;
  }

  it("A mail that answers another project's inbound Message-ID gets neither its thread nor its id.", async () => {
    const question = idOf();
    await write(`desk@${otherDomain}`, question);
    const theirs = await newest(other);
    const answering = `In-Reply-To: ${question}\r\nReferences: ${question}\r\n`;
    await write(`desk@${otherDomain}`, idOf(), answering);
    expect(await newest(other)).to.include({ threadId: theirs.threadId, inReplyToInboundEmailId: theirs.id });
    await write(`desk@${ownDomain}`, idOf(), answering);
    const ours = await newest(own);
    expect(ours.inReplyTo).to.equal(theirs.messageId);
    expect(ours.inReplyToInboundEmailId).to.equal(null);
    expect(ours.threadId).to.not.equal(theirs.threadId);
  });

  it('A mail that answers what another project sent does not name that mail.', async () => {
    const [mine, theirs] = [await sentMessage(environment, own), await sentMessage(environment, other)];
    const answered = async ({ _id }: Message) => {
      const sentId = messageIdOf({ messageId: _id }, ownDomain);
      await write(`desk@${ownDomain}`, idOf(), `In-Reply-To: <${sentId}>\r\n`);
      return (await newest(own)).inReplyToEmailActivityId;
    };
    expect(await answered(mine)).to.equal(mine._id.toHexString());
    expect(await answered(theirs)).to.equal(null);
  });

  it('One mail to two projects is a message of each, and neither loses text or file when the other deletes its writer.', async () => {
    const file =
      '--b\r\nContent-Type: text/plain\r\n\r\nOak Street\r\n--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\nAda\r\n--b--';
    await write(
      [`desk@${ownDomain}`, `desk@${otherDomain}`],
      idOf(),
      'Content-Type: multipart/mixed; boundary=b\r\n',
      file,
    );
    const [mine, theirs] = [await newest(own), await newest(other)];
    expect(mine.messageId).to.equal(theirs.messageId);
    expect(mine.attachments[0].attachmentId).to.not.equal(theirs.attachments[0].attachmentId);
    const contact = (await own.client.post('/contacts', { email: WRITER })).body.data;
    await own.client.delete(`/contacts/${contact.id}`);
    const loop = startQueues(environment.deps, [inboundRemovals(environment.deps)]);
    await until(
      async () => (await own.client.get(`/inbound/messages/${mine.id}`)).body.data,
      ({ from }) => from.email === '',
    );
    await loop.stop();
    const left = (await other.client.get(`/inbound/messages/${theirs.id}`)).body.data;
    expect(left).to.deep.equal(theirs);
    const link = (await other.client.get(`/inbound/messages/${theirs.id}/attachments/0`)).body.data.downloadUrl;
    expect(await (await fetch(environment.url + new URL(link).pathname)).text()).to.contain('Ada');
  });

  it("Another project's message can be neither read nor answered, its files have no link, and its domain sends no answer.", async () => {
    const file = '--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment\r\n\r\nAda\r\n--b--';
    await write(`desk@${otherDomain}`, idOf(), 'Content-Type: multipart/mixed; boundary=b\r\n', file);
    const theirs = await newest(other);
    const path = `/inbound/messages/${theirs.id}`;
    const random = `/inbound/messages/${new ObjectId().toHexString()}`;
    const from = { email: `desk@${ownDomain}` };
    for (const [ask, like] of [
      [() => own.client.get(path), () => own.client.get(random)],
      [() => own.client.get(`${path}/attachments/0`), () => own.client.get(`${random}/attachments/0`)],
      [
        () => own.client.get(`${path}/attachments/${theirs.attachments[0].attachmentId}`),
        () => own.client.get(`${random}/attachments/0`),
      ],
      [() => own.client.post(`${path}/reply`, { from }), () => own.client.post(`${random}/reply`, { from })],
    ] as const) {
      const [asked, missing] = [await ask(), await like()];
      expect([asked.status, asked.body.error.message]).to.deep.equal([404, missing.body.error.message]);
    }
    expect((await own.client.get(`/inbound/messages?threadId=${theirs.threadId}`)).body.data.items).to.deep.equal([]);
    await write(`desk@${ownDomain}`, idOf());
    const mine = await newest(own);
    const foreign = { from: { email: `desk@${otherDomain}` } };
    expect((await own.client.post(`/inbound/messages/${mine.id}/reply`, foreign)).status).to.equal(400);
  });

  it("A bounce, a complaint or an unsubscribe under a project's signature does nothing to the mail of another.", async () => {
    const theirs = await sentMessage(environment, other);
    const bring = async (to: string, name: string) => (await door.send({ to, raw: fixture(name) })).data;
    expect(await bring(mixed('b', own, theirs), 'Postfix, no such user')).to.match(/^250/);
    expect(await bring(mixed('b', own, theirs), 'a complaint, abuse')).to.match(/^250/);
    const unsubscribe = { from: theirs.email, to: mixed('u', own, theirs), raw: `From: ${theirs.email}\n\n` };
    expect((await door.send(unsubscribe)).data).to.match(/^550/);
    expect(await storedMessage(environment, theirs)).to.deep.equal(theirs);
    expect(await engagementOf(environment, theirs)).to.equal(null);
    expect(await entries(theirs.email)).to.equal(0);
  });

  it("A report to a return path at another project's domain is mail to that project, and changes nothing of the mail.", async () => {
    const message = await sentMessage(environment, own);
    const localPart = mailLocalPart(environment.deps.config, 'b', {
      projectId: own.project._id,
      messageId: message._id,
    });
    const at = async (host: string) => {
      const { rcpt, data } = await door.send({ to: `${localPart}@${host}`, raw: fixture('Postfix, delayed') });
      expect([rcpt[0], data], host).to.have.members(['250 2.1.5 Accepted', '250 2.0.0 Taken']);
      return (await storedMessage(environment, message))?.timeline?.length ?? 0;
    };
    const inbox = async ({ client }: Tenant) => (await client.get('/inbound/messages')).body.data.pagination.total;
    const [lines, theirs, ours] = [message.timeline?.length ?? 0, await inbox(other), await inbox(own)];
    expect(await at(otherDomain)).to.equal(lines);
    expect(await at(ownDomain)).to.equal(lines + 1);
    expect([await inbox(other), await inbox(own)]).to.deep.equal([theirs + 1, ours]);
  });

  it("Bounces of another project's mail to the same address are not counted towards a suppression.", async () => {
    const email = `full-${new ObjectId().toHexString()}@example.com`;
    const bounce = async (tenant: Tenant) => {
      const message = await sentMessage(environment, tenant, { email });
      await door.send({ to: mixed('b', tenant, message), raw: fixture('Postfix, mailbox full') });
    };
    for (const tenant of [other, other, own, own]) await bounce(tenant);
    expect(await entries(email)).to.equal(0);
    await bounce(own);
    expect(await entries(email)).to.equal(1);
  });

  it("Opens and clicks that arrive together with another project's change only the mail of their own.", async () => {
    const [mine, theirs] = [await sentMessage(environment, own), await sentMessage(environment, other)];
    const now = environment.deps.clock.now();
    const click = (tenant: Tenant, { _id }: Message): Signal => ({
      kind: 'click',
      projectId: tenant.project._id,
      messageId: _id,
      at: now,
      url: `https://shop.example.com/${tenant.project.name}`,
      agent: '',
    });
    await writeSignals(environment.deps, [click(own, mine), click(other, mine), click(own, theirs)]);
    expect(await engagementOf(environment, mine)).to.include({ clickCount: 1 });
    expect((await engagementOf(environment, mine))?.clicks?.map(({ url }) => url)).to.deep.equal([
      `https://shop.example.com/${own.project.name}`,
    ]);
    expect((await engagementOf(environment, theirs))?.clickCount ?? 0).to.equal(0);
    expect((await storedMessage(environment, theirs))?.timeline).to.equal(undefined);
  });

  it('Mail for a domain goes to the project that holds it verified; one that has lost it keeps what it got, and shares no file.', async () => {
    const name = `d${new ObjectId().toHexString()}.example.org`;
    const [id, head] = [idOf(), 'Content-Type: multipart/mixed; boundary=b\r\n'];
    const file = '--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment\r\n\r\nAda\r\n--b--';
    const read = async ({ client }: Tenant, message: { id: string }) => {
      const link = (await client.get(`/inbound/messages/${message.id}/attachments/0`)).body.data.downloadUrl;
      return (await fetch(environment.url + new URL(link).pathname)).text();
    };
    await receivingDomain(environment, other, { name });
    await write(`desk@${name}`, id, head, file);
    const theirs = await newest(other);
    await environment.deps.db.domains.updateOne(
      { projectId: other.project._id, domainName: name },
      { $set: { verificationStatus: 'PENDING' } },
    );
    await receivingDomain(environment, own, { name });
    await write(`desk@${name}`, id, head, file);
    const mine = await newest(own);
    expect(mine.domainName).to.equal(name);
    expect((await newest(other)).id).to.equal(theirs.id);
    expect([await read(own, mine), await read(other, theirs)].map((text) => text.trim())).to.deep.equal(['Ada', 'Ada']);
  });
});
