import { expect } from 'chai';
import { type AccountB, emptyAccountB, sampleAccountB, sampleContactB } from '../providers/account-b.ts';
import type { Arrival } from '../providers/stand-in.ts';
import type { Tenant } from '../support/environment.ts';
import { dataOf, settled, start, tenantWithB, useScene } from './support.ts';
import { expectedOfB, pictureOf } from './targets.ts';

describe('A migration from provider B', function () {
  this.timeout(120_000);
  const scene = useScene();
  let account: AccountB;
  let tenant: Tenant;
  beforeEach(async () => {
    account = sampleAccountB({ ratePerSecond: 10_000 }, 130);
    tenant = await tenantWithB(scene, account);
  });

  async function migrate(body: object) {
    return settled(tenant, await start(tenant, 'providerB', { apiKey: account.key, ...body }));
  }

  it('brings over what the source has: topics as empty groups, the unsubscribed suppressed globally, #each flagged', async () => {
    const { status, phases, report } = await migrate({ migrateAll: true });
    expect(status).equal('completed');
    expect(phases.map(({ name }) => name)).deep.equal([
      'customFields',
      'templates',
      'audiences',
      'contacts',
      'topics',
      'unsubscribed',
    ]);
    const picture = await pictureOf(scene.env, tenant);
    expect(picture).deep.include(expectedOfB(account));
    expect(picture.suppressedGlobally).length(33);
    const counts = report.map(({ sourceCount, targetCount }: Record<string, unknown>) => [sourceCount, targetCount]);
    expect(counts).deep.equal([
      [0, 0],
      [23, 22],
      [3, 3],
      [130, 130],
      [22, 22],
      [33, 33],
    ]);
    const flagged = picture.templates.filter(({ isFlagged }) => isFlagged);
    expect(flagged.map(({ name }) => name)).deep.equal(['Template 2']);
    expect(JSON.stringify(report[1].needsReview)).contains('#each');
  });

  it('writes contact properties onto custom fields through the mappings, asking for each contact once', async () => {
    const [, age] = account.properties;
    account.contacts = account.contacts.slice(0, 25);
    const found = await migrate({
      migrateAll: true,
      customFieldMappings: [
        { providerBFieldId: 'no-such-id', providerBFieldName: 'plan', fieldName: 'tariff', fieldType: 'string' },
        { resendFieldId: age?.id, fieldName: 'age', fieldType: 'number' },
        { providerBFieldName: 'vip', fieldName: 'vip', fieldType: 'boolean' },
      ],
    });
    expect(found.status).equal('completed');
    const { contacts, fields } = await pictureOf(scene.env, tenant);
    expect(fields).deep.equal({ age: 'number', tariff: 'string', vip: 'boolean' });
    const properties = (email: string) => (contacts[email] as { contactProperties: object }).contactProperties;
    expect(properties('person120@example.org')).deep.equal({ tariff: 'pro', age: 140, vip: true });
    expect(properties('person129@example.org')).deep.equal({});
    const details = scene.b.log.filter(({ url, key }) => key === account.key && /^\/contacts\/[^?]+$/.test(url));
    expect(details).length(25);
  });

  it('migrates only the selected audiences, their members, and of those the unsubscribed', async () => {
    const [, trial] = account.segments;
    account.contacts[1]!.unsubscribed = account.contacts[1]!.segmentIds.includes(trial?.id ?? '');
    const found = await migrate({ audienceIds: [trial?.id], topicIds: [account.topics[0]?.id] });
    expect(found.status).equal('completed');
    const members = account.contacts.filter(({ segmentIds }) => segmentIds.includes(trial?.id ?? ''));
    const picture = await pictureOf(scene.env, tenant);
    expect(Object.keys(picture.contacts)).deep.equal(members.map(({ email }) => email).sort());
    expect(Object.keys(picture.lists)).deep.equal(['Trial']);
    expect(Object.keys(picture.groups)).deep.equal(['Topic 0']);
    const gone = members.filter(({ unsubscribed }) => unsubscribed).map(({ email }) => email);
    expect(picture.suppressedGlobally).deep.equal(gone.sort());
  });

  it('continues when the contact at its cursor is deleted at the source', async () => {
    const last = account.contacts[99]!;
    const remove = () => {
      account.contacts = account.contacts.filter((contact) => contact !== last);
    };
    scene.b.faults.push({
      on: new RegExp(`/contacts\\?limit=100&after=${last.id}`),
      act: { kind: 'meanwhile', run: remove },
    });
    const found = await migrate({ migrateAll: true });
    expect(found.phases[3]).deep.include({ succeeded: 130, total: 130, failed: 0 });
  });

  it('skips a contact that is deleted before its properties are read', async () => {
    account.contacts = account.contacts.slice(0, 12);
    const gone = account.contacts[5]!;
    const remove = () => {
      account.contacts = account.contacts.filter((contact) => contact !== gone);
    };
    scene.b.faults.push({ on: new RegExp(`/contacts/${gone.id}`), act: { kind: 'meanwhile', run: remove } });
    const mapping = { providerBFieldName: 'plan', fieldName: 'plan', fieldType: 'string' };
    const found = await migrate({ audienceIds: account.segments.map(({ id }) => id), customFieldMappings: [mapping] });
    expect(found.status).equal('completed');
    expect(found.phases[3]).deep.include({ skipped: 1 });
    const { contacts } = await pictureOf(scene.env, tenant);
    expect(contacts).not.property(gone.email);
  });

  it('continues when an audience is deleted at the source while its members are read', async () => {
    const [customers] = account.segments;
    const remove = () => {
      account.segments = account.segments.slice(1);
    };
    const path = new RegExp(`/segments/${customers?.id}/contacts`);
    scene.b.faults.push({ on: path, act: { kind: 'meanwhile', run: remove } });
    const found = await migrate({ audienceIds: account.segments.map(({ id }) => id) });
    expect(found.status).equal('completed');
    expect(JSON.stringify(found.report[3].needsReview)).contains('was deleted at the source');
    const { lists } = await pictureOf(scene.env, tenant);
    expect(lists.Trial).deep.equal(expectedOfB(account).lists.Trial);
  });

  it('finds who came in at the source while it was walking', async () => {
    scene.b.faults.push({
      on: /\/contacts\?limit=100&after=/,
      act: {
        kind: 'meanwhile',
        run: () => {
          account.contacts.unshift(sampleContactB(500, account.segments));
        },
      },
    });
    await migrate({ migrateAll: true });
    const { contacts, lists } = await pictureOf(scene.env, tenant);
    expect(Object.keys(contacts)).length(131);
    expect(lists).deep.equal(expectedOfB(account).lists);
  });

  it('suppresses who unsubscribed at the source after the walk had read them', async () => {
    const person = account.contacts.find(({ unsubscribed }) => !unsubscribed)!;
    scene.b.faults.push({
      on: /\/contacts\?limit=100&after=/,
      act: {
        kind: 'meanwhile',
        run: () => {
          person.unsubscribed = true;
        },
      },
    });
    await migrate({ migrateAll: true });
    const suppressed = await scene.env.deps.db.suppressions.distinct('email', {
      projectId: tenant.project._id,
      isGlobal: true,
    });
    expect(suppressed).to.include(person.email.toLowerCase());
  });

  it('plans: counts contacts page by page, and a key that may only send reads no section', async () => {
    const plan = dataOf(await tenant.client.post('/migrations/providerB/plan', { apiKey: account.key }));
    expect(plan).deep.include({ totalContacts: 130, unsubscribedContacts: 33, countsComplete: true, skipped: [] });
    expect([plan.templates.length, plan.topics.length, plan.audiences.length]).deep.equal([23, 22, 3]);
    expect(plan.customFields[1]).deep.include({ name: 'age', fieldType: 'number' });
    account.keyState = 'sending_only';
    const nothing = dataOf(await tenant.client.post('/migrations/resend/plan', { resendApiKey: account.key }));
    expect(nothing.skipped).deep.equal(['templates', 'customFields', 'audiences', 'topics', 'contacts']);
    account.keyState = 'invalid';
    const { status, body } = await tenant.client.post('/migrations/providerB/plan', { apiKey: account.key });
    expect([status, body.error.code]).deep.equal([422, 'INVALID_PROVIDER_KEY']);
  });

  it('migrates single templates, one with #each flagged for review', async () => {
    const ids = [account.templates[2]?.id, account.templates[4]?.id, 'unknown'];
    const call = { apiKey: account.key, templateIds: ids };
    const made = dataOf(await tenant.client.post('/migrations/providerB/template', call));
    expect(made).deep.include({ created: 1, updated: 0, skipped: 1, failed: 1 });
    expect(made.templates[0]).deep.include({ status: 'created', needsReview: true });
    const again = { ...call, onExistUpdateHTML: true };
    const updated = dataOf(await tenant.client.post('/migrations/resend/resend-template', again));
    expect(updated).deep.include({ created: 0, updated: 1 });
    expect(updated.templates[0].templateId).equal(made.templates[0].templateId);
  });

  it('understands both words of its paths, and no others', async () => {
    const templateIds = [account.templates[2]?.id];
    const answered = async (path: string) => {
      const body = { resendApiKey: account.key, templateIds };
      return (await tenant.client.post(`/migrations/${path}`, body)).status;
    };
    for (const last of ['template', 'providerB-template', 'resend-template'])
      for (const word of ['providerB', 'resend'])
        expect(await answered(`${word}/${last}`), `${word} ${last}`).equal(200);
    for (const path of ['resend/sg-template', 'sendgrid/template', 'providerb/template'])
      expect(await answered(path), path).equal(404);
    const { status, body } = await tenant.client.post('/migrations/resend/migrate', {
      resendApiKey: account.key,
      templateIds,
    });
    expect([status, body.data.status]).deep.equal([202, 'queued']);
    expect((await settled(tenant, body.data.bulkOperationId)).phases[1]).deep.include({ skipped: 1, succeeded: 0 });
  });
});

