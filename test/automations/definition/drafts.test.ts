import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { publishAutomation } from '../../../core/automations/drafts/publish.ts';
import { deleteTemplate } from '../../../core/templates/templates.ts';
import { signIn } from '../../accounts/signed-in.ts';
import type { Client } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';
import { Crash, crashingDeps } from '../enrollments/crashing-deps.ts';
import { peopleInside } from '../people.ts';
import { activeAutomation, created, email, filter, makeSending, refusal, simple, wait } from '../support.ts';

describe('The draft of an automation', () => {
  const env = useEnvironment();
  const steps = [wait(2, 'days', { stepId: 'w' }), email('m')];
  const others = [wait(1, 'days', { stepId: 'w' }), email('new')];
  before(() => makeSending(env.deps, env.own));

  const at = (id: string, client: Client = env.own.client) => ({
    get: async (query = '') => (await client.get(`/automations/${id}${query}`)).body.data,
    draft: async () => (await client.get(`/automations/${id}?version=draft`)).body.data,
    save: (body: object) => client.patch(`/automations/${id}`, { draft: true, ...body }),
    publish: (body: object = {}) => client.post(`/automations/${id}/publish`, body),
    discard: (query = '') => client.delete(`/automations/${id}/draft${query}`),
    call: (what: string) => client.post(`/automations/${id}/${what}`),
  });
  /** Everything that is stored of it. */
  const stored = async (id: string) => ({
    automation: await env.deps.db.automations.findOne({ _id: new ObjectId(id) }),
    definitions: await env.deps.db.automationDefinitions.find({ automationId: new ObjectId(id) }).toArray(),
  });
  const INVALID_STATE = { status: 409, code: 'INVALID_STATE' };

  it('is saved in any status but archived, and changes nothing of what runs', async () => {
    const { id } = await created(env.own.client, '/automations', { ...simple, steps });
    const { get, draft, save, call } = at(id);
    for (const what of [null, 'activate', 'pause'] as const) {
      if (what) await call(what);
      const before = await get();
      const saved = await save({ name: `After ${what}`, steps: others });
      expect(saved.status, saved.text).to.equal(200);
      expect(saved.body.data).to.deep.include({ name: `After ${what}`, status: before.status, version: 1 });
      expect(saved.body.data.steps.map(({ stepId }: { stepId: string }) => stepId)).to.deep.equal(['w', 'new']);
      const { draft: mark, draftRevision, ...shown } = await get();
      const { draft: _, draftRevision: revision, ...rest } = before;
      expect(shown).to.deep.equal(rest);
      expect(draftRevision).to.equal(revision + 1);
      expect(mark).to.deep.include({ baseVersion: 1, isOutdated: false, updatedBy: null });
      expect((await draft()).steps).to.deep.equal(saved.body.data.steps);
    }
    await call('archive');
    expect(refusal(await save({ name: 'Too late' }))).to.include(INVALID_STATE);
    expect(await get(), 'an archived one has none').to.include({ draft: null });
    expect((await stored(id)).definitions).to.deep.equal([]);
  });

  it('is continued field by field, from what runs at first, and discarded', async () => {
    const { id } = await activeAutomation(env.own.client, { steps, description: 'Runs', tags: ['a'] });
    const { get, draft, save, discard } = at(id);
    const running = await get();
    expect(await draft(), 'without a draft an editor begins from what runs').to.deep.equal(running);
    expect(refusal(await discard())).to.include(INVALID_STATE);
    await save({ tags: [], unsubscribeGroupId: null });
    await save({ steps: others });
    expect(await draft()).to.deep.include({ name: 'Welcome', description: 'Runs', tags: [] });
    expect((await discard()).body).to.deep.equal({ success: true });
    const after = await get();
    expect(after).to.deep.include({ ...running, draftRevision: 3 });
    expect(await draft()).to.deep.equal(after);
    expect((await stored(id)).definitions).to.deep.equal([]);
  });

  it('whose content is gone counts as none, and the next one is saved from what runs', async () => {
    const { id } = await activeAutomation(env.own.client, { steps });
    const { get, draft, save, publish } = at(id);
    await save({ name: 'Lost' });
    await env.deps.db.automationDefinitions.deleteOne({ _id: `${id}:draft` });
    expect(await draft()).to.include({ name: 'Welcome', draft: null, draftRevision: 1 });
    expect(refusal(await publish())).to.include(INVALID_STATE);
    expect((await save({ tags: ['x'] })).body.data).to.deep.include({ name: 'Welcome', tags: ['x'], draftRevision: 2 });
    expect((await publish()).body.data).to.include({ version: 2 });
    expect(await get()).to.include({ draft: null });
  });

  it('is held to the rules of any automation that is saved, and a PATCH without draft to its own', async () => {
    const { id } = await activeAutomation(env.own.client, { steps });
    const { get, save } = at(id);
    const before = await stored(id);
    expect(refusal(await save({ steps: [wait(1), wait(1)] }))).to.include({ code: 'INVALID_STEP_SEQUENCE' });
    const nowhere = refusal(await save({ entryCriteria: { type: 'contact_added_to_list', listId: 'f'.repeat(24) } }));
    expect(nowhere).to.include({ status: 404, code: 'CONTACT_LIST_NOT_FOUND' });
    const moving = refusal(await save({ name: 'X', existing: 'move' }));
    expect(moving).to.deep.equal({
      status: 400,
      code: 'VALIDATION_ERROR',
      details: 'existing: does not go with draft: true',
    });
    expect(refusal(await save({ draftRevision: -1 })).details).to.match(/^draftRevision/);
    const plain = await env.own.client.patch(`/automations/${id}`, { name: 'X' });
    expect(refusal(plain)).to.include(INVALID_STATE);
    expect(plain.body.error.message).to.contain('draft: true');
    expect(await stored(id)).to.deep.equal(before);
    expect(await get()).to.include({ draft: null });
  });

  it('of two who save, publish or discard from the same state one is refused, with the state that there is', async () => {
    const { id } = await activeAutomation(env.own.client, { steps });
    const { get, draft, save, publish, discard } = at(id);
    const both = await Promise.all(['One', 'Two'].map((name) => save({ name, draftRevision: 0 })));
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    const won = both.find(({ status }) => status === 200)?.body.data;
    expect(await draft()).to.include({ name: won.name, draftRevision: 1 });
    const late = [save({ name: 'Late', draftRevision: 0 }), publish({ draftRevision: 0 }), discard('?draftRevision=0')];
    for (const reply of await Promise.all(late))
      expect(refusal(reply)).to.deep.equal({ ...INVALID_STATE, details: 'draftRevision: is 1' });
    expect(await draft()).to.include({ name: won.name, draftRevision: 1 });
    const racing = await Promise.all([publish({ draftRevision: 1 }), discard('?draftRevision=1')]);
    expect(racing.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expect(await get()).to.include({ draft: null, draftRevision: 2 });
  });

  it('that was published or discarded in between is not brought back by who began before', async () => {
    const { id } = await activeAutomation(env.own.client, { steps });
    const { draft, save, publish } = at(id);
    const { draftRevision } = await draft();
    await save({ name: 'By another' });
    await publish();
    expect(refusal(await save({ name: 'Old', draftRevision }))).to.include(INVALID_STATE);
    expect(await draft()).to.include({ name: 'By another', draft: null });
  });

  it('becomes the definition with the next version, with what it changes and nothing else', async () => {
    const { id } = await activeAutomation(env.own.client, { steps, tags: ['a'] });
    const { get, save, publish } = at(id);
    const before = await get();
    const entryCriteria = { type: 'contact_property_matches_with', filterCriteria: filter('email', 'contains', 'x') };
    await save({ name: 'Second', steps: others, entryCriteria });
    const published = await publish();
    expect(published.status, published.text).to.equal(200);
    const { inside, ...answered } = published.body.data;
    expect(inside).to.deep.equal({ kept: 0, moved: 0, leaving: 0 });
    expect(answered).to.deep.equal(await get());
    expect(answered).to.deep.include({ name: 'Second', version: 2, status: 'active', draft: null, tags: ['a'] });
    expect(answered).to.include({ activeAt: before.activeAt, createdAt: before.createdAt });
    expect(answered.entryCriteria.type).to.equal(entryCriteria.type);
    const { definitions } = await stored(id);
    expect(definitions.map(({ _id }) => _id)).to.deep.equal([`${id}:1`]);
    expect(definitions[0]?.steps).to.deep.equal(before.steps);
    expect(refusal(await publish())).to.include(INVALID_STATE);
  });

  it('of an automation that was never active is published without the rules of activation', async () => {
    const { id } = await created(env.own.client, '/automations', { ...simple, steps });
    const { save, publish, call, get } = at(id);
    const foreign = { htmlTemplate: 'x', subject: 's', senderEmail: 'me@unverified.test' };
    await save({ steps: [wait(0), { type: 'email', email: foreign }] });
    expect((await publish()).body.data).to.include({ status: 'draft', version: 2 });
    expect(refusal(await call('activate'))).to.include({ code: 'CANNOT_ACTIVATE_AUTOMATION' });
    expect(await get()).to.include({ activeAt: null });
  });

  it('that could not be activated is not published: all faults at once, each with its step, and nothing is written', async () => {
    const { client } = env.own;
    const { template } = await makeSending(env.deps, await env.newTenant('Elsewhere'));
    await env.deps.db.templates.updateOne({ _id: template._id }, { $set: { projectId: env.own.project._id } });
    const foreign = { htmlTemplate: 'x', subject: 's', senderEmail: 'me@unverified.test' };
    const faulty = {
      entryCriteria: { type: 'event_trigger', eventName: 'undeclared' },
      steps: [
        wait(0),
        { type: 'email', email: { templateId: template.templateId } },
        wait(0),
        { type: 'email', email: foreign },
      ],
    };
    const { id } = await activeAutomation(client, { steps });
    const { save, publish, call } = at(id);
    expect((await save(faulty)).status).to.equal(200);
    // A draft that names a template does not keep it, as a paused automation does not.
    await deleteTemplate(env.deps, env.own.project, template.templateId);
    for (const status of ['active', 'paused']) {
      if (status === 'paused') await call('pause');
      const before = await stored(id);
      const refused = await publish({ existing: 'move' });
      expect(refusal(refused)).to.include({ status: 400, code: 'CANNOT_ACTIVATE_AUTOMATION' });
      expect(refused.body.error.message).to.match(/^The draft cannot be published: /);
      for (const place of ['entryCriteria/eventName', 'steps/1/email/templateId', 'steps/3/email/senderEmail'])
        expect(refusal(refused).details).to.contain(place);
      expect(await stored(id)).to.deep.equal(before);
    }
  });

  it('that is older than a change of the paused automation is compared with it before it is published', async () => {
    const { id } = await activeAutomation(env.own.client, { steps });
    const { get, draft, save, publish, call } = at(id);
    await save({ steps: others });
    await call('pause');
    const patched = await env.own.client.patch(`/automations/${id}`, { name: 'Patched' });
    expect(patched.body.data).to.deep.include({ version: 2, draftRevision: 2 });
    expect(patched.body.data.draft).to.include({ baseVersion: 1, isOutdated: true });
    const refused = await publish();
    expect(refusal(refused)).to.deep.equal({ ...INVALID_STATE, details: 'draft: is older than version 2' });
    expect(refused.body.error.message).to.contain('draftRevision: 2');
    await save({ tags: ['x'] });
    expect((await draft()).draft, 'whoever does not say what they saw').to.include({ isOutdated: true });
    expect((await save({ name: 'Compared', draftRevision: 3 })).body.data.draft).to.include({ isOutdated: false });
    expect((await publish({ draftRevision: 4 })).body.data).to.include({ name: 'Compared', version: 3 });
    expect((await get()).draft).to.equal(null);
  });

  it('says how many people are inside, and how many are on a step that it does not have', async () => {
    const { id } = await activeAutomation(env.own.client, {
      steps: [...steps, wait(1, 'days', { stepId: 'x' }), email('y')],
    });
    const { get, draft, save, publish } = at(id);
    await peopleInside(env, id, 3, { stepId: 'w', started: true });
    await peopleInside(env, id, 2, { stepId: 'x', started: true });
    await save({
      steps: [wait(2, 'days', { stepId: 'other' }), email('m'), wait(1, 'days', { stepId: 'w' }), email('y')],
    });
    const { inside, leaving } = (await draft()).draft;
    expect({ inside, leaving }).to.deep.equal({ inside: 5, leaving: [{ stepId: 'x', inside: 2 }] });
    expect((await get()).draft).to.not.have.any.keys('inside', 'leaving');
    expect((await publish({ existing: 'move' })).body.data.inside).to.deep.equal({ kept: 0, moved: 3, leaving: 2 });
    await save({ steps: others });
    expect((await publish({ existing: 'keep' })).body.data.inside).to.deep.equal({ kept: 5, moved: 0, leaving: 0 });
  });

  it('a process that dies anywhere in the publication leaves the draft, or the new version, and nothing between', async () => {
    const seen = new Set<number | undefined>();
    for (const when of ['before', 'after'] as const)
      for (let n = 1, crashed = true; crashed; n += 1) {
        const { id } = await created(env.own.client, '/automations', { ...simple, steps, active: true });
        const { save, publish } = at(id);
        await save({ name: 'Second', steps: others });
        const whole = await stored(id);
        const dying = crashingDeps(env.deps, n, when);
        await publishAutomation(dying.deps, env.own.project, id, {}).catch((error: Error) => {
          expect(error).to.be.instanceOf(Crash);
        });
        crashed = dying.crashed();
        const after = await stored(id);
        seen.add(after.automation?.version);
        if (after.automation?.version === 1) expect(after).to.deep.equal(whole);
        else expect(after.definitions.map(({ _id }) => _id)).to.deep.equal([`${id}:1`]);
        // A repeat ends what was not done.
        if (after.automation?.version === 1) expect((await publish()).status).to.equal(200);
        await env.own.client.post(`/automations/${id}/archive`);
      }
    expect([...seen].sort()).to.deep.equal([1, 2]);
  });

  it('is simulated with version: draft, warnings included; without, what runs is', async () => {
    const { id } = await activeAutomation(env.own.client, { steps });
    const { draft, save } = at(id);
    const from = '2026-01-01T00:00:00.000Z';
    const mails = async (body: object) =>
      (await env.own.client.post(`/automations/${id}/simulate`, { from, ...body })).body.data.mails;
    const running = [{ at: '2026-01-03T00:00:00.000Z', stepId: 'm', subject: 'm', templateId: null }];
    expect(await mails({ version: 'draft' }), 'there is no draft').to.deep.equal(running);
    await save({ steps: others });
    expect(await mails({})).to.deep.equal(running);
    expect(await mails({ version: 'draft' })).to.deep.equal([
      { at: '2026-01-02T00:00:00.000Z', stepId: 'new', subject: 'new', templateId: null },
    ]);
    expect((await draft()).warnings.map(({ stepId }: { stepId: string }) => stepId)).to.deep.equal(['new']);
    const other = await env.own.client.post(`/automations/${id}/simulate`, { version: 'other' });
    expect(refusal(other).details).to.match(/^version/);
  });

  it('keeps the group that it names, until it is discarded', async () => {
    const { client } = env.own;
    const { groupId } = await created(client, '/suppression-groups', { name: 'Monthly' });
    const { id } = await activeAutomation(client, { steps });
    const { save, discard } = at(id);
    await save({ name: 'Named', unsubscribeGroupId: groupId });
    const kept = await client.delete(`/suppression-groups/${groupId}`);
    expect(refusal(kept)).to.include({ status: 409 });
    expect(kept.body.error.message).to.contain('the draft of the automation "Named"');
    await discard();
    expect((await client.delete(`/suppression-groups/${groupId}`)).status).to.equal(200);
  });

  it('is saved by an author, and published by an editor', async () => {
    const { own } = env;
    const [author, editor] = [await signIn(env, own, 'author'), await signIn(env, own, 'editor')];
    const { id } = await activeAutomation(own.client, { steps });
    const by = at(id, author.client);
    const saved = await by.save({ steps: others });
    expect(saved.status, saved.text).to.equal(200);
    expect(saved.body.data.draft).to.include({ updatedBy: author.member._id.toHexString() });
    const before = await stored(id);
    const refused = [by.publish(), by.call('pause'), author.client.patch(`/automations/${id}`, { name: 'X' })];
    const [published, paused, patched] = await Promise.all(refused);
    for (const reply of [published, paused])
      expect(refusal(reply!)).to.include({ status: 403, code: 'PERMISSION_DENIED' });
    expect(refusal(patched!), 'it is active').to.include(INVALID_STATE);
    expect(await stored(id)).to.deep.equal(before);
    expect((await at(id, editor.client).publish()).body.data).to.deep.include({ version: 2, draft: null });
  });

  it("another project's answers as one that does not exist", async () => {
    const { id } = await activeAutomation(env.own.client, { steps });
    await at(id).save({ steps: others });
    const before = await stored(id);
    const [theirs, random] = await Promise.all(
      [id, 'f'.repeat(24)].map(async (one) => {
        const { save, publish, discard } = at(one, env.other.client);
        const read = env.other.client.get(`/automations/${one}?version=draft`);
        const simulated = env.other.client.post(`/automations/${one}/simulate`, { version: 'draft' });
        return Promise.all([read, save({ name: 'X' }), publish(), discard(), simulated]);
      }),
    );
    for (const reply of theirs!) expect(refusal(reply)).to.include({ status: 404, code: 'AUTOMATION_NOT_FOUND' });
    expect(theirs!.map(({ text }) => text)).to.deep.equal(random!.map(({ text }) => text));
    expect(await stored(id)).to.deep.equal(before);
  });
});
