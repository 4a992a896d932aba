import { expect } from 'chai';
import { inputForA } from '../../core/migrations/inputs.ts';
import { startMigration } from '../../core/migrations/migrations.ts';
import { carryOverMigrations } from '../../core/migrations/progress/carry-over.ts';
import { activeAutomation, makeSending } from '../automations/support.ts';
import { type AccountA, sampleAccountA, template, version } from '../providers/account-a.ts';
import { type Act, serverError } from '../providers/faults.ts';
import { png } from '../providers/images.ts';
import type { Tenant } from '../support/environment.ts';
import { dataOf, job, setPatience, settled, start, tenantWithA, useScene } from './support.ts';
import { expectedOfA, pictureOf } from './targets.ts';

describe('A migration from provider A', function () {
  this.timeout(120_000);
  const scene = useScene();
  let account: AccountA;
  let tenant: Tenant;
  beforeEach(async () => {
    account = sampleAccountA(scene.images.url);
    tenant = await tenantWithA(scene, account);
  });

  /** Answers the settled job. */
  async function migrate(body: object) {
    return settled(tenant, await start(tenant, 'providerA', { apiKey: account.key, ...body }));
  }

  const isRehosted = (html: string) =>
    html.replaceAll(/http:\/\/127\.0\.0\.1:\d+\/media\/[0-9a-f]{64}\.png/g, 'REHOSTED');

  it('brings over what the source has, and its report says so phase by phase', async () => {
    account.exports = { ...account.exports, polls: 1, parts: 2 };
    const { status, phases, report, bulkOperationId, id } = await migrate({ migrateAll: true });
    expect([status, bulkOperationId]).deep.equal(['completed', id]);
    expect(phases.map(({ name }) => name)).deep.equal([
      'customFields',
      'templates',
      'unsubscribeGroups',
      'contactLists',
      'contacts',
    ]);
    const picture = await pictureOf(scene.env, tenant);
    for (const one of picture.templates) one.html = isRehosted(one.html);
    const rewritten = (html: string) => html.replaceAll(/http:\/\/127\.0\.0\.1:\d+\/0123[^"')]*\.png/g, 'REHOSTED');
    expect(picture).deep.include(expectedOfA(account, rewritten));
    const counts = report.map(({ name, sourceCount, targetCount, skipped }: Record<string, unknown>) => [
      name,
      sourceCount,
      targetCount,
      skipped,
    ]);
    expect(counts).deep.equal([
      ['customFields', 0, 0, 0],
      ['templates', 5, 3, 2],
      ['unsubscribeGroups', 3, 3, 0],
      ['contactLists', 3, 3, 0],
      ['contacts', 40, 40, 0],
    ]);
    expect(report[2].details).deep.include({ addresses: 4 });
    const read = { unsubscribes: 3, bounces: 2, invalidEmails: 1, spamReports: 1 };
    expect(report[4].details).deep.equal({ ...read, memberships: 28 });
    expect(JSON.stringify(report[1].needsReview)).contains('no active version');
  });

  it('migrates custom fields by their mappings, with the values of contacts; a repeated creation is reported and the run continues', async () => {
    await tenant.client.post('/custom-fields', { fieldName: 'company', fieldType: 'string' });
    const found = await migrate({
      migrateAll: true,
      customFieldMappings: [
        { providerAFieldId: 'w1', fieldName: 'orders', fieldType: 'number' },
        { sendgridFieldName: 'DOB', fieldName: 'birthday', fieldType: 'date' },
        { providerAFieldName: 'Company Name', fieldName: 'company', fieldType: 'string' },
      ],
    });
    expect(found.status).equal('completed_with_errors');
    const [fields] = found.phases;
    expect(fields).deep.include({ total: 3, succeeded: 2, failed: 1 });
    expect(JSON.stringify(fields?.errors)).contains('company');
    const { contacts, fields: declared } = await pictureOf(scene.env, tenant);
    expect(declared).deep.equal({ orders: 'number', birthday: 'date', company: 'string' });
    expect((contacts['person12@example.com'] as { contactProperties: object }).contactProperties).deep.equal({
      orders: 12,
      birthday: '1990-02-01T00:00:00.000Z',
      company: 'Company "12", Ltd',
    });
  });

  it('migrates only what is selected', async () => {
    const [news] = account.lists;
    const [welcome] = account.templates;
    const found = await migrate({
      templateIds: [welcome?.id],
      contactListIds: [news?.id],
      unsubscribeGroupIds: [1235, 999],
      customFieldIds: ['w1'],
    });
    expect(found.status).equal('completed_with_errors');
    expect(JSON.stringify(found.phases[2]?.errors)).contains('999');
    const picture = await pictureOf(scene.env, tenant);
    expect(picture.templates.map(({ name }) => name)).deep.equal(['Welcome']);
    expect(picture.groups).deep.equal({ Offers: ['gone2@example.com'] });
    expect(Object.keys(picture.lists)).deep.equal(['News']);
    expect(Object.keys(picture.contacts)).length(20);
    expect(picture.fields).deep.equal({ num_orders: 'number' });
  });

  it('takes a list and a group of the same name for its own, and lets no contact into an automation unless asked', async () => {
    const { client, project } = tenant;
    const list = dataOf(await client.post('/contact-lists', { name: 'News' }));
    const group = dataOf(await client.post('/suppression-groups', { name: 'Offers' }));
    await client.post('/contacts/email', { email: 'own@example.org', listIds: [list.id] });
    await makeSending(scene.env.deps, tenant);
    await activeAutomation(client, {});
    await activeAutomation(client, { entryCriteria: { type: 'contact_added_to_list', listId: list.id } });
    const { db } = scene.env.deps;
    const found = await migrate({ migrateAll: true });
    await db.migrations.updateMany({ projectId: project._id }, { $unset: { runWorkflow: 1 } });
    expect(await carryOverMigrations(scene.env.deps, project), 'as an earlier version stored it').include({
      migrations: 1,
    });
    expect(await carryOverMigrations(scene.env.deps, project)).include({ migrations: 0 });
    expect((await db.migrations.findOne({ projectId: project._id }))?.runWorkflow).equal(false);
    expect([found.phases[2], found.phases[3]].map((phase) => [phase?.created, phase?.updated])).deep.equal([
      [2, 1],
      [2, 1],
    ]);
    expect(dataOf(await client.get(`/contact-lists/${list.id}`)).contactCount).equal(21);
    expect(dataOf(await client.get(`/suppression-groups/${group.groupId}`)).suppressionCount).equal(1);
    const triggers = () => scene.env.deps.db.triggers.countDocuments({ projectId: project._id });
    expect(await triggers()).equal(0);
    account.contacts.push({ ...account.contacts[0]!, id: 'newcomer', email: 'newcomer@example.org' });
    await migrate({ migrateAll: true, runWorkflow: true });
    expect(await triggers()).greaterThan(0);
  });

  it('skips a phase whose scope is missing, without failing', async () => {
    account.scopes = account.scopes.filter((scope) => !scope.startsWith('asm') && scope !== 'templates.read');
    const found = await migrate({ migrateAll: true });
    expect(found.status).equal('completed');
    expect(found.phases.map(({ status }) => status)).deep.equal([
      'skipped',
      'skipped',
      'skipped',
      'completed',
      'completed',
    ]);
    expect(JSON.stringify(found.report[1].needsReview)).contains('may not read');
  });

  it('changes nothing and doubles nothing when it is run again', async () => {
    await migrate({ migrateAll: true });
    const before = await pictureOf(scene.env, tenant);
    const again = await migrate({ migrateAll: true });
    expect(again.report[4]).deep.include({ created: 0, updated: 40 });
    expect(again.report[1]).deep.include({ created: 0, skipped: 5 });
    expect(await pictureOf(scene.env, tenant)).deep.equal(before);
  });

  it('plans: shows every section and its counts, and names the sections that the key may not read', async () => {
    const plan = dataOf(await tenant.client.post('/migrations/providerA/plan', { apiKey: account.key }));
    expect(plan.templates).length(5);
    expect(plan.contactLists[0]).deep.equal({ id: account.lists[0]?.id, name: 'News', contactCount: 20 });
    expect(plan.customFields[2]).deep.equal({ id: 'w3', name: 'Company Name', fieldType: 'string' });
    expect([plan.totalContacts, plan.skipped]).deep.equal([40, []]);
    const suppressions = { unsubscribes: 3, bounces: 2, invalidEmails: 2, spamReports: 1 };
    expect(plan).deep.include({ suppressions, countsComplete: true });
    account.scopes = ['asm.groups.read', 'suppression.bounces.read', 'suppression.invalid_emails.read'];
    const narrow = dataOf(await tenant.client.post('/migrations/sendgrid/plan', { sendgridApiKey: account.key }));
    expect(narrow.unsubscribeGroups).length(3);
    const sections = ['templates', 'customFields', 'contactLists', 'totalContacts'];
    expect(narrow.skipped).deep.equal([
      ...sections,
      'suppressions.unsubscribes: the key lacks the scope suppression.unsubscribes.read at the source, so people who unsubscribed from everything arrive here as mailable',
      'suppressions.spamReports: the key lacks the scope suppression.spam_reports.read at the source, so people who reported spam arrive here as mailable',
    ]);
    expect(narrow.suppressions).deep.equal({ unsubscribes: 0, bounces: 2, invalidEmails: 2, spamReports: 0 });
  });

  it('refuses a bad key with 422 INVALID_PROVIDER_KEY, a missing one with 400, and a selection of nothing with 400', async () => {
    for (const apiKey of ['SG.wrong', 'not a\nkey']) {
      const { status, body } = await tenant.client.post('/migrations/providerA/plan', { apiKey });
      expect([status, body.error.code]).deep.equal([422, 'INVALID_PROVIDER_KEY']);
    }
    const missing = await tenant.client.post('/migrations/providerA/plan', {});
    expect([missing.status, missing.body.error.code]).deep.equal([400, 'VALIDATION_ERROR']);
    const nothing = await tenant.client.post('/migrations/providerA/migrate', { apiKey: account.key, templateIds: [] });
    expect([nothing.status, nothing.body.error.code]).deep.equal([400, 'VALIDATION_ERROR']);
  });

  it('answers 503 while the source cannot be understood, and to a start that could not seal its key', async () => {
    const nonsense = { kind: 'answer', answer: { status: 200, body: { scopes: 5, id: 5 } } } as const;
    scene.a.faults.push({ on: /scopes|templates|groups/, times: 3, act: nonsense });
    const call = (path: string, body: object) =>
      tenant.client.post(`/migrations/providerA/${path}`, { apiKey: account.key, ...body });
    for (const reply of [
      await call('plan', {}),
      await call('providerA-unsubscribe-group', { unsubscribeGroupId: 1234 }),
    ])
      expect([reply.status, reply.body.error.code, reply.headers.has('retry-after')]).deep.equal([
        503,
        'UNAVAILABLE',
        true,
      ]);
    scene.a.faults.length = 0;
    const keyless = { ...scene.env.deps, config: { ...scene.env.deps.config, secretKeys: [] } };
    const input = inputForA({ apiKey: account.key, migrateAll: true });
    const origin = { at: new Date(), seed: tenant.project._id };
    const fault = await startMigration(keyless, tenant.project, input, origin).catch((error) => error);
    expect(fault).include({ kind: 'unavailable' });
    expect(dataOf(await tenant.client.get('/migrations')).migrations).deep.equal([]);
  });

  it('migrates single templates, and overwrites one that was migrated before only when it is asked to', async () => {
    const [welcome, , , empty] = account.templates;
    const call = async (more: object = {}) =>
      dataOf(
        await tenant.client.post('/migrations/providerA/providerA-template', {
          apiKey: account.key,
          templateIds: [welcome?.id, empty?.id, 'd-unknown'],
          ...more,
        }),
      );
    const first = await call();
    expect(first).deep.include({ created: 1, updated: 0, skipped: 1, failed: 1 });
    const [made] = first.templates;
    expect(made.templateId).match(/^A-[0-9a-f]{20}$/);
    welcome!.versions[1]!.html = '<p>New words</p>';
    expect(await call()).deep.include({ created: 0, updated: 0, skipped: 2, failed: 1 });
    const stored = async () => dataOf(await tenant.client.get(`/templates/${made.templateId}`)).emailTemplate;
    expect(await stored()).contains('Hello');
    const third = await call({ onExistUpdateHTML: true });
    expect(third).deep.include({ created: 0, updated: 1, skipped: 1, failed: 1 });
    expect(third.templates[0].templateId).equal(made.templateId);
    expect(await stored()).equal('<p>New words</p>');
    const tooMany = { apiKey: account.key, templateIds: Array.from({ length: 21 }, (_, index) => `t${index}`) };
    expect((await tenant.client.post('/migrations/providerA/providerA-template', tooMany)).status).equal(400);
  });

  it('migrates one unsubscribe group: a result when it is new and addresses come along, its record when it was there', async () => {
    const call = (body: object) =>
      tenant.client.post('/migrations/providerA/providerA-unsubscribe-group', { apiKey: account.key, ...body });
    const made = dataOf(await call({ unsubscribeGroupId: 1234, addEmailsInSuppression: true }));
    expect(made).deep.include({ name: 'Weekly news', created: true, importedEmails: 3 });
    const record = dataOf(await call({ unsubscribeGroupId: '1234' }));
    expect(record).deep.include({ groupId: made.groupId, name: 'Weekly news', suppressionCount: 3, isGlobal: false });
    const path = `/suppression-groups/${record.id}`;
    expect(dataOf(await tenant.client.get(path)), 'the record of the group').deep.equal(record);
    const entries = await scene.env.deps.db.suppressions.find({ projectId: tenant.project._id }).toArray();
    expect(entries.map(({ reason }) => reason)).deep.equal(['UNSUBSCRIBE', 'UNSUBSCRIBE', 'UNSUBSCRIBE']);
    const unknown = await call({ unsubscribeGroupId: 77 });
    expect([unknown.status, unknown.body.error.code]).deep.equal([404, 'SUPPRESSION_GROUP_NOT_FOUND']);
  });

  it('serves re-hosted pictures as what their bytes say, and leaves what is none where it is', async () => {
    const { url } = scene.images;
    const sources = [
      'a.png',
      'b.jpg',
      'c.gif',
      'd.webp',
      'page.png',
      'script.png',
      'bomb.png',
      'missing.png',
      'away.png',
    ];
    const tags = sources.map((name) => `<img src="${url}/x/${name}">`).join('');
    const foreign = `<img src="http://cdn.example.net.evil.test/a.png"><img src="//${new URL(url).host}.evil.test/a.png">`;
    account.templates = [template('Pictures', 'dynamic', [version('one', 1, tags + foreign)])];
    const found = await migrate({ templateIds: [account.templates[0]?.id] });
    const [{ html = '' } = {}] = (await pictureOf(scene.env, tenant)).templates;
    const kept = [...html.matchAll(/\/media\/[0-9a-f]{64}\.(\w+)/g)];
    expect(kept.map(([, ending]) => ending)).deep.equal(['png', 'jpg', 'gif', 'webp']);
    for (const name of sources.slice(4)) expect(html, name).contains(`src="${url}/x/${name}"`);
    expect(html).contains(foreign);
    expect(found.report[1].needsReview).length(5);
    const picture = await fetch(`${scene.env.url}${kept[0]?.[0]}`);
    expect(picture.headers.get('content-type')).equal('image/png');
    expect(picture.headers.get('x-content-type-options')).equal('nosniff');
    expect(Buffer.from(await picture.arrayBuffer()).equals(png(2, 2))).equal(true);
    for (const path of ['/media/nothing.png', '/media/..%2f..%2fetc%2fpasswd', `/media/${'0'.repeat(64)}.png`])
      expect((await fetch(scene.env.url + path)).status, path).equal(404);
  });

  describe('whose picture host misbehaves', () => {
    let url: string;

    beforeEach(() => {
      url = `${scene.images.url}/x/picture-${account.key.slice(-6)}.png`;
      account.templates = [template('Pictures', 'dynamic', [version('one', 1, `<img src="${url}">`)])];
    });
    afterEach(() => {
      scene.images.faults.length = 0;
      setPatience(scene, 1);
    });

    const acts: [string, Act][] = [
      ['an error', serverError],
      ['a reset', { kind: 'reset' }],
      ['a body that is cut short', { kind: 'cut' }],
    ];
    const requests = () => scene.images.log.filter((arrival) => url.endsWith(arrival.url)).length;
    const htmlHere = async () => (await pictureOf(scene.env, tenant)).templates[0]?.html ?? '';
    const byCall = async () =>
      dataOf(
        await tenant.client.post('/migrations/providerA/providerA-template', {
          apiKey: account.key,
          templateIds: [account.templates[0]?.id],
        }),
      );

    for (const [name, act] of acts)
      it(`asks again after ${name}, in a job as in a call`, async () => {
        setPatience(scene, 60);
        scene.images.faults.push({ on: /picture/, act });
        const found = await migrate({ migrateAll: true });
        expect([found.status, requests()]).deep.equal(['completed', 2]);
        expect(await htmlHere())
          .contains('/media/')
          .and.not.contains(url);
        tenant = await scene.env.newTenant('of the call');
        scene.images.faults.push({ on: /picture/, act });
        expect((await byCall()).templates[0]).deep.include({ status: 'created', needsReview: false, notes: [] });
        expect(await htmlHere())
          .contains('/media/')
          .and.not.contains(url);
      });

    it('lists what stays there as a failure and for review, and fetches it when the migration is run again', async () => {
      scene.images.faults.push({ on: /picture/, times: 1_000, act: serverError });
      const found = await migrate({ migrateAll: true });
      expect(found.status).equal('completed_with_errors');
      expect(requests()).above(1);
      expect(found.phases[1]).deep.include({ total: 1, succeeded: 0, failed: 1 });
      expect(JSON.stringify(found.phases[1]?.errors)).contains(url);
      expect(JSON.stringify(found.report[1].needsReview)).contains(url);
      expect(await htmlHere()).contains(url);
      scene.images.faults.length = 0;
      const stored = await scene.env.deps.db.templates.findOne({ projectId: tenant.project._id });
      const edited = { emailTemplate: `<p>Edited here</p><img src="${url}">` };
      await tenant.client.patch(`/templates/${stored?.templateId}`, edited);
      const again = await migrate({ migrateAll: true });
      expect(again.phases[1]).deep.include({ total: 1, updated: 1, failed: 0 });
      expect(await htmlHere())
        .contains('Edited here')
        .and.contains('/media/')
        .and.not.contains(url);
    });

    it('says in the answer of a call that it needs review', async () => {
      scene.images.faults.push({ on: /picture/, times: 1_000, act: { kind: 'reset' } });
      const [made] = (await byCall()).templates;
      expect(made).deep.include({ status: 'created', needsReview: true });
      expect(made.notes.join()).contains(url);
    });
  });

  it('understands both words of its paths', async () => {
    const [welcome] = account.templates;
    const body = { apiKey: account.key, templateIds: [welcome?.id] };
    for (const path of ['sendgrid/sendgrid-template', 'sendgrid/sg-template', 'providerA/sg-template'])
      expect((await tenant.client.post(`/migrations/${path}`, body)).status, path).equal(200);
    const group = { apiKey: account.key, unsubscribeGroupId: 1236 };
    for (const path of ['sendgrid/sendgrid-unsubscribe-group', 'providerA/sg-unsubscribe-group'])
      expect((await tenant.client.post(`/migrations/${path}`, group)).status, path).equal(200);
    const { status, body: started } = await tenant.client.post('/migrations/sendgrid/migrate', body);
    expect([status, started.data.status]).deep.equal([202, 'queued']);
    const found = await settled(tenant, started.data.bulkOperationId);
    expect(found.status).equal('completed');
    // Without the id of a list no contact is imported.
    const skipped = ['skipped', 'completed', 'skipped', 'skipped', 'skipped'];
    expect(found.phases.map(({ status: one }) => one)).deep.equal(skipped);
  });

  it('shows a migration to its own project only', async () => {
    const { id } = await migrate({ templateIds: [account.templates[0]?.id] });
    expect((await job(tenant, id)).status).equal('completed');
    const { client } = scene.env.other;
    for (const reply of [
      await client.get(`/migrations/${id}`),
      await client.get(`/migrations/${id}/events`),
      await client.post(`/migrations/${id}/cancel`),
    ])
      expect([reply.status, reply.body.error.code]).deep.equal([404, 'MIGRATION_NOT_FOUND']);
    expect(dataOf(await tenant.client.get('/migrations?status=completed')).migrations).length(1);
    expect(dataOf(await client.get('/migrations')).migrations).length(0);
  });
});
