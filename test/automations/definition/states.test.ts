import { expect } from 'chai';
import { type Tenant, useEnvironment } from '../../support/environment.ts';
import { activeAutomation, created, email, filter, makeSending, refusal, simple, wait } from '../support.ts';

describe('The states of an automation', () => {
  const env = useEnvironment();
  let mute: Tenant;
  before(async () => {
    await makeSending(env.deps, env.own);
    mute = await env.newTenant('Without senders');
  });
  const draft = (more: object = {}) => created(env.own.client, '/automations', { ...simple, ...more });
  const call = (id: string, what: string) => env.own.client.post(`/automations/${id}/${what}`);

  it('active: true validates and activates during creation, and sets activeAt', async () => {
    const automation = await activeAutomation(env.own.client, {});
    expect(automation.activeAt).to.be.a('string');
  });

  it('activation asks for what the entry type needs, naming each; nothing is created otherwise', async () => {
    const count = () => env.deps.db.automations.countDocuments({ projectId: env.own.project._id });
    const before = await count();
    const missing: Array<[object, string]> = [
      [{ type: 'contact_added_to_list' }, 'entryCriteria/listId'],
      [{ type: 'contact_property_matches_with' }, 'entryCriteria/filterCriteria'],
      [{ type: 'contact_property_changes_from_to' }, 'entryCriteria/property'],
      [{ type: 'event_trigger', eventName: 'undeclared' }, 'entryCriteria/eventName'],
      [{ type: 'contact_added_to_list', listId: '0123456789abcdef01234567' }, 'entryCriteria/listId'],
    ];
    for (const [entryCriteria, field] of missing) {
      const reply = await env.own.client.post('/automations', { ...simple, active: true, entryCriteria });
      expect(refusal(reply)).to.include({ status: 400, code: 'CANNOT_ACTIVATE_AUTOMATION' });
      expect(refusal(reply).details).to.include(field);
    }
    expect(await count()).to.equal(before);
  });

  it('activation warns of each step whose body has no unsubscribe link, and activates all the same', async () => {
    const { client } = env.own;
    const withLink = (stepId: string, variable: string) =>
      email(stepId, { email: { subject: stepId, htmlTemplate: `<a href="{{${variable}}}">Leave</a>` } });
    const linked = [wait(0), withLink('a', 'unsubscribe'), wait(0), withLink('b', 'preferencesUrl')];
    const good = await created(client, '/automations', { ...simple, steps: linked, active: true });
    expect([good.status, good.warnings]).to.deep.equal(['active', []]);
    const templateId = (await client.post('/templates', { templateName: 'T', subject: 'S', emailTemplate: 'x' })).body
      .data.templateId;
    const byTemplate = { type: 'email', stepId: 'by-template', email: { templateId } };
    const draft = await created(client, '/automations', { ...simple, steps: [...linked, wait(0), byTemplate] });
    const { status, body } = await client.post(`/automations/${draft.id}/activate`, {});
    expect([status, body.data.status]).to.deep.equal([200, 'active']);
    expect(body.data.warnings).to.deep.equal([
      {
        stepId: 'by-template',
        code: 'NO_UNSUBSCRIBE_LINK',
        message: 'The body of this mail has no unsubscribe link: use {{unsubscribe}} or {{preferencesUrl}}.',
      },
    ]);
  });

  it('activation asks for a sender on a verified domain for every email step, naming each step', async () => {
    const two = { ...simple, active: true, steps: [wait(0), email('a'), wait(0), email('b')] };
    const none = refusal(await mute.client.post('/automations', two));
    expect(none).to.include({ status: 400, code: 'CANNOT_ACTIVATE_AUTOMATION' });
    expect(none.details).to.include('steps/1/email/senderEmail').and.include('steps/3/email/senderEmail');
    const foreign = { htmlTemplate: 'x', subject: 's', senderEmail: 'me@unverified.test' };
    const steps = [wait(0), { type: 'email', email: foreign }];
    expect(refusal(await env.own.client.post('/automations', { ...simple, active: true, steps })).details).to.include(
      'is not on a verified domain',
    );
    const { id } = await draft({ steps });
    expect(refusal(await call(id, 'activate'))).to.include({ status: 400, code: 'CANNOT_ACTIVATE_AUTOMATION' });
  });

  it('draft -> active <-> paused, any -> archived; every other transition is 409 INVALID_STATE naming both', async () => {
    const { id } = await draft();
    const allowed = async (what: string, status: string) => {
      const reply = await call(id, what);
      expect(reply.status, reply.text).to.equal(200);
      expect(reply.body.data.status).to.equal(status);
    };
    const refused = async (...whats: string[]) => {
      for (const what of whats) {
        const reply = await call(id, what);
        expect(refusal(reply), what).to.include({ status: 409, code: 'INVALID_STATE' });
        expect(reply.body.error.message).to.match(/The automation is (\w+); it can be \w+ when it is \w+/);
      }
    };
    await refused('pause', 'resume');
    await allowed('activate', 'active');
    await refused('activate', 'resume');
    expect((await env.own.client.delete(`/automations/${id}`)).status).to.equal(409);
    await allowed('pause', 'paused');
    await refused('pause');
    await allowed('resume', 'active');
    await allowed('archive', 'archived');
    await refused('activate', 'pause', 'resume', 'archive');
    for (const from of ['draft', 'paused']) {
      const other = await draft();
      if (from === 'paused') for (const what of ['activate', 'pause']) await call(other.id, what);
      expect((await call(other.id, 'archive')).body.data.status).to.equal('archived');
    }
  });

  it('is edited by PATCH in draft or paused only, and checked as at creation', async () => {
    const { id } = await draft({ tags: ['old'] });
    const patch = (body: object) => env.own.client.patch(`/automations/${id}`, body);
    const changed = await patch({
      name: 'New',
      description: 'd',
      tags: [],
      entryCriteria: { type: 'contact_property_matches_with', filterCriteria: filter('email', 'contains', 'x') },
    });
    expect(changed.status, changed.text).to.equal(200);
    expect(changed.body.data).to.include({ name: 'New', description: 'd', status: 'draft' });
    expect(changed.body.data.tags).to.deep.equal([]);
    expect(changed.body.data.steps.map(({ stepId }: { stepId: string }) => stepId)).to.include('welcome');
    expect(refusal(await patch({ name: '' }))).to.include({ status: 400, code: 'NAME_REQUIRED' });
    expect(refusal(await patch({ steps: [] }))).to.include({ status: 400, code: 'INVALID_STEP_SEQUENCE' });
    expect(refusal(await patch({ existing: 'later' }))).to.include({ status: 400, code: 'VALIDATION_ERROR' });
    await call(id, 'activate');
    expect(refusal(await patch({ name: 'Too late' }))).to.include({ status: 409, code: 'INVALID_STATE' });
    await call(id, 'pause');
    expect((await patch({ name: 'Paused' })).body.data).to.include({ name: 'Paused', status: 'paused' });
    await call(id, 'archive');
    expect((await patch({ name: 'Gone' })).status).to.equal(409);
  });

  it('lists answer page by page, with status filter and exact total; deleted ones are gone', async () => {
    const { client } = await env.newTenant('Lists');
    const ids: string[] = [];
    for (const name of ['one', 'two', 'three'])
      ids.push((await created(client, '/automations', { ...simple, name })).id);
    const pages = await Promise.all([1, 2].map((page) => client.get(`/automations?limit=2&page=${page}`)));
    const seen = pages.flatMap(({ body }) => body.data.automations.map(({ id }: { id: string }) => id));
    expect(seen).to.have.members(ids);
    expect(pages[0]?.body.data.pagination).to.deep.equal({ page: 1, limit: 2, total: 3, pages: 2 });
    expect((await client.get('/automations?status=active')).body.data.pagination.total).to.equal(0);
    expect((await client.get('/automations?status=nonsense')).status).to.equal(400);
    expect((await client.delete(`/automations/${ids[0]}`)).body).to.deep.equal({ success: true });
    expect((await client.get(`/automations/${ids[0]}`)).status).to.equal(404);
    expect((await client.get('/automations')).body.data.pagination.total).to.equal(2);
  });

  it('of another project behave as not existing', async () => {
    const { id } = await draft();
    const { client } = env.other;
    const replies = await Promise.all([
      client.get(`/automations/${id}`),
      client.patch(`/automations/${id}`, { name: 'x' }),
      client.delete(`/automations/${id}`),
      client.get(`/automations/${id}/enrollments`),
      ...['activate', 'pause', 'resume', 'archive'].map((what) => client.post(`/automations/${id}/${what}`)),
      client.post(`/automations/${id}/simulate`, {}),
    ]);
    for (const reply of replies) expect(refusal(reply)).to.include({ status: 404, code: 'AUTOMATION_NOT_FOUND' });
  });

  it('a change that is stored is answered with 200 although its statistics cannot be read', async () => {
    const { client } = env.own;
    const { id } = await draft();
    const { triggers } = env.deps.db;
    const { countDocuments } = triggers;
    triggers.countDocuments = () => Promise.reject(new Error('cut off after the change was stored'));
    const change = async () => {
      const saved = await client.patch(`/automations/${id}`, { name: 'Renamed' });
      const drafted = await client.patch(`/automations/${id}`, { draft: true, name: 'Drafted' });
      const published = await client.post(`/automations/${id}/publish`);
      return [saved, drafted, published, await call(id, 'activate'), await call(id, 'pause'), await call(id, 'resume')];
    };
    const replies = await change().finally(() => {
      triggers.countDocuments = countDocuments;
    });
    expect(replies.map(({ status, body }) => [status, body.data?.status, body.data?.name])).to.deep.equal([
      [200, 'draft', 'Renamed'],
      [200, 'draft', 'Drafted'],
      [200, 'draft', 'Drafted'],
      [200, 'active', 'Drafted'],
      [200, 'paused', 'Drafted'],
      [200, 'active', 'Drafted'],
    ]);
    expect((await client.get(`/automations/${id}`)).body.data.statistics).to.include({ active: 0 });
  });

  it('a template that an active automation uses cannot be deleted', async () => {
    const { template } = await makeSending(env.deps, mute);
    const steps = [wait(0), { type: 'email', email: { templateId: template.templateId } }];
    const { id } = await activeAutomation(mute.client, { steps });
    const { deleteTemplate } = await import('../../../core/templates/templates.ts');
    const fault = await deleteTemplate(env.deps, mute.project, template.templateId).catch((error) => error);
    expect(fault).to.include({ kind: 'conflict', code: 'INVALID_STATE' });
    await mute.client.post(`/automations/${id}/pause`);
    await deleteTemplate(env.deps, mute.project, template.templateId);
    expect(refusal(await mute.client.post(`/automations/${id}/resume`))).to.include({
      status: 400,
      code: 'CANNOT_ACTIVATE_AUTOMATION',
    });
  });
});
