import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import PostalMime from 'postal-mime';
import { searchAttributes } from '../../../workflows/attributes/search-attributes.ts';
import { until } from '../../support/wait.ts';
import { isBalanced, SENDER, type Stage, startStage } from '../support.ts';

describe('A campaign that is sent at once', function () {
  this.timeout(120_000);
  let stage: Stage;
  before(async () => {
    stage = await startStage({ sinkOptions: { keepRaw: 2_000 } });
  });
  after(() => stage.stop());

  it('goes to exactly the right people, once each, with counts that add up', async () => {
    const [everyone, some, excluded] = [
      await stage.list(60),
      await stage.list(30, (i) => `u${i + 50}@example.org`),
      await stage.list(5),
    ];
    await stage.own.client.post('/suppression-groups/emails/suppress', {
      emails: ['u10@example.org', 'U11@Example.org'],
      isGlobal: true,
    });
    await stage.own.client.post('/contacts/email', { email: 'u20@example.org', firstName: 'Ada & <b>' });
    const created = await stage.create({
      publish: true,
      sendNow: true,
      toLists: [everyone, some],
      excludeLists: [excluded],
    });
    expect(created.status, created.text).to.equal(200);
    expect(created.body.data).to.include({ status: 'scheduled', sendNow: true, sendMode: 'immediate' });
    expect(Object.values(created.body.data.metrics).every((count) => count === 0)).to.equal(true);

    const sent = await stage.until(created.body.data.id, 'sent');
    // 60 and 30 with 10 in both, less 5.
    expect(sent.metrics).to.include({
      totalContacts: 75,
      suppressed: 2,
      sent: 73,
      delivered: 73,
      bounced: 0,
      failedCount: 0,
      unknown: 0,
      pending: 0,
      processedCount: 75,
    });
    expect(sent.sentAt).to.be.a('string');
    const arrived = stage.sink.ledger.messages.map(({ to }) => to[0]).sort();
    expect(new Set(arrived).size).to.equal(73);
    expect(arrived).to.have.length(73);
    expect(arrived).to.not.include('u10@example.org').and.not.include('u3@example.org');

    const raw = stage.sink.ledger.messages.find(({ to }) => to[0] === 'u20@example.org')?.raw ?? '';
    const mail = await PostalMime.parse(raw);
    expect(mail.subject).to.equal('News for Ada & <b>');
    expect(mail.from).to.include({ address: SENDER, name: 'News' });
    expect(mail.to?.map(({ address }) => address)).to.deep.equal(['u20@example.org']);
    expect(mail.html).to.contain('Hello Ada &amp; &lt;b&gt;').and.contain('/t/c/').and.contain('/t/o/');
    expect(mail.html).to.not.contain('shop.example.com');
    expect(mail.text).to.contain('Hello Ada & <b>').and.contain('https://shop.example.com/sale');
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value;
    expect(header('list-unsubscribe')).to.match(/^<http.*\/u\/.*>, <mailto:u\+/);
    expect(header('list-unsubscribe-post')).to.equal('List-Unsubscribe=One-Click');
    expect(raw.match(/^DKIM-Signature:/gim)).to.have.length(2);
  });

  it('returns analytics by the formulas, reconciles without differences, and says why a person got it or not', async () => {
    const list = await stage.list(4, (i) =>
      i === 0 ? 'perm-rcpt-550-5.1.1@example.org' : i === 1 ? 'after-dot-554-5.7.1@example.org' : `why${i}@example.org`,
    );
    await stage.own.client.post('/suppression-groups/emails/suppress', {
      emails: ['why2@example.org'],
      reason: 'UNSUBSCRIBE',
    });
    const id = await stage.launch({ toLists: [list] });
    const campaign = await stage.until(id, 'sent');
    expect(campaign.metrics).to.include({
      totalContacts: 4,
      suppressed: 1,
      failedCount: 1,
      sent: 2,
      bounced: 1,
      delivered: 1,
    });
    const { body } = await stage.own.client.get(`/campaigns/${id}/analytics`);
    expect(body.data.counts).to.include({
      totalContacts: 4,
      suppressed: 1,
      failed: 1,
      attempted: 2,
      sent: 2,
      delivered: 1,
      bounced: 1,
    });
    expect(body.data.rates).to.include({ bounceRate: 50, successRate: 100, deliveryRate: 50, openRate: 0 });
    expect(body.data.refreshedAt).to.be.a('string');
    const reconciled = (await stage.own.client.get(`/campaigns/${id}/reconcile`)).body.data;
    expect(reconciled).to.deep.include({ differences: [], isBalanced: true });

    const recipients = (await stage.own.client.get(`/campaigns/${id}/recipients?limit=10`)).body.data;
    expect(recipients.pagination.total).to.equal(4);
    const why = async (email: string) => {
      const { contactId } = recipients.recipients.find((one: { email: string }) => one.email === email);
      return (await stage.own.client.get(`/campaigns/${id}/recipients/${contactId}`)).body.data.reason;
    };
    expect(await why('why2@example.org'))
      .to.contain('suppressed in group')
      .and.contain('UNSUBSCRIBE');
    expect(await why('why3@example.org'))
      .to.contain('In the audience through list')
      .and.contain('The relay took it. The relay said: 250');
    expect(await why('perm-rcpt-550-5.1.1@example.org'))
      .to.contain('It bounced')
      .and.contain('550');
    const onlyBounced = await stage.own.client.get(`/campaigns/${id}/recipients?status=bounced`);
    expect(onlyBounced.body.data.pagination.total).to.equal(1);
    // A hard bounce suppresses.
    expect(
      await stage.environment.deps.db.suppressions.countDocuments({
        email: 'perm-rcpt-550-5.1.1@example.org',
        isGlobal: true,
      }),
    ).to.equal(1);
  });

  it('tracks links of up to 5,000 bytes, also where they are only known for each recipient', async () => {
    const long = (bytes: number, name: string) =>
      `https://shop.example.com/?${name}=${'a'.repeat(bytes - 27 - name.length)}`;
    const htmls = [
      `<a href="${long(5_000, 'x')}">1</a><a href="${long(5_001, 'y')}">2</a>`,
      `<a href="${long(4_992, 'x')}{{firstName}}">1</a><a href="${long(4_993, 'y')}{{firstName}}">2</a>`,
    ];
    for (const [index, htmlTemplate] of htmls.entries()) {
      const email = `long-links-${index}-${Date.now()}@example.org`;
      const list = await stage.list(1, () => email);
      await stage.own.client.post('/contacts/email', { email, firstName: 'eightltr' });
      await stage.until(await stage.launch({ toLists: [list], htmlTemplate }), 'sent');
      const { html } = await PostalMime.parse(stage.sink.ledger.messages.find(({ to }) => to[0] === email)?.raw ?? '');
      expect(html, htmlTemplate.slice(-60)).to.contain('/t/c/').and.contain('?y=');
      expect(html).to.not.contain('?x=');
    }
  });

  it('waits for a segment that is being computed, says so, and starts when it is done', async () => {
    const name = new ObjectId().toHexString();
    const list = await stage.list(3, (i) => `${name}-${i}@example.org`);
    const projectId = stage.own.project._id;
    const _id = new ObjectId();
    // Without a due date no worker computes it; a call would have to make one of some 100,000 contacts.
    const recompute = { generation: 1, status: 'running', cursor: null, processed: 0, total: 3 } as const;
    const times = { requestedAt: new Date(), completedAt: null };
    const dates = { createdAt: new Date(), updatedAt: new Date() };
    await stage.deps.db.contactLists.insertOne({
      ...{ _id, projectId, name, description: '', type: 'segment', filterCriteria: {}, ...dates },
      recompute: { ...recompute, ...times },
    });
    const contact = { projectId, email: `${name}-1@example.org` };
    await stage.deps.db.contacts.updateOne(contact, { $set: { segmentIds: [_id] } });
    const id = await stage.launch({ toLists: [list], excludeLists: [_id.toHexString()] });
    const handle = await stage.run(id);
    await until(
      () => handle.query<{ summary: string } | null>('state').catch(() => null),
      (step) => step?.summary.includes(name) ?? false,
    );
    const progress = await stage.progress(id);
    expect(progress.status).to.equal('scheduled');
    expect(progress.waitingFor).to.deep.equal([
      { id: _id.toHexString(), name, type: 'segment', processed: 0, total: 3 },
    ]);
    await stage.deps.db.contactLists.updateOne({ _id, projectId }, { $set: { 'recompute.status': 'completed' } });
    expect((await stage.until(id, 'sent')).metrics).to.include({ totalContacts: 2, sent: 2 });
    expect((await stage.arrived(id)).has(`${name}-1@example.org`)).to.equal(false);
  });

  it('fails with the reason when nothing could be sent at all', async () => {
    const empty = await stage.list(0);
    const failed = await stage.until(await stage.launch({ toLists: [empty] }), 'failed');
    expect(failed.failureReason).to.contain('Nobody is in the audience');
  });

  it('waits for its time, and can be moved and aborted before it', async () => {
    const list = await stage.list(1, () => 'later@example.org');
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await stage.create({ publish: true, scheduledAt, toLists: [list] });
    expect(body.data).to.include({ status: 'scheduled', sendMode: 'scheduled', scheduledAt });
    await stage.own.client.patch(`/campaigns/${body.data.id}`, {
      scheduledAt: new Date(Date.now() + 300).toISOString(),
    });
    expect((await stage.until(body.data.id, 'sent')).metrics.sent).to.equal(1);

    const second = (await stage.create({ publish: true, scheduledAt, toLists: [list] })).body.data.id;
    const aborted = await stage.own.client.post(`/campaigns/${second}/abort`);
    expect(aborted.body.data).to.deep.include({
      status: 'aborted',
      progress: { sent: 0, inFlight: 0, remaining: 0, nextAt: null },
    });
    const again = await stage.own.client.post(`/campaigns/${second}/resume`);
    expect([again.status, again.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
  });

  it('pauses with an answer after which nothing leaves, and resumes from there; the run shows it', async () => {
    stage.sink.modes.ackDelayMs = 100;
    const list = await stage.list(600, (i) => `pause${i}@example.org`);
    const id = await stage.launch({ toLists: [list] });
    await stage.untilSent(id, 60);
    const begun = performance.now();
    const paused = await stage.act(id, 'pause');
    const arrivedAtAnswer = (await stage.arrived(id)).size;
    expect(performance.now() - begun, 'not the half minute that it waits at most').to.be.below(25_000);
    expect(paused.body.data.progress).to.include({
      inFlight: 0,
      sent: arrivedAtAnswer,
      remaining: 600 - arrivedAtAnswer,
    });
    const handle = await stage.run(id);
    await until(
      async () => (await handle.describe()).typedSearchAttributes.get(searchAttributes.State),
      (status) => status === 'paused',
    );
    expect((await stage.arrived(id)).size).to.equal(arrivedAtAnswer);
    stage.sink.modes.ackDelayMs = 0;
    expect((await stage.act(id, 'resume')).body.data.status).to.equal('sending');
    expect((await stage.until(id, 'sent')).metrics).to.include({ totalContacts: 600, sent: 600 });
    const arrived = await stage.arrived(id);
    expect([arrived.size, Math.max(...arrived.values())]).to.deep.equal([600, 1]);
    expect(await handle.result()).to.deep.equal({ status: 'sent' });
  });

  it('shows its progress as server-sent events until it is over', async () => {
    const list = await stage.list(100, (i) => `events${i}@example.org`);
    const id = await stage.launch({ toLists: [list] });
    const headers = { Authorization: `Bearer ${stage.own.projectKey}` };
    const response = await fetch(`${stage.environment.url}/v1/campaigns/${id}/events`, { headers });
    expect(response.headers.get('content-type')).to.contain('text/event-stream');
    const events = (await response.text()).split('\n\n').filter((event) => event.includes('data:'));
    const looks = events.map((event) => JSON.parse(/^data: ?(.*)$/m.exec(event)?.[1] ?? '{}'));
    expect(looks.every(isBalanced)).to.equal(true);
    expect(looks.at(-1)).to.include({ status: 'sent', sent: 100, percent: 100, pending: 0 });
  });

  it('goes to a few people for a look, outside its audience and its counts', async () => {
    const htmlTemplate = '<a href="{{unsubscribe}}">Leave</a> <a href="{{preferencesUrl}}">Choose</a>';
    const { body } = await stage.create({ toLists: [], htmlTemplate });
    const test = await stage.act(body.data.id, 'test', {
      emails: ['look@example.org', 'Look@example.org', 'two@example.org'],
    });
    expect(test.body.data).to.include({ totalRecipients: 2 });
    const mails = await until(
      async () =>
        stage.sink.ledger.messages.filter(({ to }) => ['look@example.org', 'two@example.org'].includes(to[0] ?? '')),
      (found) => found.length === 2,
    );
    expect(mails[0]?.raw).to.contain('Subject: [Test] News for');
    // Its links unsubscribe no reader.
    const raw = mails[0]?.raw ?? '';
    expect(raw).to.not.match(/^List-Unsubscribe/m);
    const links = [...raw.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links.map((link) => new URL(link).pathname)).to.deep.equal(['/u/test', '/p/test']);
    for (const path of ['/u/test', '/p/test']) {
      const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
      const left = await fetch(`${stage.environment.url}${path}`, { ...form, body: 'List-Unsubscribe=One-Click' });
      expect(left.status, path).to.be.within(400, 499);
    }
    const { client } = stage.own;
    const { entries } = (await client.post('/suppression-groups/entries', { search: 'look@example.org' })).body.data;
    expect(entries).to.deep.equal([]);
    expect(await stage.get(body.data.id)).to.include({ status: 'draft' });
    expect((await stage.act(body.data.id, 'test', { emails: [] })).status).to.equal(400);
    expect((await stage.act(body.data.id, 'test', { emails: ['nobody'] })).status).to.equal(400);
  });
});
