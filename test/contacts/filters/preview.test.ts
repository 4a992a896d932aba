import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Collection, ObjectId } from 'mongodb';
import { globalListId } from '../../../core/people/global-list.ts';
import { previewFilter } from '../../../core/people/lists/preview.ts';
import type { Contact, ContactFact } from '../../../core/people/model.ts';
import { type Tenant, useEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { addresses } from '../support.ts';

const DAY_MS = 86_400_000;
const signal = new AbortController().signal;

describe('A preview of a filter', function () {
  this.timeout(60_000);
  const environment = useEnvironment({ RETENTION_DAYS: '60' });
  const preview = (...groups: object[]) =>
    environment.own.client.post('/contact-lists/preview', { filterCriteria: { groups } });
  /** A machine that is busy for a second has no time to count. */
  const counted = (...groups: object[]) =>
    until(
      () => preview(...groups),
      ({ status, body }) => status !== 200 || body.data.isExact,
      { ms: 20_000 },
    );
  const named = (value: string) => ({ field: 'email', operator: 'starts_with', value });

  before(async () => {
    const { own, deps } = environment;
    for (const name of ['seen', 'other'])
      for (const email of addresses(12, name)) await own.client.post('/contacts', { email, firstName: name });
    await environment.other.client.post('/contacts', { email: 'seen99@example.com' });
    const projectId = own.project._id;
    const people = await deps.db.contacts.find({ projectId, email: /^seen[01]@/ }).toArray();
    const at = new Date(environment.clock.now().getTime() - 5 * DAY_MS);
    await deps.db.contactFacts.insertMany(
      people.map(({ _id: contactId }) => ({ _id: new ObjectId(), projectId, contactId, kind: 'opened' as const, at })),
    );
  });

  it('counts the contacts of the project and shows the newest ten, and stores nothing', async () => {
    const { status, body } = await counted(named('seen'));
    expect(status).to.equal(200);
    const { people, ...rest } = body.data;
    expect(rest).to.deep.equal({ count: 12, isExact: true, estimate: null, looksBackDays: null });
    const emails = people.map(({ email }: { email: string }) => email);
    expect(new Set(emails).size).to.equal(10);
    expect(addresses(12, 'seen')).to.include.members(emails);
    expect(people[0]).to.have.all.keys('id', 'email', 'firstName', 'lastName', 'createdAt', 'updatedAt');
    expect((await environment.own.client.get('/contact-lists?type=segment')).body.data.pagination.total).to.equal(0);
  });

  it('counts by behaviour and nested groups, as a segment with the same filter would', async () => {
    const opened = { behaviour: 'opened', operator: 'at_least', withinDays: 6 };
    const never = { behaviour: 'opened', operator: 'never' };
    for (const [groups, count] of [
      [[opened], 2],
      [[{ ...opened, withinDays: 4 }], 0],
      [[never], 22],
      [[named('seen'), never], 10],
      [[{ logicalOperator: 'OR', groups: [named('other'), opened] }], 14],
      [[{ field: 'createdAt', operator: 'in_last_days', value: 1 }], 24],
    ] as const) {
      const { data } = (await counted(...groups)).body;
      expect([data.count, data.isExact], JSON.stringify(groups)).to.deep.equal([count, true]);
      const made = await environment.own.client.post('/contact-lists', { name: 'S', filterCriteria: { groups } });
      expect(made.body.data.contactCount).to.equal(count);
    }
    expect((await preview(opened)).body.data.looksBackDays).to.equal(60);
  });

  it('refuses what a segment refuses', async () => {
    for (const [filterCriteria, details] of [
      [{ groups: [] }, /^filterCriteria\/groups/],
      [
        { groups: [{ behaviour: 'opened', operator: 'never', withinDays: 61 }] },
        /groups\/0\/withinDays: must be at most 60/,
      ],
      [{ groups: [{ ...named('x'), field: 'event.name' }] }, /groups\/0\/field/],
    ] as const) {
      const { status, body } = await environment.own.client.post('/contact-lists/preview', { filterCriteria });
      expect([status, body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(body.error.details).to.match(details);
    }
    expect((await environment.own.client.post('/contact-lists/preview', {})).status).to.equal(400);
  });

  it('has no count when the time is not enough, whichever way it counts', async () => {
    const { deps, own } = environment;
    const look = (timeMs: number, ...groups: object[]) =>
      previewFilter(deps, own.project, { groups }, { signal, timeMs });
    const never = { behaviour: 'opened', operator: 'never' };
    expect(await look(20_000, never)).to.deep.include({ count: 22, isExact: true });
    expect(await look(0, never)).to.deep.include({ count: null, isExact: false, people: [] });
    const large = await environment.newTenant('Large');
    await writeMany(large, 20_000);
    const lookAtMany = (timeMs: number) =>
      previewFilter(deps, large.project, { groups: [named('many')] }, { signal, timeMs });
    expect(await lookAtMany(1)).to.deep.include({ count: null, isExact: false });
    expect(await lookAtMany(20_000)).to.deep.include({ count: 20_000, isExact: true });
  });

  it('ends when its time is over, however many facts its contacts have', async () => {
    const { deps, own } = environment;
    const contact = await deps.db.contacts.findOne({ projectId: own.project._id });
    let read = 0;
    async function* facts() {
      for (; read < 2_000; read += 1) {
        await pause(1);
        yield { contactId: contact!._id, kind: 'opened', at: environment.clock.now() };
      }
    }
    const slow = { ...deps, db: { ...deps.db, contactFacts: { find: facts } as unknown as Collection<ContactFact> } };
    const groups = [{ behaviour: 'opened', operator: 'never' }];
    const found = await previewFilter(slow, own.project, { groups }, { signal, timeMs: 200 });
    expect(found).to.deep.include({ count: null, isExact: false });
    expect(read).to.be.below(1_000);
  });

  it('estimates from a sample of the whole project what it cannot count in time', async () => {
    const { deps } = environment;
    const large = await environment.newTenant('Estimated');
    await writeMany(large, 24_000);
    const projectId = large.project._id;
    const listId = globalListId(large.project);
    await deps.db.listCounts.insertOne({ _id: `${listId}:0`, projectId, listId, count: 24_000 });
    const everyone = await deps.db.contacts.find({ projectId }).sort({ _id: 1 }).project({ _id: 1 }).toArray();
    const at = new Date(environment.clock.now().getTime() - DAY_MS);
    // The oldest third: those who joined together are alike.
    await deps.db.contactFacts.insertMany(
      everyone.slice(0, 8_000).map(({ _id: contactId }) => {
        return { _id: new ObjectId(), projectId, contactId, kind: 'opened' as const, at };
      }),
    );
    const slow = { ...deps, db: { ...deps.db, contacts: slowAtPages(deps.db.contacts) } };
    const look = (groups: object[], timeMs: number) =>
      previewFilter(slow, large.project, { groups }, { signal, timeMs });
    const { count, isExact, estimate } = await look([{ behaviour: 'opened', operator: 'at_least' }], 10_000);
    expect([count, isExact]).to.deep.equal([null, false]);
    expect(estimate).to.be.within(7_500, 8_500);
  });

  /** As a project with so many contacts that reading all of them takes too long. */
  function slowAtPages(contacts: Collection<Contact>): Collection<Contact> {
    return new Proxy(contacts, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name !== 'find') return typeof value === 'function' ? value.bind(target) : value;
        return (...given: Parameters<typeof target.find>) => {
          const found = target.find(...given);
          if ((given[1]?.limit ?? 0) < 1_000) return found;
          const toArray = found.toArray.bind(found);
          return Object.assign(found, { toArray: () => pause(800).then(toArray) });
        };
      },
    });
  }

  it('is refused with 429 while two of the project are running, and not for another project', async () => {
    const { deps, own, other, clock } = environment;
    const projectId = own.project._id;
    const taken = { until: new Date(clock.now().getTime() + 60_000) };
    await deps.db.previewSlots.updateMany({ projectId }, { $set: taken });
    await deps.db.previewSlots.updateOne({ _id: `${projectId}:1`, projectId }, { $set: taken }, { upsert: true });
    const { status, body, headers } = await preview(named('seen'));
    expect([status, body.error.code, headers.get('Retry-After')]).to.deep.equal([429, 'RATE_LIMIT_EXCEEDED', '1']);
    const filterCriteria = { groups: [named('seen')] };
    const theirs = await until(
      () => other.client.post('/contact-lists/preview', { filterCriteria }),
      ({ body: found }) => found.data.isExact,
    );
    expect(theirs.body.data.count).to.equal(1);
    // The slots of a process that ended are free again.
    clock.advance(61_000);
    expect((await preview(named('seen'))).status).to.equal(200);
    const together = await Promise.all(
      Array.from({ length: 12 }, () => preview({ behaviour: 'opened', operator: 'never' })),
    );
    const statuses = new Set(together.map((reply) => reply.status));
    expect([...statuses].filter((one) => one !== 429)).to.deep.equal([200]);
    expect((await preview(named('seen'))).status).to.equal(200);
  });

  /** Past the product, which has tests of its own and takes its time. */
  async function writeMany({ project }: Tenant, count: number): Promise<void> {
    const at = environment.clock.now();
    const blank = { firstName: null, lastName: null, userId: null, mobile: null, contactProperties: {} };
    const contacts = addresses(count, 'many').map((email): Contact => {
      const lists = { listIds: [], segmentIds: [] };
      return { _id: new ObjectId(), projectId: project._id, email, ...blank, ...lists, createdAt: at, updatedAt: at };
    });
    await environment.deps.db.contacts.insertMany(contacts);
  }
});
