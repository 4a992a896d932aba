// Promise: counts are exact.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { ContactChange } from '../../core/people/changes/apply-change.ts';
import { changeContactsTogether } from '../../core/people/changes/changes.ts';
import { importWriter } from '../../core/people/changes/counts.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { profiled } from '../support/profile.ts';
import { expectCountsRight, segmentOf } from './support.ts';

describe('Changes of contacts that share a transaction', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await environment.newTenant('Changes');
  });

  const created = async (path: string, body: object): Promise<ObjectId> => {
    const reply = await tenant.client.post(path, body);
    expect(reply.status, reply.text).to.equal(201);
    return new ObjectId(reply.body.data.id as string);
  };
  const contact = (email: string) => created('/contacts', { email });
  const together = (changes: Array<Partial<ContactChange>>) =>
    changeContactsTogether(
      environment.deps,
      tenant.project,
      changes.map((change) => ({ newId: new ObjectId(), whenMissing: 'create', whenPresent: 'change', ...change })),
      { writer: importWriter() },
    );

  it('of one contact, are each counted, published and written to its history', async () => {
    const { db } = environment.deps;
    const projectId = tenant.project._id;
    const [first, second] = [
      await created('/contact-lists', { name: 'A' }),
      await created('/contact-lists', { name: 'B' }),
    ];
    await created('/contact-lists', { ...segmentOf('firstName', 'equals', 'Ada'), type: 'segment' });
    await created('/webhooks', { url: 'https://hooks.example.com/', events: ['contact.created', 'contact.updated'] });
    const email = 'twice@example.com';
    await together([
      { email, addListIds: [first] },
      { email, addListIds: [second] },
      { email, set: { firstName: 'Ada' } },
      { email, removeListIds: [first], set: { firstName: 'Bob' } },
      { email, set: { firstName: 'Bob' } },
    ]);
    await expectCountsRight(environment, tenant);
    const history = await db.contactHistory.find({ projectId }).sort({ at: 1, _id: 1 }).toArray();
    expect(
      history.map(({ kind, fields = [], joinedListIds = [], leftListIds = [] }) => ({
        ...{ kind, names: fields.map(({ to }) => to) },
        ...{ joined: joinedListIds.map(String), left: leftListIds.map(String) },
      })),
    ).to.deep.equal([
      { kind: 'created', names: [], joined: [String(first)], left: [] },
      { kind: 'updated', names: [], joined: [String(second)], left: [] },
      { kind: 'updated', names: ['Ada'], joined: [], left: [] },
      { kind: 'updated', names: ['Bob'], joined: [], left: [String(first)] },
    ]);
    const events = await db.projectEvents
      .find({ projectId, type: /^contact\./ })
      .sort({ _id: 1 })
      .toArray();
    expect(
      events.map(({ type, data }) => [type, (data as { firstName: string | null }).firstName]),
    ).to.have.deep.members([
      ['contact.created', null],
      ['contact.updated', null],
      ['contact.updated', 'Ada'],
      ['contact.updated', 'Bob'],
    ]);
  });

  it('are one write for contacts that change alike, whenever their windows pass', async () => {
    const list = await created('/contact-lists', { name: 'A' });
    await created('/contact-lists', { ...segmentOf('createdAt', 'in_last_days', 7), type: 'segment' });
    const ids: ObjectId[] = [];
    for (const name of ['a', 'b', 'c']) {
      ids.push(await contact(`${name}@example.com`));
      environment.clock.advance(60_000);
    }
    const profile = await profiled(environment.deps, () =>
      together(ids.map((contactId) => ({ contactId, addListIds: [list] }))),
    );
    const writes = profile.filter(({ ns, op }) => ns.endsWith('.contacts') && op === 'update');
    expect(writes.map(({ nModified }) => nModified)).to.deep.equal([3]);
    const stored = await environment.deps.db.contacts.find({ projectId: tenant.project._id }).toArray();
    expect(new Set(stored.map(({ windowDueAt }) => windowDueAt?.getTime())).size).to.equal(3);
  });
});
