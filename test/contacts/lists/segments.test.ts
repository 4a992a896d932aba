import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { parseId } from '../../../core/base/ids.ts';
import { recomputeSegment, SETTLE_MS } from '../../../core/people/lists/recompute.ts';
import { startWorkers, type Workers } from '../../../workers/start.ts';
import { type Tenant, useEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { addresses, expectCountsRight, postUntilTaken, segmentOf } from '../support.ts';

describe('Segments', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  before(() => {
    tenant = environment.own;
  });

  const create = (body: object) => tenant.client.post('/contact-lists', body);
  const upsert = async (body: object) => (await tenant.client.post('/contacts/email', body)).body.data;
  const listOf = async (id: string) => (await tenant.client.get(`/contact-lists/${id}`)).body.data;

  it('take those who are there when they are created, and answer their filter with every type said', async () => {
    for (const [index, email] of addresses(6, 'there').entries())
      await upsert({ email, contactProperties: { score: index } });
    await tenant.client.post('/custom-fields', { fieldName: 'score', fieldType: 'number' });
    const created = await create({
      name: 'High',
      type: 'segment',
      filterCriteria: { conditions: [{ field: 'customFields.score', operator: 'greater_than', value: '2' }] },
    });
    expect(created.status).to.equal(201);
    expect(created.body.data).to.deep.include({ name: 'High', type: 'segment', contactCount: 3 });
    expect(created.body.data.filterCriteria).to.deep.equal({
      logicalOperator: 'AND',
      groups: [{ field: 'customFields.score', operator: 'greater_than', value: '2', fieldType: 'number' }],
    });
    expect(created.body.data.recompute).to.include({ status: 'completed', percent: 100, processed: 6, total: 6 });
    const { id } = created.body.data;
    const found = await tenant.client.post('/contact-lists/contacts/search', { contactListId: id });
    expect(found.body.data.contacts.map(({ email }: { email: string }) => email)).to.deep.equal([
      'there3@example.com',
      'there4@example.com',
      'there5@example.com',
    ]);
  });

  it('are not written over by a call that names another updatedAt than theirs', async () => {
    const { id, updatedAt } = (await create(segmentOf('firstName', 'equals', 'Seen'))).body.data;
    const path = `/contact-lists/${id}`;
    const { filterCriteria } = segmentOf('firstName', 'equals', 'Later');
    const changed = (await tenant.client.patch(path, { filterCriteria, updatedAt })).body.data;
    expect(changed.updatedAt).not.to.equal(updatedAt);
    for (const change of [
      { ...segmentOf('firstName', 'equals', 'Lost'), updatedAt },
      { name: 'Lost', updatedAt },
    ]) {
      const { status, body } = await tenant.client.patch(path, change);
      expect([status, body.error.code, body.error.details]).to.deep.equal([
        409,
        'INVALID_STATE',
        `updatedAt: is ${changed.updatedAt}`,
      ]);
    }
    expect(await listOf(id)).to.deep.equal(changed);
    expect((await tenant.client.patch(path, { name: 'Last' })).body.data.name).to.equal('Last');
  });

  it('segmentIds are right at the answer of every kind of change', async () => {
    const { id } = (await create(segmentOf('firstName', 'equals', 'Member'))).body.data;
    const list = (await create({ name: 'L' })).body.data.id;
    const isIn = async (email: string) =>
      (await tenant.client.post('/contacts/search/emails', [email])).body.data.contacts[0]?.segmentIds.includes(id);
    const contact = await upsert({ email: 'kinds@example.com', firstName: 'member' });
    expect(contact.segmentIds).to.include(id);
    expect((await upsert({ email: 'kinds@example.com', firstName: 'Other' })).segmentIds).to.not.include(id);
    const patched = await tenant.client.patch(`/contacts/${contact.id}`, { firstName: 'MEMBER' });
    expect(patched.body.data.segmentIds).to.include(id);
    await tenant.client.post('/contacts/bulk-update', { contacts: [{ email: 'kinds@example.com', firstName: '' }] });
    expect(await isIn('kinds@example.com')).to.equal(false);
    const added = { contactListId: list, emails: ['bulk@example.com'] };
    const negative = (await create(segmentOf('firstName', 'not_equals', 'Member'))).body.data.id;
    const { contacts } = (await tenant.client.post('/contact-lists/contacts/bulk-add', added)).body.data;
    expect(contacts[0].segmentIds).to.include(negative).and.not.include(id);
    await expectCountsRight(environment, tenant);
  });

  it('an edited filter is held against everybody again', async () => {
    for (const email of addresses(4, 'edit')) await upsert({ email, lastName: email.slice(0, 5) });
    const { id } = (await create(segmentOf('lastName', 'equals', 'edit1'))).body.data;
    expect((await listOf(id)).contactCount).to.equal(1);
    const { filterCriteria } = segmentOf('lastName', 'starts_with', 'EDIT');
    const edited = await tenant.client.patch(`/contact-lists/${id}`, { filterCriteria });
    expect(edited.body.data).to.include({ contactCount: 4 });
    const none = segmentOf('lastName', 'equals', 'nobody').filterCriteria;
    expect(
      (await tenant.client.patch(`/contact-lists/${id}`, { filterCriteria: none })).body.data.contactCount,
    ).to.equal(0);
    await expectCountsRight(environment, tenant);
  });

  it('a deleted segment leaves its contacts', async () => {
    const { id } = (await create(segmentOf('email', 'starts_with', 'leaver'))).body.data;
    expect((await upsert({ email: 'leaver@example.com' })).segmentIds).to.include(id);
    await tenant.client.delete(`/contact-lists/${id}`);
    expect((await upsert({ email: 'leaver@example.com', firstName: 'x' })).segmentIds).to.not.include(id);
    expect((await tenant.client.get(`/contact-lists/${id}`)).status).to.equal(404);
  });

  it('refuses filters that are none, a filter on a list, and another type', async () => {
    const group = { field: 'firstName', operator: 'equals', value: 'x' };
    const bad: unknown[] = [
      { groups: [] },
      { groups: Array.from({ length: 51 }, () => group) },
      { logicalOperator: 'XOR', groups: [group] },
      { groups: [{ ...group, field: 'contactProperties.$where' }] },
      { groups: [{ ...group, field: 'contactProperties.__proto__.x' }] },
      { groups: [{ ...group, field: 'projectId' }] },
      { groups: [{ ...group, field: 'a.b.c' }] },
      { groups: [{ ...group, field: 'listIds.$[]' }] },
      { groups: [{ ...group, field: 'event.name' }] },
      { groups: [{ ...group, operator: '$where' }] },
      { groups: [{ ...group, operator: 'between' }] },
      { groups: [{ ...group, value: { $ne: null } }] },
      { groups: [{ ...group, fieldType: 'number' }] },
      'firstName equals x',
    ];
    for (const filterCriteria of bad) {
      const { status, body } = await create({ name: 'Bad', type: 'segment', filterCriteria });
      expect([status, body.error.code], JSON.stringify(filterCriteria)).to.deep.equal([400, 'VALIDATION_ERROR']);
    }
    expect((await create({ name: 'No filter', type: 'segment' })).status).to.equal(400);
    expect((await create({ name: 'List', type: 'list', filterCriteria: { groups: [group] } })).status).to.equal(400);
    const list = (await create({ name: 'List' })).body.data.id;
    expect(
      (await tenant.client.patch(`/contact-lists/${list}`, { filterCriteria: { groups: [group] } })).status,
    ).to.equal(400);
    expect((await tenant.client.patch(`/contact-lists/${list}`, { type: 'segment' })).status).to.equal(400);
  });

  it('a project holds 100 of them: of calls at once too, the 101st gets 409', async () => {
    const full = await environment.newTenant('Full');
    const make = () => postUntilTaken(full.client, '/contact-lists', segmentOf('email', 'contains', 'nobody'));
    const first = (await make()).body.data.id;
    const made = (await environment.deps.db.contactLists.findOne({ _id: parseId(first)! }))!;
    const others = Array.from({ length: 89 }, () => ({ ...made, _id: new ObjectId() }));
    await environment.deps.db.contactLists.insertMany(others);
    const last = await Promise.all(Array.from({ length: 15 }, make));
    const statuses = last.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([...Array(10).fill(201), ...Array(5).fill(409)]);
    expect(last.find(({ status }) => status === 409)?.body.error.code).to.equal('INVALID_STATE');
  }).timeout(120_000);

  describe('recomputed in the background', () => {
    /** Contacts as an import of long ago left them, written past everything that keeps segments right. */
    async function writeStale(stale: Tenant, count: number): Promise<void> {
      const { _id: projectId } = stale.project;
      const emails = addresses(count, 'stale');
      await stale.client.post('/contact-lists/contacts/bulk-add', { contactListId: 'GLOBAL_CONTACT_LIST', emails });
      await environment.deps.db.contacts.updateMany({ projectId }, { $set: { lastName: 'Old' } });
    }

    const progressOf = (stale: Tenant, id: string) =>
      stale.client.get(`/contact-lists/${id}`).then(({ body }) => body.data);
    const storedOf = (id: ObjectId) => environment.deps.db.contactLists.findOne({ _id: id });

    it('a change that raced with the creation is right in the end: there is a second look', async () => {
      const raced = await environment.newTenant('Raced');
      const { id } = (await raced.client.post('/contact-lists', segmentOf('lastName', 'equals', 'Old'))).body.data;
      // The state that a transaction leaves behind that had read the filters before.
      await writeStale(raced, 3);
      expect((await progressOf(raced, id)).contactCount).to.equal(0);
      const stored = await environment.deps.db.contactLists.findOne({ projectId: raced.project._id, type: 'segment' });
      const look = () => recomputeSegment(environment.deps, raced.project._id, stored!._id, { timeMs: 5_000 });
      const early = await look();
      expect([early.status, early.waitMs > SETTLE_MS - 10_000]).to.deep.equal(['settling', true]);
      environment.clock.advance(SETTLE_MS);
      expect((await look()).status).to.equal('completed');
      expect((await progressOf(raced, id)).contactCount).to.equal(3);
      await expectCountsRight(environment, raced);
    });

    it('filters that MongoDB cannot say exactly are matched here, with the same result', async () => {
      const here = await environment.newTenant('Here');
      await writeStale(here, 5);
      await here.client.post('/contacts/email', { email: 'i@example.com', contactProperties: { code: 'a12b' } });
      const { body } = await here.client.post('/contact-lists', segmentOf('contactProperties.code', 'contains', '12'));
      expect(body.data).to.deep.include({ contactCount: 1 });
      expect(body.data.recompute.processed).to.equal(6);
    });

    it('killed between two pages and started again, it ends the same', async () => {
      const stopped = await environment.newTenant('Stopped');
      await writeStale(stopped, 20);
      const { id } = (await stopped.client.post('/contact-lists', segmentOf('email', 'contains', 'stale1'))).body.data;
      const { filterCriteria } = segmentOf('lastName', 'equals', 'Old');
      const { _id } = (await environment.deps.db.contactLists.findOne({
        projectId: stopped.project._id,
        type: 'segment',
      }))!;
      await stopped.client.patch(`/contact-lists/${id}`, { filterCriteria });
      await environment.deps.db.contacts.updateMany(
        { projectId: stopped.project._id, email: /[02468]@/ },
        { $set: { segmentIds: [] } },
      );
      await environment.deps.db.listCounts.updateOne({ listId: _id }, { $inc: { count: -10 } });
      // The place where a run died that had looked at ten.
      const tenth = (
        await environment.deps.db.contacts.find({ projectId: stopped.project._id }).sort({ _id: 1 }).toArray()
      )[9]!;
      const { recompute } = (await storedOf(_id))!;
      await environment.deps.db.contactLists.updateOne(
        { _id },
        { $set: { recompute: { ...recompute!, status: 'running', cursor: tenth._id, processed: 10 } } },
      );
      const first = await recomputeSegment(environment.deps, stopped.project._id, _id, { timeMs: 5_000 });
      expect([first.status, first.processed]).to.deep.equal(['settling', 20]);
      environment.clock.advance(SETTLE_MS);
      await recomputeSegment(environment.deps, stopped.project._id, _id, { timeMs: 5_000 });
      expect((await progressOf(stopped, id)).contactCount).to.equal(20);
      await expectCountsRight(environment, stopped);
    });

    it('the workflow segment-{listId}, started by a job, does both looks', async function () {
      this.timeout(120_000);
      const run = await environment.newTenant('Run');
      const { id } = (await run.client.post('/contact-lists', segmentOf('lastName', 'equals', 'Old'))).body.data;
      await writeStale(run, 30);
      environment.clock.advance(SETTLE_MS);
      let workers: Workers | undefined;
      try {
        workers = startWorkers(environment.deps, ['workflows', 'background']);
        await workers.ready;
        const stored = await environment.deps.db.contactLists.findOne({ projectId: run.project._id, type: 'segment' });
        const done = await until(
          () => storedOf(stored!._id),
          (list) => list?.recompute?.status === 'completed',
          { ms: 80_000 },
        );
        expect(done?.recompute?.processed).to.be.at.most(30);
        expect((await progressOf(run, id)).contactCount).to.equal(30);
        await expectCountsRight(environment, run);
      } finally {
        await workers?.stop();
      }
    });
  });
});
