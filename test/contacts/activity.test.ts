import { expect } from 'chai';
import { type Document, ObjectId } from 'mongodb';
import { parseId } from '../../core/base/ids.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import { countFacts } from '../../core/people/behaviour/count.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import { recomputeSegment, SETTLE_MS } from '../../core/people/lists/recompute.ts';
import { removeOld } from '../../core/retention.ts';
import { BROWSER, sentMessage } from '../feedback/support.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { profiled } from '../support/profile.ts';
import { segmentOf } from './support.ts';

const URL = 'https://shop.example.com/a';
const DAY_MS = 24 * 3_600_000;
type Entry = { at: string; type: string } & Record<'email' | 'event' | 'change' | 'suppression', Document | null>;

describe('Activity of a contact', function () {
  this.timeout(60_000);
  const environment = useEnvironment();
  let tenant: Tenant;
  before(async () => {
    tenant = await environment.newTenant('Activity');
    await tenant.client.post('/events', {
      eventName: 'bought',
      properties: [{ propertyName: 'price', type: 'number' }],
    });
  });

  const post = async (path: string, body: unknown) => {
    const reply = await tenant.client.post(path, body);
    if (!reply.body.success) throw new Error(`${path}: ${reply.text}`);
    return reply.body.data;
  };
  const contact = async (email: string, fields: object = {}): Promise<string> =>
    (await post('/contacts', { email, ...fields })).id;
  const page = async (id: string, query = ''): Promise<{ activity: Entry[]; next: string | null }> =>
    (await tenant.client.get(`/contacts/${id}/activity?${query}`)).body.data;
  const typesOf = async (id: string) => (await page(id, 'limit=100')).activity.map(({ type }) => type);
  const historyOf = (id: string) =>
    environment.deps.db.contactHistory.find({ projectId: tenant.project._id, contactId: new ObjectId(id) }).toArray();
  const mailTo = (id: string, fields = {}) =>
    sentMessage(environment, tenant, { contactId: new ObjectId(id), lane: 'automation', subject: 'Hello', ...fields });

  it('says what happened, newest first: created, changed, mailed, opened, clicked, suppressed, custom events', async () => {
    const { clock, deps } = environment;
    const list = (await post('/contact-lists', { name: 'L' })).id;
    const later = () => clock.advance(60_000);
    const id = await contact('all@example.com', { listIds: [list] });
    later();
    await tenant.client.patch(`/contacts/${id}`, { firstName: 'Ada', contactProperties: { plan: 'gold' } });
    later();
    await post(`/contact-lists/${list}/contacts/remove`, { emails: ['all@example.com'] });
    later();
    const at = () => deps.clock.now();
    const { _id: messageId, projectId } = await mailTo(id, { createdAt: at(), claimedAt: at(), sentAt: at() });
    later();
    const signal = { projectId, messageId, agent: BROWSER };
    await writeSignals(deps, [{ kind: 'open', ...signal, at: at(), purpose: '', method: 'GET' }]);
    later();
    await writeSignals(deps, [{ kind: 'click', ...signal, at: at(), url: URL }]);
    later();
    await post('/events/send', { eventName: 'bought', email: 'all@example.com', eventProperties: { price: 5 } });
    later();
    await post('/suppression-groups/emails/suppress', { emails: ['all@example.com'], isGlobal: true });
    const { activity, next } = await page(id);
    expect(next).to.equal(null);
    expect(activity.map(({ type }) => type)).to.deep.equal([
      ...['suppression.added', 'event', 'email.clicked', 'email.opened', 'email.sent', 'email.queued'],
      ...['contact.updated', 'contact.updated', 'contact.created'],
    ]);
    const [stopped, bought, clicked, opened, , , left, changed, created] = activity as [Entry, ...Entry[]];
    expect(stopped.suppression).to.include({ reason: 'MANUAL' });
    expect(bought?.event).to.deep.include({ eventName: 'bought', properties: { price: 5 } });
    const mail = { emailId: messageId.toHexString(), subject: 'Hello', campaignId: null, automationId: null };
    expect(clicked?.email).to.deep.equal({ ...mail, url: URL, automated: null, reason: null });
    expect(opened?.email).to.deep.equal({ ...mail, url: null, automated: false, reason: null });
    expect(left?.change).to.deep.include({ leftListIds: [list], fields: [] });
    expect(changed?.change?.fields).to.deep.equal([
      { field: 'firstName', from: null, to: 'Ada' },
      { field: 'contactProperties.plan', from: null, to: 'gold' },
    ]);
    expect(created?.change).to.deep.include({ joinedListIds: [list], importId: null });
  });

  it('page by page: each entry once and in order, also where many have the same time', async () => {
    const { deps } = environment;
    const projectId = tenant.project._id;
    const id = await contact('pages@example.com');
    const contactId = new ObjectId(id);
    const at = new Date(deps.clock.now().getTime() - 3_600_000);
    const sooner = new Date(at.getTime() - 1);
    const record = (createdAt: Date, index: number) => ({
      ...{ _id: new ObjectId(), projectId, contactId, eventName: 'bought', createdAt, properties: { index } },
    });
    await deps.db.events.insertMany(
      [at, sooner].flatMap((time) => Array.from({ length: 7 }, (_, i) => record(time, i))),
    );
    const change = (time: Date) => ({ _id: new ObjectId(), projectId, contactId, at: time, kind: 'updated' as const });
    await deps.db.contactHistory.insertMany([at, at, at, sooner, sooner].map(change));
    for (const sentAt of [at, at, sooner]) await mailTo(id, { createdAt: sentAt, claimedAt: sentAt, sentAt });
    const whole = (await page(id, 'limit=100')).activity;
    expect(whole).to.have.length(1 + 14 + 5 + 6);
    for (const limit of [1, 3, 7, 26]) {
      const found: Entry[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const one: Awaited<ReturnType<typeof page>> = await page(id, `limit=${limit}${next && `&before=${next}`}`);
        found.push(...one.activity);
        next = one.next;
      }
      expect(found, `${limit} a page`).to.deep.equal(whole);
    }
    const times = whole.map((entry) => Date.parse(entry.at));
    expect(times).to.deep.equal(times.toSorted((a, b) => b - a));
  });

  it('an import is named with the changes that it made', async () => {
    const known = await contact('known@example.com');
    const file = 'email,firstName\nknown@example.com,New\nfresh@example.com,Fresh\nknown@example.com,New\n';
    const reply = await tenant.client.send('POST', '/contacts/import', {
      body: file,
      headers: { 'Content-Type': 'text/csv' },
    });
    const { importId } = reply.body.data;
    await importSlice(
      environment.deps,
      { projectId: tenant.project._id, importId: parseId(importId) as ObjectId },
      { timeMs: 20_000 },
    );
    const { activity } = await page(known);
    expect(activity.map(({ type, change }) => [type, change?.importId])).to.deep.equal([
      ['contact.updated', importId],
      ['contact.created', null],
    ]);
    const fresh = (await tenant.client.get('/contacts?search=fresh@example.com')).body.data.contacts[0].id;
    expect((await page(fresh)).activity[0]?.change?.importId).to.equal(importId);
  });

  it('a call that changes nothing leaves no entry, and neither does a segment', async () => {
    const id = await contact('same@example.com', { firstName: 'Same' });
    await post('/contacts/email', { email: 'same@example.com', firstName: 'Same' });
    const { deps, clock } = environment;
    const segment = await post('/contact-lists', segmentOf('firstName', 'equals', 'Same'));
    clock.advance(SETTLE_MS);
    await recomputeSegment(deps, tenant.project._id, new ObjectId(segment.id as string), { timeMs: 5_000 });
    expect((await tenant.client.get(`/contacts/${id}`)).body.data.segmentIds).to.deep.equal([segment.id]);
    expect(await typesOf(id)).to.deep.equal(['contact.created']);
  });

  it('shows of a mail to several people what concerns this one, and no mail of another contact', async () => {
    const id = await contact('cc@example.com');
    const at = new Date(environment.deps.clock.now().getTime() - 60_000);
    const recipient = (email: string, kind: 'to' | 'cc') => {
      return { email, name: null, kind, state: 'sent' as const, reply: null, reason: null };
    };
    await sentMessage(environment, tenant, {
      lane: 'transactional',
      email: 'to@example.com',
      recipients: [recipient('to@example.com', 'to'), recipient('cc@example.com', 'cc')],
      timeline: [
        { type: 'delivered', at, email: 'to@example.com' },
        { type: 'delivered', at, email: 'cc@example.com' },
      ],
    });
    await sentMessage(environment, tenant, { contactId: new ObjectId(), email: 'cc@example.com' });
    expect(await typesOf(id)).to.deep.equal(['contact.created', 'email.delivered', 'email.sent', 'email.queued']);
  });

  it('of a deleted contact is 404, and its history is removed with its facts', async () => {
    const { deps } = environment;
    const projectId = tenant.project._id;
    const id = await contact('gone@example.com');
    const kept = await contact('kept@example.com');
    await tenant.client.delete(`/contacts/${id}`);
    expect((await tenant.client.get(`/contacts/${id}/activity`)).body.error.code).to.equal('CONTACT_NOT_FOUND');
    const [noted] = await deps.db.notedFacts.find({ projectId, goneIds: new ObjectId(id) }).toArray();
    await countFacts(deps, noted!);
    expect([(await historyOf(id)).length, (await historyOf(kept)).length]).to.deep.equal([0, 1]);
  });

  it('is kept as long as messages', async () => {
    const id = await contact('old@example.com');
    const { db, config, clock } = environment.deps;
    const [written] = await historyOf(id);
    const old = ObjectId.createFromTime(clock.now().getTime() / 1_000 - (config.retentionDays * DAY_MS) / 1_000 - 60);
    await db.contactHistory.insertOne({ ...written!, _id: old });
    await removeOld(environment.deps);
    expect((await historyOf(id)).map(({ _id }) => `${_id}`)).to.deep.equal([`${written?._id}`]);
  });

  it('another project gets 404, and a cursor of its own making is refused with its field', async () => {
    const id = await contact('tenancy@example.com');
    expect((await environment.own.client.get(`/contacts/${id}/activity`)).status).to.equal(404);
    for (const before of [
      'x',
      '1-9-000000000000000000000000',
      '99999999999999999-1-000000000000000000000000',
      '1-1-zz',
    ]) {
      const { status, body } = await tenant.client.get(`/contacts/${id}/activity?before=${before}`);
      expect([status, body.error.code, body.error.details.split(':')[0]]).to.deep.equal([
        400,
        'VALIDATION_ERROR',
        'before',
      ]);
    }
    expect((await page(id, 'before=999999999999999-0-000000000000000000000000')).activity).to.have.length(1);
  });

  it('reads each source by its index, and no more documents than the page needs', async () => {
    const { deps } = environment;
    const projectId = tenant.project._id;
    const id = await contact('plan@example.com');
    const contactId = new ObjectId(id);
    const at = (index: number) => new Date(deps.clock.now().getTime() - index * 1_000);
    await deps.db.events.insertMany(
      Array.from({ length: 300 }, (_, index) => ({
        ...{ _id: new ObjectId(), projectId, contactId, eventName: 'bought', properties: {}, createdAt: at(index) },
      })),
    );
    await deps.db.contactHistory.insertMany(
      Array.from({ length: 300 }, (_, index) => {
        return { _id: new ObjectId(), projectId, contactId, at: at(index), kind: 'updated' as const };
      }),
    );
    const { next } = await page(id, 'limit=100');
    const profile = await profiled(deps, () => page(id, `limit=20&before=${next}`));
    const read = profile.filter(({ ns }) => /\.(events|contactHistory|messages|suppressions)$/.test(ns));
    expect(read.length).to.equal(6);
    for (const { planSummary, docsExamined, hasSortStage, ns } of read) {
      expect(planSummary, ns).to.contain('IXSCAN');
      expect(hasSortStage, ns).to.not.equal(true);
      expect(docsExamined, ns).to.be.most(30);
    }
  });
});