describe('Two migrations from provider B at once', () => {
  const scene = useScene({ PROVIDER_B_RATE: '2', MIGRATION_PATIENCE_SECONDS: '20' });

  it('keep their own pace of two requests a second and never mix', async function () {
    this.timeout(120_000);
    const accounts = [smallAccount('first'), smallAccount('second')];
    const tenants = await Promise.all(accounts.map((account) => tenantWithB(scene, account)));
    const began = performance.now();
    const jobs = await Promise.all(
      tenants.map(async (tenant, index) => {
        const id = await start(tenant, 'providerB', { apiKey: accounts[index]?.key, migrateAll: true });
        return settled(tenant, id);
      }),
    );
    const tookMs = performance.now() - began;
    expect(jobs.map(({ status }) => status)).deep.equal(['completed', 'completed']);
    for (const [index, account] of accounts.entries()) {
      const arrivals = scene.b.log.filter(({ key }) => key === account.key);
      expect(mostInASecond(arrivals)).at.most(2);
      expect(arrivals.every(({ status }) => status === 200)).equal(true);
      expect(tookMs).below(arrivals.length * 550 * 3);
      const picture = await pictureOf(scene.env, tenants[index]!);
      expect(picture).deep.include(expectedOfB(account));
    }
  });
});

/** Contacts on two pages; nothing in it has the name that the other account's things have. */
function smallAccount(name: string): AccountB {
  const segments = [{ id: `segment-${name}`, name: `Segment of ${name}` }];
  const contacts = Array.from({ length: 120 }, (_, index) => sampleContactB(200 - index, segments));
  return emptyAccountB({
    segments,
    topics: [{ id: `topic-${name}`, name: `Topic of ${name}`, description: null }],
    contacts: contacts.map((contact) => ({ ...contact, email: `${name}.${contact.email}` })),
  });
}

function mostInASecond(arrivals: Arrival[]): number {
  const times = arrivals.map(({ at }) => at);
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}
