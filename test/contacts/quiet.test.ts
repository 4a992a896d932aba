import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { countFacts } from '../../core/people/behaviour/count.ts';
import { passWindows } from '../../core/people/behaviour/passing.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import { correctSegment } from '../../core/people/lists/recompute.ts';
import { activeAutomation, makeSending } from '../automations/support.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

const DAY_MS = 86_400_000;

describe('A contact that came without automations', function () {
  this.timeout(120_000);
  const environment = useEnvironment();
  let tenant: Tenant;
  let segmentId: string;
  /** Tomorrow: the contact enters the segment then. */
  let trialEnds: string;

  beforeEach(async () => {
    environment.clock.set(new Date());
    tenant = await environment.newTenant('quiet');
    const { client } = tenant;
    await makeSending(environment.deps, tenant);
    await client.post('/custom-fields', { fieldName: 'trialEnds', fieldType: 'date' });
    const filterCriteria = { groups: [{ field: 'contactProperties.trialEnds', operator: 'in_last_days', value: 7 }] };
    segmentId = (await client.post('/contact-lists', { name: 'Trial ended', filterCriteria })).body.data.id;
    await activeAutomation(client, { entryCriteria: { type: 'contact_added_to_list', listId: segmentId } });
    trialEnds = new Date(Date.now() + DAY_MS).toISOString();
  });

  const find = async () => (await environment.deps.db.contacts.findOne({ projectId: tenant.project._id }))!;
  const triggers = () => environment.deps.db.triggers.countDocuments({ projectId: tenant.project._id });

  async function imported(query = ''): Promise<void> {
    const body = `email,trialEnds\nada@example.com,${trialEnds}\n`;
    const sent = { body, headers: { 'Content-Type': 'text/csv' } };
    const { text, body: answer } = await tenant.client.send('POST', `/contacts/import${query}`, sent);
    expect(answer.data?.status, text).equal('queued');
    const ref = { projectId: tenant.project._id, importId: new ObjectId(answer.data.importId as string) };
    await importSlice(environment.deps, ref, { timeMs: 60_000 });
  }

  async function timePasses(): Promise<void> {
    environment.clock.advance(DAY_MS + 20_000);
    await passWindows(environment.deps, tenant.project._id, 10_000);
    expect((await find()).segmentIds.map(String)).deep.equal([segmentId]);
  }

  it('starts none later either by a segment that it enters because time passes; with runWorkflow: true it does', async () => {
    await imported();
    await timePasses();
    expect(await triggers()).equal(0);
    await environment.deps.db.contacts.deleteMany({ projectId: tenant.project._id });
    trialEnds = new Date(environment.clock.now().getTime() + DAY_MS).toISOString();
    await imported('?runWorkflow=true');
    await timePasses();
    expect(await triggers()).equal(1);
  });

  it('starts none when a recompute of the segment notices first that time has passed', async () => {
    await imported();
    environment.clock.advance(DAY_MS + 20_000);
    const { db } = environment.deps;
    const list = (await db.contactLists.findOne({ _id: new ObjectId(segmentId), projectId: tenant.project._id }))!;
    await correctSegment(environment.deps, list, new AbortController().signal);
    expect((await find()).segmentIds.map(String)).deep.equal([segmentId]);
    expect(await triggers()).equal(0);
  });

  it('starts them when a person or a program has changed it since; another import of the same kind is no such change', async () => {
    await imported();
    await tenant.client.post('/contacts/bulk-update', { contacts: [{ email: 'ada@example.com', firstName: 'Ada' }] });
    expect(await find()).include({ firstName: 'Ada', isQuiet: true });
    await tenant.client.post('/contacts/email', { email: 'ada@example.com', lastName: 'Lovelace' });
    expect(await find()).not.property('isQuiet');
    await timePasses();
    expect(await triggers()).equal(1);
  });

  it('starts them when it has done something since, also when no segment asks about that', async () => {
    await imported();
    const { _id: contactId, projectId, updatedAt } = await find();
    const at = environment.clock.now();
    const fact = { _id: new ObjectId(), projectId, contactId, kind: 'opened' as const, at };
    await countFacts(environment.deps, { _id: new ObjectId(), projectId, facts: [fact] });
    expect(await find())
      .deep.include({ updatedAt })
      .and.not.property('isQuiet');
    await timePasses();
    expect(await triggers()).equal(1);
  });

  it('is shown as any other, without the mark', async () => {
    await imported();
    const { body } = await tenant.client.get(`/contacts/${(await find())._id}`);
    expect(body.data).not.property('isQuiet');
  });
});
