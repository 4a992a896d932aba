import { expect } from 'chai';
import type { Document } from 'mongodb';
import { parseId } from '../../core/base/ids.ts';
import { suppressionsAgainst } from '../../core/consent/suppressions/suppressions.ts';
import { countFacts } from '../../core/people/behaviour/count.ts';
import { noteActs, noteReceived } from '../../core/people/behaviour/note.ts';
import { passingWindows, passWindows } from '../../core/people/behaviour/passing.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import { recomputeSegment, SETTLE_MS } from '../../core/people/lists/recompute.ts';
import { type Environment, startEnvironment, type Tenant } from '../support/environment.ts';
import { profiled } from '../support/profile.ts';
import { addresses, segmentOf } from './support.ts';

const MEMBERS = 300;
/** A little more than one of the two projects holds. */
const KEYS_MAX: Record<string, number> = { contacts: 620, suppressions: 850 };
const OURS = [
  ...['contacts', 'contactLists', 'listCounts', 'listRemovals', 'customFields', 'suppressions', 'suppressionGroups'],
  ...['imports', 'importChunks', 'importErrors'],
  ...['contactFacts', 'notedFacts', 'previewSlots'],
];

/** The database writes down every operation with its plan while the whole interface of the audience is used. */
describe('Plans of the audience', () => {
  let environment: Environment;
  let profile: Document[];
  let list: string;
  let segment: string;
  before(async function () {
    this.timeout(60_000);
    environment = await startEnvironment();
    for (const tenant of [environment.own, environment.other]) await fill(tenant);
    const { deps } = environment;
    const ours = OURS.map((name) => `${deps.config.mongodbDatabase}.${name}`);
    profile = (await profiled(deps, useEverything)).filter(({ ns }) => ours.includes(ns));
  });
  after(() => environment.stop());

  async function fill({ client }: Tenant): Promise<void> {
    const emails = addresses(MEMBERS, 'plan');
    list = (await client.post('/contact-lists', { name: 'L' })).body.data.id;
    await client.post('/contact-lists/contacts/bulk-add', { contactListId: list, emails });
    await client.post('/contact-lists/contacts/bulk-add', {
      contactListId: 'GLOBAL_CONTACT_LIST',
      emails: addresses(200, 'more'),
    });
    for (const reason of ['BOUNCE', 'MANUAL'])
      for (const target of [{}, { isGlobal: true }])
        await client.post('/suppression-groups/emails/suppress', { emails: addresses(200, reason), reason, ...target });
  }

  async function useEverything(): Promise<void> {
    const { deps, own, clock } = environment;
    const { client, project } = own;
    const ids = (await client.get('/contact-lists')).body.data.lists;
    list = ids[1].id;
    const post = (path: string, body: unknown) => client.post(path, body);
    segment = (await post('/contact-lists', segmentOf('email', 'contains', 'plan1'))).body.data.id;
    clock.advance(SETTLE_MS);
    await recomputeSegment(deps, project._id, parseId(segment)!, { timeMs: 5_000 });
    for (const contactListId of [list, segment, 'GLOBAL_CONTACT_LIST'])
      for (const search of [{}, { email: 'lan1' }, { email: 'lan', page: 2 }])
        await post('/contact-lists/contacts/search', { contactListId, ...search });
    const contact = (await post('/contacts/email', { email: 'plan1@example.com', firstName: 'X', userId: 'u' })).body
      .data;
    await post('/contacts/bulk-update', {
      contacts: addresses(50, 'plan').map((email) => ({ email, firstName: 'Y', listIds: [list] })),
    });
    await post('/contacts/search/emails', addresses(50, 'plan'));
    await client.get(`/contacts/${contact.id}`);
    await client.get('/contacts?page=2');
    await client.get('/contacts?search=lan1');
    await client.get(`/contacts/${contact.id}/unsubscribe-groups`);
    await client.delete('/contacts/email/userId/u');
    await post('/contacts/remove', addresses(3, 'more'));
    await post(`/contact-lists/${list}/contacts/remove`, { emails: addresses(5, 'plan') });
    await post('/contact-lists/contacts/bulk-add', { contactListId: list, emails: addresses(20, 'late') });
    for (const path of [
      '/contact-lists',
      '/custom-fields',
      '/suppression-groups',
      '/contacts/export',
      '/suppression-groups/entries/export',
    ])
      await client.get(path);
    const groupId = (await client.get('/suppression-groups')).body.data.groups[0].id;
    const at = clock.now().toISOString();
    for (const search of [
      {},
      { groupId },
      { reason: 'BOUNCE' },
      { groupId, reason: 'BOUNCE' },
      { isGlobal: true },
      { endDate: at },
      { groupId, endDate: at },
      { reason: 'BOUNCE', endDate: at },
      { groupId, reason: 'BOUNCE', endDate: at },
      { search: 'ounce1' },
      { search: 'boun' },
      { search: 'ounce1', groupId, reason: 'BOUNCE', endDate: at },
      { email: 'bounce1@example.com' },
    ])
      await post('/suppression-groups/entries', search);
    await suppressionsAgainst(
      deps,
      project._id,
      addresses(60, 'BOUNCE').map((email) => email.toLowerCase()),
    );
    await post('/suppression-groups/emails/unsuppress', { emails: addresses(5, 'bounce') });
    const upload = { body: 'email\nimported@example.com\nbad\n', headers: { 'Content-Type': 'text/csv' } };
    const importId = parseId((await client.send('POST', '/contacts/import', upload)).body.data.importId)!;
    await importSlice(deps, { projectId: project._id, importId }, { timeMs: 5_000 });
    await client.get(`/contacts/imports/${importId}`);
    await client.get(`/contacts/imports/${importId}/errors`);
    await useBehaviour();
    await client.delete(`/contact-lists/${segment}`);
    await client.delete(`/contact-lists/${list}`);
  }

  async function useBehaviour(): Promise<void> {
    const { deps, own, clock } = environment;
    const projectId = own.project._id;
    const opened = { behaviour: 'opened', operator: 'at_least', withinDays: 3 };
    const received = { behaviour: 'received', operator: 'never' };
    const some = { field: 'email', operator: 'contains', value: 'plan1' };
    for (const groups of [[opened], [some, received], [some, { logicalOperator: 'OR', groups: [opened, received] }]]) {
      const { id } = (await own.client.post('/contact-lists', { name: 'B', filterCriteria: { groups } })).body.data;
      clock.advance(SETTLE_MS);
      await recomputeSegment(deps, projectId, parseId(id)!, { timeMs: 5_000 });
      await own.client.post('/contact-lists/preview', { filterCriteria: { groups } });
    }
    const contacts = await deps.db.contacts
      .find({ projectId }, { projection: { _id: 1 } })
      .limit(5)
      .toArray();
    const at = clock.now();
    const acts = contacts.map(({ _id: contactId }) => ({
      messageId: contactId,
      contactId,
      kind: 'opened' as const,
      at,
    }));
    await noteActs(deps, projectId, acts);
    await noteReceived(deps, projectId, [parseId(list)!]);
    for (const noted of await deps.db.notedFacts.find({ projectId }, { hint: 'due' }).toArray())
      await countFacts(deps, noted);
    clock.advance(4 * 86_400_000);
    expect(await passWindows(deps, projectId, 1_000)).to.equal(acts.length);
    const due = passingWindows(deps);
    await due.projects(clock.now());
  }

  const looksForWindows = ({ command }: Document) => command.pipeline?.[0]?.$match?.windowDueAt !== undefined;
  const named = ({ command, ns, planSummary }: Document) =>
    `${ns.split('.')[1]}: ${planSummary} ${JSON.stringify(command).slice(0, 300)}`;

  it('none scans a collection', () => {
    expect(profile.length).to.be.above(150);
    expect(profile.filter(({ planSummary }) => /COLLSCAN/.test(planSummary ?? '')).map(named)).to.deep.equal([]);
  });

  it('none sorts in memory', () => {
    expect(profile.filter(({ hasSortStage }) => hasSortStage).map(named)).to.deep.equal([]);
  });

  it('none looks at more keys than its project holds, nor at many more documents than it returns or writes', () => {
    const isRecompute = ({ command }: Document) =>
      command.filter?.$or !== undefined && command.filter._id !== undefined;
    const tooMany = profile.filter((operation) => {
      const { keysExamined = 0, docsExamined = 0, nreturned = 0, op, ns } = operation;
      const keysMax = KEYS_MAX[ns.split('.')[1]] ?? 100;
      return keysExamined > keysMax || (op === 'query' && !isRecompute(operation) && docsExamined > nreturned + 20);
    });
    expect(tooMany.map(named)).to.deep.equal([]);
  });

  it('a part of an address is looked for among the keys of that list alone, and no contact is read for it', () => {
    const searches = profile.filter((one) => one.command.aggregate === 'contacts' && !looksForWindows(one));
    const plans: Record<string, number> = {};
    for (const { planSummary, keysExamined, docsExamined } of searches) {
      plans[planSummary] = (plans[planSummary] ?? 0) + 1;
      expect(keysExamined).to.be.at.most(planSummary.includes('Ids') ? MEMBERS + 1 : (KEYS_MAX.contacts ?? 0));
      expect(docsExamined).to.equal(0);
    }
    expect(plans).to.deep.equal({
      'IXSCAN { projectId: 1, listIds: 1, email: 1 }': 4,
      'IXSCAN { projectId: 1, segmentIds: 1, email: 1 }': 4,
      'IXSCAN { projectId: 1, email: 1 }': 6,
    });
  });

  it('projects whose windows have passed are found by one key for each of them', () => {
    const looks = profile.filter(looksForWindows);
    expect(looks.map(({ planSummary }) => planSummary)).to.deep.equal([
      'DISTINCT_SCAN { projectId: 1, windowDueAt: 1 }',
    ]);
    expect(looks[0]!.keysExamined).to.be.at.most(2);
  });

  it('a text is looked for among the keys of suppressions, and none is read for it unless a date is asked too', () => {
    const searches = profile.filter(
      ({ command }) => command.aggregate === 'suppressions' && /^(address|search)$/.test(command.hint),
    );
    const byDate = (command: Document) => JSON.stringify(command.pipeline).includes('createdAt');
    expect(searches.length).to.be.above(3);
    for (const { planSummary, docsExamined, command } of searches) {
      expect(planSummary).to.match(/^IXSCAN \{ projectId: 1, email: 1, groupId: 1(, reason: 1)? \}$/);
      if (!byDate(command)) expect(docsExamined, JSON.stringify(command.pipeline)).to.equal(0);
    }
  });
});
