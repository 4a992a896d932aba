import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { announceKeptEvents } from '../../../core/automations/events/kept.ts';
import { clickToken, openToken } from '../../../core/mail/compose/tokens.ts';
import { applyReports } from '../../../core/mail/feedback/bounces.ts';
import type { DeliveryReport } from '../../../core/mail/feedback/delivery-reports/dsn.ts';
import { writeSignals } from '../../../core/mail/feedback/engagements.ts';
import { announceKeptActs } from '../../../core/mail/feedback/kept-acts.ts';
import { recomputeOpens } from '../../../core/mail/feedback/recompute-opens.ts';
import { countFacts } from '../../../core/people/behaviour/count.ts';
import { passWindows } from '../../../core/people/behaviour/passing.ts';
import { recomputeSegment, SETTLE_MS } from '../../../core/people/lists/recompute.ts';
import { removeOld } from '../../../core/retention.ts';
import { type Stage, startStage } from '../../campaigns/support.ts';
import { BROWSER, sentMessage } from '../../feedback/support.ts';
import type { Tenant } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { expectCountsRight } from '../support.ts';

const DAY_MS = 86_400_000;
const RETENTION_DAYS = 60;
/** Seconds, on a busy machine. */
const SECONDS_MAX = 25_000;

describe('Segments by behaviour', function () {
  this.timeout(120_000);
  let stage: Stage;
  before(async () => {
    stage = await startStage({ env: { RETENTION_DAYS: String(RETENTION_DAYS), AUTOMATED_OPEN_SECONDS: '0' } });
  });
  after(() => stage.stop());

  const atLeast = (behaviour: string, more: object = {}) => ({ behaviour, operator: 'at_least', ...more });
  const never = (behaviour: string, more: object = {}) => ({ behaviour, operator: 'never', ...more });

  async function segment({ client }: Tenant, ...groups: object[]): Promise<string> {
    const reply = await client.post('/contact-lists', { name: 'S', filterCriteria: { groups } });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.data.id;
  }
  const contact = async ({ client }: Tenant, email: string, more: object = {}): Promise<string> =>
    (await client.post('/contacts', { email, ...more })).body.data.id;
  const segmentsOf = async ({ client }: Tenant, id: string): Promise<string[]> =>
    (await client.get(`/contacts/${id}`)).body.data.segmentIds;
  const countOf = async ({ client }: Tenant, id: string): Promise<number> =>
    (await client.get(`/contact-lists/${id}`)).body.data.contactCount;
  const mailTo = (tenant: Tenant, contactId: string, more: object = {}) =>
    sentMessage(stage.environment, tenant, { contactId: new ObjectId(contactId), ...more });
  const joins = (tenant: Tenant, contactId: string, ...ids: string[]) =>
    until(
      () => segmentsOf(tenant, contactId),
      (found) => ids.every((id) => found.includes(id)),
      { ms: SECONDS_MAX },
    );
  const leaves = (tenant: Tenant, contactId: string, id: string) =>
    until(
      () => segmentsOf(tenant, contactId),
      (found) => !found.includes(id),
      { ms: SECONDS_MAX },
    );
  /** As a mail program asks. */
  const visit = (path: string) =>
    fetch(`${stage.environment.url}${path}`, { redirect: 'manual', headers: { 'User-Agent': BROWSER } });

  it('follow mail of a campaign that is received, and mail that bounces later', async () => {
    const { own, deps, sink } = stage;
    const list = await stage.list(3, (index) => `received${index}@example.com`);
    const received = await segment(own, atLeast('received', { withinDays: 7 }));
    const never7 = await segment(own, never('received', { withinDays: 7 }));
    const [before, quiet] = [await countOf(own, received), await countOf(own, never7)];
    const campaignId = await stage.launch({ toLists: [list] });
    await stage.until(campaignId, 'sent');
    await until(
      () => countOf(own, received),
      (count) => count === before + 3,
      { ms: SECONDS_MAX },
    );
    expect(await countOf(own, never7)).to.equal(quiet - 3);
    const ofCampaign = await segment(own, atLeast('received', { campaignId }));
    expect(await countOf(own, ofCampaign)).to.equal(3);
    expect(sink.ledger.total).to.be.at.least(3);
    const [message] = await stage.messages(campaignId);
    const report = { action: 'failed', recipient: message!.email, code: 550, enhanced: '5.1.1', text: 'unknown' };
    await applyReports(deps, { projectId: own.project._id, messageId: message!._id }, [report as DeliveryReport]);
    await leaves(own, message!.contactId!.toHexString(), ofCampaign);
    expect([await countOf(own, ofCampaign), await countOf(own, never7)]).to.deep.equal([2, quiet - 2]);
    await expectCountsRight(stage.environment, own);
  });

  it('follow an open and a click of a mail within seconds, and count a repeat once', async () => {
    const { own, deps } = stage;
    const opened = await segment(own, atLeast('humanOpened', { withinDays: 30 }));
    const twice = await segment(own, atLeast('opened', { count: 2 }));
    const clicked = await segment(own, atLeast('clicked', { url: 'https://shop.example.com/sale' }));
    const other = await segment(own, atLeast('clicked', { url: 'https://shop.example.com/other' }));
    const none = await segment(own, never('opened'));
    const id = await contact(own, 'acts@example.com');
    const before = await segmentsOf(own, id);
    expect(before).to.include(none).and.to.not.include.members([opened]);
    const { _id: messageId, projectId } = await mailTo(own, id);
    const ref = { projectId, messageId };
    for (let time = 0; time < 3; time += 1) await visit(`/t/o/${openToken(deps.config, ref)}.gif`);
    await visit(`/t/c/${clickToken(deps.config, ref, 'https://shop.example.com/sale?utm_source=news')}`);
    await joins(own, id, opened, clicked);
    const found = await segmentsOf(own, id);
    expect(found).to.not.include.members([twice]).and.to.not.include.members([other]);
    expect(found).to.not.include(none);
    const second = await mailTo(own, id);
    await visit(`/t/o/${openToken(deps.config, { projectId, messageId: second._id })}.gif`);
    await joins(own, id, twice);
    await expectCountsRight(stage.environment, own);
  });

  it('follow custom events and their properties; the same request twice is one event', async () => {
    const { own } = stage;
    const { client } = own;
    const properties = [{ propertyName: 'amount', type: 'number' }];
    await client.post('/events', { eventName: 'order', properties });
    const large = { amount: { operator: 'greater_than', value: 50 } };
    const twice = await segment(own, atLeast('event', { eventName: 'order', count: 2 }));
    const big = await segment(own, atLeast('event', { eventName: 'order', properties: large, withinDays: 3 }));
    const id = await contact(own, 'buyer@example.com');
    const buy = (amount: number, key: string) =>
      client.send('POST', '/events/send', {
        body: JSON.stringify({ eventName: 'order', contactId: id, eventProperties: { amount } }),
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      });
    expect((await buy(60, 'one')).status).to.equal(201);
    await buy(60, 'one');
    await joins(own, id, big);
    expect(await segmentsOf(own, id)).to.not.include(twice);
    await buy(10, 'two');
    await joins(own, id, twice);
    await expectCountsRight(stage.environment, own);
  });

  it('follow a window that passes, and none passes early', async () => {
    const { own, deps, environment } = stage;
    const tenant = await environment.newTenant('Passing');
    const [recent, quiet, fresh] = [
      await segment(tenant, atLeast('opened', { withinDays: 7 })),
      await segment(tenant, never('opened', { withinDays: 7 })),
      await segment(tenant, { field: 'createdAt', operator: 'in_last_days', value: 3 }),
    ];
    const id = await contact(tenant, 'passing@example.com');
    const { _id: messageId, projectId } = await mailTo(tenant, id);
    await visit(`/t/o/${openToken(deps.config, { projectId, messageId })}.gif`);
    await leaves(tenant, id, quiet);
    expect((await segmentsOf(tenant, id)).toSorted()).to.deep.equal([recent, fresh].toSorted());
    environment.clock.advance(3 * DAY_MS + 20_000);
    await leaves(tenant, id, fresh);
    expect(await segmentsOf(tenant, id)).to.deep.equal([recent]);
    environment.clock.advance(4 * DAY_MS - 60_000);
    expect(await passWindows(deps, projectId, 1_000)).to.equal(0);
    environment.clock.advance(120_000);
    await joins(tenant, id, quiet);
    expect(await segmentsOf(tenant, id)).to.deep.equal([quiet]);
    expect(await deps.db.contacts.findOne({ _id: new ObjectId(id) })).to.not.have.property('windowDueAt');
    await expectCountsRight(environment, tenant);
    expect(own).to.not.equal(tenant);
  });

  it('take the contacts of a past that was there before them, and follow windows of those who do not match yet', async () => {
    const { deps, environment } = stage;
    const tenant = await environment.newTenant('Past');
    const id = await contact(tenant, 'past@example.com');
    const { _id: messageId, projectId } = await mailTo(tenant, id);
    const at = new Date(environment.clock.now().getTime() - 5 * DAY_MS);
    await writeSignals(deps, [
      { kind: 'click', projectId, messageId, at, url: 'https://example.com/', agent: BROWSER },
    ]);
    await until(
      () => deps.db.contactFacts.countDocuments({ projectId }),
      (count) => count === 1,
    );
    const quiet = await segment(tenant, never('clicked', { withinDays: 6 }));
    expect(await countOf(tenant, quiet)).to.equal(0);
    // The second pass is over, so that the window alone brings the contact in.
    environment.clock.advance(SETTLE_MS);
    const { status } = await recomputeSegment(deps, projectId, new ObjectId(quiet), { timeMs: 5_000 });
    expect([status, await countOf(tenant, quiet)]).to.deep.equal(['completed', 0]);
    environment.clock.advance(DAY_MS + 20_000);
    await joins(tenant, id, quiet);
    expect(await countOf(tenant, await segment(tenant, atLeast('clicked', { withinDays: 8 })))).to.equal(1);
    await expectCountsRight(environment, tenant);
  });

  it('count an act at its earliest time, in whatever order the times come', async () => {
    const { deps, environment } = stage;
    const tenant = await environment.newTenant('Order');
    const recent = await segment(tenant, atLeast('opened', { withinDays: 7 }));
    const id = await contact(tenant, 'order@example.com');
    const { _id: messageId, projectId } = await mailTo(tenant, id);
    const open = (days: number) => {
      const at = new Date(environment.clock.now().getTime() - days * DAY_MS);
      return writeSignals(deps, [
        { kind: 'open', projectId, messageId, at, agent: BROWSER, purpose: '', method: 'GET' },
      ]);
    };
    await open(2);
    await joins(tenant, id, recent);
    await open(9);
    await leaves(tenant, id, recent);
    await open(1);
    await until(
      () => deps.db.notedFacts.countDocuments({ projectId }),
      (count) => count === 0,
    );
    expect(await countOf(tenant, recent)).to.equal(0);
  });

  it('say how far they look back, and refuse a longer window without writing anything', async () => {
    const { own } = stage;
    const id = await segment(own, { logicalOperator: 'OR', groups: [never('opened')] });
    const { data } = (await own.client.get(`/contact-lists/${id}`)).body;
    expect(data).to.deep.include({ looksBackDays: RETENTION_DAYS });
    expect(data.filterCriteria).to.deep.equal({
      logicalOperator: 'AND',
      groups: [{ logicalOperator: 'OR', groups: [never('opened')] }],
    });
    const before = (await own.client.get('/contact-lists?type=segment')).body.data.pagination.total;
    const filterCriteria = { groups: [never('opened', { withinDays: RETENTION_DAYS + 1 })] };
    for (const reply of [
      await own.client.post('/contact-lists', { name: 'Long', filterCriteria }),
      await own.client.patch(`/contact-lists/${id}`, { filterCriteria }),
      await own.client.post('/contact-lists/preview', { filterCriteria }),
    ]) {
      expect(reply.status).to.equal(400);
      expect(reply.body.error.details).to.match(/^filterCriteria\/groups\/0\/withinDays: must be at most 60/);
    }
    expect((await own.client.get('/contact-lists?type=segment')).body.data.pagination.total).to.equal(before);
    expect((await own.client.get(`/contact-lists/${id}`)).body.data).to.deep.equal(data);
    const plain = await segment(own, { field: 'email', operator: 'contains', value: 'x' });
    expect((await own.client.get(`/contact-lists/${plain}`)).body.data.looksBackDays).to.equal(null);
  });

  it('of other projects never count the mail of a contact', async () => {
    const { own, deps, environment } = stage;
    const theirs = await segment(environment.other, atLeast('opened'));
    const id = await contact(own, 'tenant@example.com');
    const foreign = await contact(environment.other, 'tenant@example.com');
    const { _id: messageId, projectId } = await mailTo(own, id);
    await visit(`/t/o/${openToken(deps.config, { projectId, messageId })}.gif`);
    await until(
      () => deps.db.contactFacts.countDocuments({ projectId, contactId: new ObjectId(id) }),
      (count) => count === 2,
    );
    expect(await segmentsOf(environment.other, foreign)).to.deep.equal([]);
    expect(await countOf(environment.other, theirs)).to.equal(0);
  });

  it('stay right when contacts change while facts are counted', async () => {
    const { deps, environment } = stage;
    const tenant = await environment.newTenant('Race');
    const both = await segment(tenant, atLeast('opened'), { field: 'firstName', operator: 'equals', value: 'Yes' });
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, index) => contact(tenant, `race${index}@example.com`)),
    );
    const mails = await Promise.all(ids.map((id) => mailTo(tenant, id)));
    await Promise.all([
      ...mails.map(({ _id: messageId, projectId }) =>
        visit(`/t/o/${openToken(deps.config, { projectId, messageId })}.gif`),
      ),
      ...ids.map((id) => tenant.client.patch(`/contacts/${id}`, { firstName: 'Yes' })),
    ]);
    await until(
      () => countOf(tenant, both),
      (count) => count === ids.length,
      { ms: SECONDS_MAX },
    );
    await expectCountsRight(environment, tenant);
  });

  it('start automations for those who join', async () => {
    const { deps, environment } = stage;
    const tenant = await environment.newTenant('Entrance');
    const list = await segment(tenant, atLeast('clicked'));
    const made = await tenant.client.post('/automations', {
      ...{ name: 'Clicked', entryCriteria: { type: 'contact_added_to_list', listId: list } },
      steps: [
        { type: 'wait', delay: { value: 1, unit: 'days' } },
        { type: 'email', email: { htmlTemplate: '<p>x</p>', subject: 'x' } },
      ],
    });
    const { id: automationId } = made.body.data;
    await deps.db.automations.updateOne({ _id: new ObjectId(automationId) }, { $set: { status: 'active' } });
    await deps.db.projects.updateOne({ _id: tenant.project._id }, { $inc: { audienceVersion: 1 } });
    const id = await contact(tenant, 'entrance@example.com');
    const { _id: messageId, projectId } = await mailTo(tenant, id);
    await visit(`/t/c/${clickToken(deps.config, { projectId, messageId }, 'https://example.com/')}`);
    await until(
      () =>
        deps.db.enrollments.countDocuments({ automationId: new ObjectId(automationId), contactId: new ObjectId(id) }),
      (count) => count === 1,
      { ms: SECONDS_MAX },
    );
  });

  it('know the opens, clicks and events of before they were noted, once the operator has them counted again', async () => {
    const { deps, environment } = stage;
    const tenant = await environment.newTenant('Before');
    const projectId = tenant.project._id;
    await tenant.client.post('/events', { eventName: 'order', properties: [] });
    const id = await contact(tenant, 'before@example.com');
    const { _id: messageId } = await mailTo(tenant, id);
    await visit(`/t/o/${openToken(deps.config, { projectId, messageId })}.gif`);
    await visit(`/t/c/${clickToken(deps.config, { projectId, messageId }, 'https://example.com/')}`);
    await tenant.client.post('/events/send', { eventName: 'order', contactId: id });
    const facts = () => deps.db.contactFacts.find({ projectId }).sort({ _id: 1 }).toArray();
    const noted = await until(facts, ({ length }) => length === 4);
    // Contacts hear of an act before it is kept.
    const kept = { _id: messageId, projectId, humanOpenedAt: { $exists: true }, clickedAt: { $exists: true } };
    await until(
      () => deps.db.engagements.countDocuments(kept),
      (count) => count === 1,
    );
    await deps.db.contactFacts.deleteMany({ projectId });
    const all = await segment(
      tenant,
      atLeast('humanOpened'),
      atLeast('clicked'),
      atLeast('event', { eventName: 'order' }),
    );
    expect(await countOf(tenant, all)).to.equal(0);
    expect(await announceKeptActs(deps, tenant.project)).to.equal(3);
    expect(await announceKeptEvents(deps, tenant.project)).to.equal(1);
    await joins(tenant, id, all);
    expect(await until(facts, ({ length }) => length === 4)).to.deep.equal(noted);
    await announceKeptActs(deps, tenant.project);
    await until(
      () => deps.db.notedFacts.countDocuments({ projectId }),
      (count) => count === 0,
    );
    expect(await facts()).to.deep.equal(noted);
  });

  describe('keep facts', () => {
    it('no longer than their contact: a deletion removes them, and what is noted later is not kept', async () => {
      const { deps, environment } = stage;
      const tenant = await environment.newTenant('Gone');
      const projectId = tenant.project._id;
      const id = await contact(tenant, 'gone@example.com');
      const { _id: messageId } = await mailTo(tenant, id);
      const ref = { projectId, messageId };
      await visit(`/t/o/${openToken(deps.config, ref)}.gif`);
      await until(
        () => deps.db.contactFacts.countDocuments({ projectId }),
        (count) => count === 2,
      );
      await tenant.client.delete(`/contacts/${id}`);
      const [noted] = await deps.db.notedFacts.find({ projectId, goneIds: { $exists: true } }).toArray();
      expect(noted!.dueAt!.getTime()).to.be.above(environment.clock.now().getTime());
      await countFacts(deps, noted!);
      expect(await deps.db.contactFacts.countDocuments({ projectId })).to.equal(0);
      await visit(`/t/c/${clickToken(deps.config, ref, 'https://example.com/')}`);
      await until(
        () => deps.db.engagements.countDocuments({ _id: messageId, projectId, clickedAt: { $exists: true } }),
        (count) => count === 1,
      );
      await until(
        () => deps.db.notedFacts.countDocuments({ projectId, facts: { $exists: true } }),
        (count) => count === 0,
      );
      expect(await deps.db.contactFacts.countDocuments({ projectId })).to.equal(0);
    });

    it('as long as messages', async () => {
      const { deps, environment } = stage;
      const tenant = await environment.newTenant('Old');
      const projectId = tenant.project._id;
      const id = await contact(tenant, 'old@example.com');
      const nowMs = environment.clock.now().getTime();
      for (const days of [RETENTION_DAYS + 1, RETENTION_DAYS - 1]) {
        const at = new Date(nowMs - days * DAY_MS);
        const _id = ObjectId.createFromTime(Math.floor(at.getTime() / 1_000));
        const contactId = new ObjectId(id);
        await deps.db.contactFacts.insertOne({ _id, projectId, contactId, kind: 'opened', at });
      }
      await removeOld(deps);
      const left = await deps.db.contactFacts.find({ projectId }).toArray();
      expect(left.map(({ at }) => Math.round((nowMs - at.getTime()) / DAY_MS))).to.deep.equal([RETENTION_DAYS - 1]);
    });

    it('of opens as they are judged now', async () => {
      const { deps, environment } = stage;
      const tenant = await environment.newTenant('Judged');
      const human = await segment(tenant, atLeast('humanOpened'));
      const id = await contact(tenant, 'judged@example.com');
      const { _id: messageId, projectId } = await mailTo(tenant, id);
      await visit(`/t/o/${openToken(deps.config, { projectId, messageId })}.gif`);
      await joins(tenant, id, human);
      // Contacts hear of an open before it is kept.
      await until(
        () => deps.db.engagements.countDocuments({ _id: messageId, projectId }),
        (count) => count === 1,
      );
      // Evidence of a machine, as new rules would find it.
      await deps.db.engagements.updateOne({ _id: messageId, projectId }, { $set: { 'opens.0.agent': 'curl/8' } });
      expect((await recomputeOpens(deps, { projectId })).changed).to.equal(1);
      await leaves(tenant, id, human);
      await deps.db.engagements.updateOne({ _id: messageId, projectId }, { $set: { 'opens.0.agent': BROWSER } });
      await recomputeOpens(deps, { projectId });
      await joins(tenant, id, human);
      await expectCountsRight(environment, tenant);
    });
  });
});
