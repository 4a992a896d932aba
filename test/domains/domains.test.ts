import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { carryOverDomains } from '../../core/domains/carry-over.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { openDkimKey } from '../../core/domains/keys.ts';
import type { DnsRecord } from '../../core/domains/model.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import type { Client } from '../support/client.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type DnsStandIn, startDnsStandIn } from '../support/mail/dns-stand-in.ts';
import { until } from '../support/wait.ts';

const HOUR = 3_600_000;
const KEYS = { MAIL_HOST: 'mail.everpost.test' };

describe('Sending domains', function () {
  this.timeout(60_000);
  let environment: Environment;
  let dns: DnsStandIn;
  let client: Client;
  before(async () => {
    dns = await startDnsStandIn();
    environment = await startEnvironment({ ...KEYS, DNS_SERVERS: dns.address });
    client = environment.own.client;
  });
  after(async () => {
    await environment.stop();
    await dns.stop();
  });

  it('are created PENDING_CONFIGURATION, with the records to publish', async () => {
    const reply = await client.post('/domains', { domainName: 'News.Example.com' });
    expect(reply.status).to.equal(201);
    const domain = reply.body.data;
    expect(domain).to.include({
      domainName: 'news.example.com',
      verificationStatus: 'PENDING_CONFIGURATION',
      ownershipVerified: false,
      dkimEnabled: false,
      dkimEd25519Enabled: false,
      mailFromEnabled: false,
      dmarcEnabled: false,
      dkimSigning: 'own',
      regionKey: 'default',
      verificationInProgress: false,
      lastCheckedAt: null,
      inboundEnabledAt: null,
      inboundDomainVerifiedAt: null,
    });
    expect(domain).to.not.have.property('verifiedAt');
    const { ownership, dkim, dkimEd25519, mailFrom, dmarc, ...others } = domain.dnsRecords;
    expect(others).to.deep.equal({});
    expect(ownership).to.include({ name: '_everpost.news.example.com', type: 'TXT' });
    expect(dkim.name).to.match(/^ep[0-9a-f]{8}\._domainkey\.news\.example\.com$/);
    expect(dkim.value).to.match(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{380,400}={0,2}$/);
    expect(dkimEd25519.name).to.equal(dkim.name.replace('._domainkey', 'e._domainkey'));
    expect(mailFrom[0]).to.include({
      name: 'bounce.news.example.com',
      type: 'MX',
      value: 'mail.everpost.test',
      priority: 10,
    });
    expect(mailFrom[1]).to.include({
      name: 'bounce.news.example.com',
      type: 'TXT',
      value: 'v=spf1 a:mail.everpost.test ~all',
    });
    expect(dmarc).to.include({ name: '_dmarc.news.example.com', type: 'TXT' });
    for (const record of [ownership, dkim, ...mailFrom, dmarc]) expect(record.purpose).to.be.a('string').and.not.empty;
  });

  it('take the alias domain and keep a regionKey; a name that is none is refused', async () => {
    const alias = await client.post('/domains', { domain: 'alias.example.com', regionKey: 'eu-1' });
    expect(alias.body.data).to.include({ domainName: 'alias.example.com', regionKey: 'eu-1' });
    for (const domainName of [
      'localhost',
      '127.0.0.1',
      'a b.example.com',
      'http://example.com',
      '-a.example.com',
      'x'.repeat(300),
    ]) {
      const reply = await client.post('/domains', { domainName });
      expect(reply.status, domainName).to.equal(400);
      expect(reply.body.error.code).to.equal('VALIDATION_ERROR');
    }
    expect((await client.post('/domains', {})).body.error.details).to.equal('domainName: is required');
  });

  it('have a name once in a project: 409 ALREADY_EXISTS; another project may add it too', async () => {
    expect((await client.post('/domains', { domainName: 'once.example.com' })).status).to.equal(201);
    const again = await client.post('/domains', { domainName: 'ONCE.example.com.' });
    expect([again.status, again.body.error.code]).to.deep.equal([409, 'ALREADY_EXISTS']);
    expect((await environment.other.client.post('/domains', { domainName: 'once.example.com' })).status).to.equal(201);
  });

  it('are listed by status, oldest first, and only to their project', async () => {
    const tenant = await environment.newTenant('Lister');
    await tenant.client.post('/domains', { domainName: 'a.lister.com' });
    await tenant.client.post('/domains', { domainName: 'b.lister.com' });
    const all = (await tenant.client.get('/domains?limit=1&page=2')).body.data;
    expect(all.domains.map((domain: { domainName: string }) => domain.domainName)).to.deep.equal(['b.lister.com']);
    expect(all.pagination).to.deep.equal({ page: 2, limit: 1, total: 2, pages: 2 });
    expect((await tenant.client.get('/domains?status=VERIFIED')).body.data.domains).to.deep.equal([]);
    expect((await tenant.client.get('/domains?status=SOME')).status).to.equal(400);
  });

  it('PATCH dkimSigning says who signs; DELETE removes the domain', async () => {
    const { id } = (await client.post('/domains', { domainName: 'patch.example.com' })).body.data;
    const relay = await client.patch(`/domains/${id}`, { dkimSigning: 'relay', domainName: 'other.example.com' });
    expect(relay.body.data).to.include({ dkimSigning: 'relay', domainName: 'patch.example.com' });
    expect((await client.patch(`/domains/${id}`, { dkimSigning: 'nobody' })).status).to.equal(400);
    const deleted = await client.delete(`/domains/${id}`);
    expect([deleted.status, deleted.body]).to.deep.equal([200, { success: true }]);
    const gone = await client.get(`/domains/${id}`);
    expect([gone.status, gone.body.error.code]).to.deep.equal([404, 'DOMAIN_NOT_FOUND']);
  });

  it('never let the private DKIM key out: it is stored sealed, and opens for its own domain alone', async () => {
    const reply = await client.post('/domains', { domainName: 'sealed.example.com' });
    const stored = await environment.deps.db.domains.findOne({
      projectId: environment.own.project._id,
      domainName: 'sealed.example.com',
    });
    expect(reply.text + JSON.stringify(stored)).to.not.match(/PRIVATE KEY/);
    expect(openDkimKey(environment.deps, stored!, 'dkim').privateKey).to.match(/^-----BEGIN PRIVATE KEY-----/);
    expect(() => openDkimKey(environment.deps, { ...stored!, _id: new ObjectId() }, 'dkim')).to.throw(/does not open/);
  });

  it('answer inbound calls on a domain that is not verified with 422, on one that does not exist with 404, both without a code', async () => {
    const { id } = (await client.post('/domains', { domainName: 'unverified.example.com' })).body.data;
    const early = await client.post(`/domains/${id}/inbound/enable`);
    expect(early.status).to.equal(422);
    expect(early.body.error).to.not.have.property('code');
    for (const call of ['enable', 'disable'])
      for (const unknown of [new ObjectId().toHexString(), 'nonsense']) {
        const reply = await client.post(`/domains/${unknown}/inbound/${call}`);
        expect(reply.status).to.equal(404);
        expect(reply.body.error).to.not.have.property('code');
      }
  });

  describe('are verified by real DNS queries', () => {
    let workers: Workers;
    before(async function () {
      this.timeout(60_000);
      workers = startWorkers(environment.deps, ['workflows', 'background']);
      await workers.ready;
    });
    after(function () {
      this.timeout(20_000);
      return workers.stop();
    });

    it('PENDING while ownership or DKIM is missing, VERIFIED when both are found', async () => {
      const domain = await create('step.example.com');
      const asked = await client.post(`/domains/${domain.id}/verify`);
      expect(asked.status).to.equal(200);
      expect(asked.body.data.verificationInProgress).to.equal(true);
      const pending = await result(domain.id);
      expect(pending).to.include({ verificationStatus: 'PENDING', ownershipVerified: false, dkimEnabled: false });
      expect(pending.message).to.include(`the ownership record at ${domain.dnsRecords.ownership.name} is not there`);
      expect(pending.lastCheckedAt).to.be.a('string');

      dns.publish(domain.dnsRecords.ownership);
      dns.set(domain.dnsRecords.dkim.name, 'TXT', ['v=DKIM1; k=rsa; p=c29tZXRoaW5nZWxzZQ==']);
      const half = await verify(domain.id);
      expect(half).to.include({ verificationStatus: 'PENDING', ownershipVerified: true, dkimEnabled: false });
      expect(half.message).to.include('has another value');

      dns.publish(domain.dnsRecords.dkim);
      const verified = await verify(domain.id);
      expect(verified).to.include({
        verificationStatus: 'VERIFIED',
        dkimEnabled: true,
        mailFromEnabled: false,
        dmarcEnabled: false,
        message: null,
      });
      expect(verified.verifiedAt).to.be.a('string');
    });

    it('find the Ed25519 record by itself: a verified domain does without, and a wrong key is shown', async () => {
      const domain = await create('second.example.com');
      const { ownership, dkim, dkimEd25519 } = domain.dnsRecords;
      expect(dkimEd25519.value).to.match(/^v=DKIM1; k=ed25519; p=[\w+/]{43}=$/);
      dns.publish(ownership, dkim);
      const without = await verify(domain.id);
      expect(without).to.include({ verificationStatus: 'VERIFIED', dkimEd25519Enabled: false, message: null });
      expect(without.dnsRecords.dkimEd25519.found).to.equal('absent');
      dns.set(dkimEd25519.name, 'TXT', [dkim.value]);
      expect((await verify(domain.id)).dnsRecords.dkimEd25519.found).to.equal('different');
      dns.publish(dkimEd25519);
      expect(await verify(domain.id)).to.include({ verificationStatus: 'VERIFIED', dkimEd25519Enabled: true });
    });

    it('of an earlier version get their Ed25519 key by setup, once', async () => {
      const { deps, own } = environment;
      const { id } = await create('older.example.com');
      const of = { _id: new ObjectId(id), projectId: own.project._id };
      await deps.db.domains.updateOne(of, { $unset: { dkimEd25519: 1, dkimEd25519Enabled: 1 } });
      const older = await verify(id);
      expect(older.dnsRecords).to.not.have.property('dkimEd25519');
      expect(older).to.include({ dkimEd25519Enabled: false });
      expect(await carryOverDomains(deps, own.project)).to.equal(1);
      expect(await carryOverDomains(deps, own.project)).to.equal(0);
      const { dnsRecords } = await get(id);
      dns.publish(dnsRecords.ownership, dnsRecords.dkim, dnsRecords.dkimEd25519);
      expect(await verify(id)).to.include({ verificationStatus: 'VERIFIED', dkimEd25519Enabled: true });
    });

    it('find MAIL FROM only when MX and SPF are both right, and DMARC at the domain or above it', async () => {
      const domain = await create('mail.parts.com');
      const [mx, spf] = domain.dnsRecords.mailFrom;
      dns.publish(mx, { ...spf, value: 'v=spf1 include:_spf.elsewhere.com ~all' });
      dns.set('_dmarc.parts.com', 'TXT', ['v=DMARC1; p=reject']);
      expect(await verify(domain.id)).to.include({ mailFromEnabled: false, dmarcEnabled: true });
      dns.publish({ ...spf, value: 'v=spf1 include:_spf.elsewhere.com a:MAIL.everpost.test -all' });
      dns.set('_spf.elsewhere.com', 'TXT', ['v=spf1 ip4:192.0.2.1 ~all']);
      expect(await verify(domain.id)).to.include({ mailFromEnabled: true });
      dns.set('_spf.elsewhere.com', 'TXT', [`v=spf1 ${'a:x.example.com '.repeat(10)}~all`]);
      expect(await verify(domain.id)).to.include({ mailFromEnabled: false });
    });

    it('no answer changes nothing: neither a silent nor a failing name server takes a verification away', async function () {
      this.timeout(120_000);
      const domain = await create('calm.example.com');
      publishAll(domain);
      const before = await verify(domain.id);
      expect(before).to.include({ verificationStatus: 'VERIFIED', mailFromEnabled: true, dmarcEnabled: true });
      for (const how of ['servfail', 'silent'] as const) {
        dns.behave(how);
        const after = await verify(domain.id);
        dns.behave('answer');
        const { dnsRecords: asked, ...kept } = after;
        const { dnsRecords: _, ...stood } = before;
        expect({ ...kept, message: null }).to.deep.equal(stood);
        expect(asked.dkim.found).to.equal('unanswered');
        expect(after.message).to.match(/No name server answered/);
      }
    });

    it('a verified domain falls back only when its records have been answered as absent for 72 hours', async () => {
      const domain = await create('fall.example.com');
      publishAll(domain);
      await verify(domain.id);
      dns.set(domain.dnsRecords.dkim.name, 'TXT', []);
      const missing = await verify(domain.id);
      expect(missing).to.include({ verificationStatus: 'VERIFIED', dkimEnabled: false });
      expect(missing.message).to.match(/^The domain stays verified until /);
      environment.clock.advance(71 * HOUR);
      expect(await verify(domain.id)).to.include({ verificationStatus: 'VERIFIED' });
      environment.clock.advance(1.1 * HOUR);
      const fallen = await verify(domain.id);
      expect(fallen).to.include({ verificationStatus: 'PENDING', ownershipVerified: true });
      expect(fallen).to.not.have.property('verifiedAt');
      publishAll(domain);
      expect(await verify(domain.id)).to.include({ verificationStatus: 'VERIFIED' });
    });

    it('one project at a time holds a name verified: the other stays PENDING, with a message that says so, until it is free', async () => {
      const mine = await create('shared.example.com');
      const theirs = (await environment.other.client.post('/domains', { domainName: 'shared.example.com' })).body.data;
      expect(theirs.dnsRecords.ownership.value).to.not.equal(mine.dnsRecords.ownership.value);
      dns.set(mine.dnsRecords.ownership.name, 'TXT', [
        mine.dnsRecords.ownership.value,
        theirs.dnsRecords.ownership.value,
      ]);
      dns.publish(mine.dnsRecords.dkim, theirs.dnsRecords.dkim);
      expect(await verify(mine.id)).to.include({ verificationStatus: 'VERIFIED' });
      const waiting = await verify(theirs.id, environment.other.client);
      expect(waiting).to.include({ verificationStatus: 'PENDING', ownershipVerified: true, dkimEnabled: true });
      expect(waiting.message).to.match(/Another project holds this domain name/);
      await client.delete(`/domains/${mine.id}`);
      expect(await verify(theirs.id, environment.other.client)).to.include({
        verificationStatus: 'VERIFIED',
        message: null,
      });
    });

    it('inbound: enabling answers the MX record, the next check that finds it makes inbound live, disabling clears it; repeats change nothing', async () => {
      const domain = await create('inbound.example.com');
      publishAll(domain);
      await verify(domain.id);
      const enabled = (await client.post(`/domains/${domain.id}/inbound/enable`)).body.data;
      expect(enabled.inboundEnabledAt).to.be.a('string');
      expect(enabled.inboundDomainVerifiedAt).to.equal(null);
      expect(enabled.dnsRecords.inboundMx).to.include({
        name: 'inbound.example.com',
        type: 'MX',
        value: 'mail.everpost.test',
        priority: 10,
      });
      expect(enabled.dnsRecords.inboundMx.purpose).to.be.a('string');
      expect(await verify(domain.id)).to.include({ inboundDomainVerifiedAt: null });

      dns.publish(enabled.dnsRecords.inboundMx);
      const live = await verify(domain.id);
      expect(live.inboundDomainVerifiedAt).to.be.a('string');
      const again = (await client.post(`/domains/${domain.id}/inbound/enable`)).body.data;
      expect(again).to.include({
        inboundEnabledAt: enabled.inboundEnabledAt,
        inboundDomainVerifiedAt: live.inboundDomainVerifiedAt,
      });

      for (const _ of [1, 2]) {
        const disabled = (await client.post(`/domains/${domain.id}/inbound/disable`)).body.data;
        expect(disabled).to.include({
          inboundEnabledAt: null,
          inboundDomainVerifiedAt: null,
          verificationStatus: 'VERIFIED',
        });
        expect(disabled.dnsRecords).to.not.have.property('inboundMx');
      }
    });

    it('verified ones are checked again by themselves; the seeded demo domain never is', async () => {
      const { deps, own } = environment;
      const domain = await create('again.example.com');
      publishAll(domain);
      const verified = await verify(domain.id);
      dns.set(domain.dnsRecords.dmarc.name, 'TXT', []);
      const { modifiedCount } = await deps.db.domains.updateOne(
        { _id: new ObjectId(domain.id), projectId: own.project._id, recheckDueAt: { $exists: true } },
        { $set: { recheckDueAt: new Date() } },
      );
      expect(modifiedCount).to.equal(1);
      const rechecked = await until(
        () => get(domain.id),
        ({ lastCheckedAt }) => lastCheckedAt !== verified.lastCheckedAt,
        { ms: 40_000 },
      );
      expect(rechecked).to.include({ dmarcEnabled: false, verificationStatus: 'VERIFIED' });

      const seeded = await seedVerifiedDomain(deps, own.project, 'demo.example.com', new ObjectId());
      const asked = await client.post(`/domains/${seeded._id}/verify`);
      expect(asked.body.data).to.include({ verificationStatus: 'VERIFIED', verificationInProgress: false });
      const stored = await deps.db.domains.findOne({ _id: seeded._id, projectId: own.project._id });
      expect(stored).to.not.have.any.keys('recheckDueAt', 'startDueAt');
      expect(dns.queries.some((query) => query.includes('demo.example.com'))).to.equal(false);
    });

    it('a deleted project lets go of its names', async () => {
      const tenant = await environment.newTenant('Leaver');
      const theirs = await create('left.example.com', tenant.client);
      const mine = await create('left.example.com');
      dns.set(mine.dnsRecords.ownership.name, 'TXT', [
        theirs.dnsRecords.ownership.value,
        mine.dnsRecords.ownership.value,
      ]);
      dns.publish(theirs.dnsRecords.dkim, mine.dnsRecords.dkim);
      expect(await verify(theirs.id, tenant.client)).to.include({ verificationStatus: 'VERIFIED' });
      expect(await verify(mine.id)).to.include({ verificationStatus: 'PENDING' });
      await environment.client(tenant.adminKey).delete(`/account/projects/${tenant.project._id}`);
      expect(await verify(mine.id)).to.include({ verificationStatus: 'VERIFIED' });
    });

    it("the project's domain is its first verified one", async () => {
      const tenant = await environment.newTenant('Shown');
      const admin = environment.client(tenant.adminKey);
      const show = async () => (await admin.get(`/account/projects/${tenant.project._id}`)).body.data;
      const domain = await create('shown.example.com', tenant.client);
      expect((await show()).domain).to.equal(null);
      publishAll(domain);
      await verify(domain.id, tenant.client);
      expect((await show()).domain).to.equal('shown.example.com');
      expect(await show()).to.not.have.property('inboundEmailDomain');
    });
  });

  async function create(domainName: string, by = client) {
    return (await by.post('/domains', { domainName })).body.data;
  }

  async function get(id: string, by = client) {
    return (await by.get(`/domains/${id}`)).body.data;
  }

  function publishAll({ dnsRecords }: { dnsRecords: Record<string, DnsRecord | DnsRecord[]> }): void {
    dns.publish(...Object.values(dnsRecords).flat());
  }

  function result(id: string, by = client) {
    return until(
      () => get(id, by),
      ({ verificationInProgress }) => verificationInProgress === false,
      { ms: 40_000 },
    );
  }

  /** Calls verify and waits for its first result. */
  async function verify(id: string, by = client) {
    expect((await by.post(`/domains/${id}/verify`)).status).to.equal(200);
    return result(id, by);
  }
});
