import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { triggerQueue } from '../../../core/automations/enrollments/enroll.ts';
import { type RunningQueues, startQueues } from '../../../core/jobs/queue.ts';
import { receivingDomain } from '../../feedback/support.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { type DnsStandIn, startDnsStandIn } from '../../support/mail/dns-stand-in.ts';
import { type Door, openDoor } from '../../support/mail/inbound-door.ts';
import { until } from '../../support/wait.ts';
import { activeAutomation, created, filter, makeSending, refusal, simple } from '../support.ts';

describe('The entry email_received', function () {
  this.timeout(120_000);
  let env: Environment;
  let door: Door;
  let dns: DnsStandIn;
  let loop: RunningQueues;
  let domainName: string;
  let support: string;
  before(async () => {
    dns = await startDnsStandIn();
    const dnsServers = { DNS_SERVERS: dns.address };
    env = await startEnvironment({ MAIL_HOST: 'mail.example.com', TEMPORAL_ADDRESS: '127.0.0.1:9', ...dnsServers });
    door = await openDoor(env);
    await makeSending(env.deps, env.own);
    domainName = await receivingDomain(env, env.own);
    support = `support@${domainName}`;
    loop = startQueues(env.deps, [triggerQueue(env.deps)]);
    await loop.ready;
  });
  after(async () => {
    await loop.stop();
    await door.server.close();
    await env.stop();
    await dns.stop();
  });
  afterEach(async () => {
    const live = await env.deps.db.automations.find({ status: 'active' }).toArray();
    for (const { _id } of live) await env.own.client.post(`/automations/${_id}/archive`);
  });

  let count = 0;
  async function person(more: object = {}): Promise<string> {
    count += 1;
    const email = `writer${count}@sender.example.net`;
    await created(env.own.client, '/contacts', { email, ...more });
    return email;
  }
  function mail(from: string, lines: Record<string, string> = {}, body = 'Hello.'): string {
    count += 1;
    const id = `<letter-${count}@sender.example.net>`;
    const all = { From: `A person <${from}>`, To: support, Subject: `Letter ${count}`, 'Message-ID': id, ...lines };
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    return `${head.join('\r\n')}\r\n\r\n${body}\r\n`;
  }
  async function bring(
    raw: string,
    { to = support as string | string[], from = 'bounce@sender.example.net', at = door } = {},
  ) {
    const sent = await at.send({ from, to, raw });
    expect(sent.data, JSON.stringify(sent)).to.match(/^250/);
  }
  const written = (more: object = {}, fields: object = {}) =>
    activeAutomation(env.own.client, {
      entryCriteria: { type: 'email_received', address: support, ...more },
      ...fields,
    });
  async function entered({ id }: { id: string }): Promise<string[]> {
    await until(
      () => env.deps.db.triggers.countDocuments({ dueAt: { $exists: true }, 'automationIds.0': { $exists: true } }),
      (due) => due === 0,
      { everyMs: 10 },
    );
    const found = await env.deps.db.enrollments.find({ automationId: new ObjectId(id) }).toArray();
    const contacts = await env.deps.db.contacts
      .find({ _id: { $in: found.map(({ contactId }) => contactId) } })
      .toArray();
    return found.map(({ contactId }) => contacts.find(({ _id }) => _id.equals(contactId))?.email ?? 'nobody');
  }

  it('a contact who writes to that address; not one who writes to another, nor a sender who is no contact', async () => {
    const [ann, bob] = [await person(), await person()];
    const one = await written({ address: support.toUpperCase() });
    expect(one.entryCriteria.address).to.equal(support);
    await bring(mail(ann.toUpperCase()), { to: `SUPPORT@${domainName}` });
    await bring(mail(bob), { to: `sales@${domainName}` });
    await bring(mail('stranger@sender.example.net'));
    expect(await entered(one)).to.deep.equal([ann]);
    expect(await env.deps.db.contacts.countDocuments({ email: 'stranger@sender.example.net' })).to.equal(0);
    const [enrollment] = await env.deps.db.enrollments.find({ automationId: new ObjectId(one.id) }).toArray();
    expect(enrollment?.history[0]).to.include({ type: 'entered', reason: 'email_received' });
  });

  it('the envelope counts, so also a copy whose header does not name the address; a filter applies', async () => {
    const [ann, bob] = [await person({ firstName: 'Ann' }), await person()];
    const one = await written();
    const filtered = await written({ filterCriteria: filter('firstName', 'equals', 'Ann') });
    for (const email of [ann, bob])
      await bring(mail(email, { To: 'friends@elsewhere.example.net' }), { to: [`sales@${domainName}`, support] });
    expect(await entered(one)).to.have.members([ann, bob]);
    expect(await entered(filtered)).to.deep.equal([ann]);
  });

  it('not by automatic answers, reports, receipts, nor mail that its own domain disowns', async () => {
    const email = await person();
    const forgedFrom = `boss@d${new ObjectId().toHexString()}.example`;
    dns.set(`_dmarc.${forgedFrom.slice(5)}`, 'TXT', ['v=DMARC1; p=none']);
    await created(env.own.client, '/contacts', { email: forgedFrom });
    const one = await written();
    const read = 'multipart/report; report-type=disposition-notification; boundary=b';
    const receipt = '--b\r\nContent-Type: text/plain\r\n\r\nIt was displayed.\r\n--b--';
    await bring(mail(email, { 'Auto-Submitted': 'auto-replied' }));
    await bring(mail(email, { Subject: 'Out of office' }));
    await bring(mail(email, { 'Content-Type': read }, receipt), { from: '' });
    await bring(mail(forgedFrom));
    const stored = await env.deps.db.inboundMessages.find({ 'from.email': { $in: [email, forgedFrom] } }).toArray();
    expect(stored.map(({ dmarcVerdict }) => dmarcVerdict)).to.have.members(['NONE', 'NONE', 'NONE', 'FAIL']);
    expect(await entered(one)).to.deep.equal([]);
    await bring(mail(email));
    expect(await entered(one)).to.deep.equal([email]);
  });

  it('not at a domain that has lost its verification', async () => {
    const email = await person();
    const name = await receivingDomain(env, env.own);
    const one = await written({ address: `a@${name}` });
    const { db } = env.deps;
    await db.domains.updateOne({ domainName: name }, { $set: { verificationStatus: 'PENDING' } });
    await bring(mail(email), { to: `a@${name}` });
    expect(await entered(one)).to.deep.equal([]);
    await db.domains.updateOne({ domainName: name }, { $set: { verificationStatus: 'VERIFIED' } });
    await bring(mail(email), { to: `a@${name}` });
    expect(await entered(one)).to.deep.equal([email]);
  });

  it('a mail that comes again enters once, also when a process died before its answer, or weeks have passed', async () => {
    const email = await person();
    const one = await written();
    const raw = mail(email);
    const dying = { writtenMail: [() => Promise.reject(new Error('killed'))] };
    const { deps } = env;
    const other = await openDoor({ ...env, deps: { ...deps, subscribers: { ...deps.subscribers, ...dying } } });
    expect((await other.send({ from: 'ada@sender.example.net', to: support, raw })).data).to.match(/^451/);
    await other.server.close();
    expect(await deps.db.inboundMessages.countDocuments({ 'from.email': email })).to.equal(1);
    expect(await entered(one)).to.deep.equal([]);
    for (let time = 0; time < 3; time += 1) await bring(raw);
    expect(await entered(one)).to.deep.equal([email]);
    const automationIds = new ObjectId(one.id);
    expect(await deps.db.triggers.countDocuments({ automationIds })).to.equal(1);
    const [inside] = await deps.db.enrollments.find({ automationId: automationIds }).toArray();
    await env.own.client.delete(`/automations/${one.id}/enrollments/${inside?._id}`);
    await deps.db.triggers.deleteMany({ automationIds });
    env.clock.advance(31 * 86_400_000);
    await bring(raw);
    expect(await entered(one)).to.deep.equal([email]);
    await bring(mail(email));
    expect(await entered(one)).to.deep.equal([email, email]);
  });

  it('a mail to two addresses that comes in two parts enters by each of them', async () => {
    const email = await person();
    const [one, two] = [await written(), await written({ address: `sales@${domainName}` })];
    const raw = mail(email);
    await bring(raw);
    await bring(raw, { to: `sales@${domainName}` });
    expect([await entered(one), await entered(two)]).to.deep.equal([[email], [email]]);
  });

  it('needs an address at a domain of the project that receives mail', async () => {
    const { client } = env.own;
    const theirs = await receivingDomain(env, env.other);
    for (const address of ['nothing', 'two words@example.org']) {
      const refused = refusal(
        await client.post('/automations', { ...simple, entryCriteria: { type: 'email_received', address } }),
      );
      expect([refused.status, refused.details]).to.deep.equal([400, 'entryCriteria/address: must be an email address']);
    }
    for (const [entryCriteria, words] of [
      [{ type: 'email_received' }, 'entryCriteria/address: is required for email_received'],
      [
        { type: 'email_received', address: `a@${theirs}` },
        'entryCriteria/address: is not at a domain of this project that receives mail',
      ],
    ] as const) {
      const draft = await created(client, '/automations', { ...simple, entryCriteria });
      const refused = refusal(await client.post(`/automations/${draft.id}/activate`));
      expect(refused).to.deep.include({ status: 400, code: 'CANNOT_ACTIVATE_AUTOMATION' });
      expect(refused.details).to.include(words);
    }
  });

  it('a simulation writes the mail', async () => {
    const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();
    const writes = (n: number, address: string) => ({ at: day(n), kind: 'writes', address });
    const draft = await created(env.own.client, '/automations', {
      ...simple,
      entryCriteria: { type: 'email_received', address: support },
    });
    const path = `/automations/${draft.id}/simulate`;
    const acts = [writes(2, `sales@${domainName}`), writes(3, support.toUpperCase()), writes(4, support)];
    const answer = await env.own.client.post(path, { from: day(1), acts });
    const { entries, skipped } = answer.body.data;
    expect(entries.map(({ enteredAt }: { enteredAt: string }) => enteredAt)).to.deep.equal([day(3)]);
    expect(skipped).to.deep.equal([{ at: day(4), trigger: 'email_received', reason: 'inside' }]);
    const without = refusal(await env.own.client.post(path, { from: day(1), acts: [{ at: day(2), kind: 'writes' }] }));
    expect(without.details).to.equal('acts/0/address: must be an email address for writes');
  });
});
