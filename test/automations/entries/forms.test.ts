import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { triggerQueue } from '../../../core/automations/enrollments/enroll.ts';
import { deleteForm } from '../../../core/forms/forms.ts';
import { formSubmissions } from '../../../core/forms/handle-submissions.ts';
import { type RunningQueues, startQueues } from '../../../core/jobs/queue.ts';
import { type Desk, startDesk } from '../../forms/support.ts';
import { until } from '../../support/wait.ts';
import { activeAutomation, created, filter, makeSending, refusal, simple } from '../support.ts';

const NAME = [{ name: 'firstName', label: 'Name', type: 'text' }];

describe('The entry form_submitted', function () {
  this.timeout(180_000);
  let desk: Desk;
  let loop: RunningQueues;
  before(async () => {
    desk = await startDesk();
    const { deps } = desk.environment;
    await makeSending(deps, desk.own);
    loop = startQueues(deps, [triggerQueue(deps)]);
    await loop.ready;
  });
  after(async () => {
    await loop.stop();
    await desk.stop();
  });
  beforeEach(() => desk.environment.clock.set(new Date()));
  afterEach(async () => {
    const live = await desk.db.automations.find({ status: 'active' }).toArray();
    for (const { _id } of live) await desk.own.client.post(`/automations/${_id}/archive`);
  });

  let people = 0;
  const address = () => `sender${++people}@in.test`;
  const opened = (formId: string, more: object = {}, fields: object = {}) =>
    activeAutomation(desk.own.client, { entryCriteria: { type: 'form_submitted', formId, ...more }, ...fields });
  /** How often the people of these addresses entered. */
  async function entries({ id }: { id: string }): Promise<Record<string, number>> {
    await until(
      () => desk.db.triggers.countDocuments({ dueAt: { $exists: true }, 'automationIds.0': { $exists: true } }),
      (count) => count === 0,
      { everyMs: 10 },
    );
    const found = await desk.db.enrollments.find({ automationId: new ObjectId(id) }).toArray();
    const contacts = await desk.db.contacts.find({ _id: { $in: found.map(({ contactId }) => contactId) } }).toArray();
    return Object.fromEntries(
      contacts.map(({ _id, email }) => [email, found.filter(({ contactId }) => contactId.equals(_id)).length]),
    );
  }

  it('without double opt-in: new and known people who send the form; not who sends another form or none', async () => {
    const form = await desk.form({ doubleOptIn: false, fields: NAME });
    const other = await desk.form({ doubleOptIn: false });
    const [fresh, known, elsewhere, absent] = [address(), address(), address(), address()];
    for (const email of [known, absent]) await desk.own.client.post('/contacts/email', { email });
    const one = await opened(form.id.toUpperCase());
    expect(one.entryCriteria).to.deep.equal({ type: 'form_submitted', formId: form.id });
    for (const email of [fresh, known]) await desk.send(form, { email });
    await desk.send(other, { email: elsewhere });
    await desk.own.client.post('/contacts/email', { email: absent, firstName: 'Changed', listIds: [form.listId] });
    await desk.settled();
    expect(await entries(one)).to.deep.equal({ [fresh]: 1, [known]: 1 });
    const [entered] = await desk.db.enrollments.find({ automationId: new ObjectId(one.id) }).toArray();
    expect(entered?.history[0]).to.include({ type: 'entered', reason: 'form_submitted' });
  });

  it('with double opt-in: after the confirmation, once, however often it is pressed; a filter sees what was sent', async () => {
    const form = await desk.form({ fields: NAME });
    const one = await opened(form.id);
    const filterCriteria = filter('firstName', 'equals', 'Ada');
    const onlyAda = await opened(form.id, { filterCriteria });
    const [ada, bob, silent] = [address(), address(), address()];
    for (const [email, firstName] of [
      [ada, 'Ada'],
      [bob, 'Bob'],
      [silent, 'Ada'],
    ] as const)
      await desk.send(form, { email, firstName });
    const links = [await desk.link(ada), await desk.link(bob)];
    await desk.link(silent);
    expect(await entries(one)).to.deep.equal({});
    for (const link of links) await Promise.all(Array.from({ length: 5 }, () => desk.press(link)));
    expect(await entries(one)).to.deep.equal({ [ada]: 1, [bob]: 1 });
    expect(await entries(onlyAda)).to.deep.equal({ [ada]: 1 });
  });

  it('a confirmation of several forms enters by each of them', async () => {
    const [first, second] = [await desk.form(), await desk.form()];
    const [one, two] = [await opened(first.id), await opened(second.id)];
    const email = address();
    await desk.send(first, { email });
    const link = await desk.link(email);
    await desk.send(second, { email });
    await desk.settled();
    await desk.press(link);
    expect([await entries(one), await entries(two)]).to.deep.equal([{ [email]: 1 }, { [email]: 1 }]);
  });

  it('a job that two processes take enters once', async () => {
    const form = await desk.form({ doubleOptIn: false });
    const one = await opened(form.id);
    const email = address();
    await desk.stopJobs();
    await desk.send(form, { email });
    desk.startJobs();
    const { deps } = desk.environment;
    const others = startQueues(deps, [formSubmissions(deps)]);
    await desk.settled();
    await others.stop();
    expect(await entries(one)).to.deep.equal({ [email]: 1 });
    expect(await desk.db.triggers.countDocuments({ automationIds: new ObjectId(one.id) })).to.equal(1);
  });

  it('who is inside is skipped, and enters again after the exit, unless reentry is once', async () => {
    const form = await desk.form({ doubleOptIn: false });
    const again = await opened(form.id);
    const once = await opened(form.id, {}, { reentry: 'once' });
    const email = address();
    const send = async () => {
      await desk.send(form, { email });
      await desk.settled();
    };
    await send();
    await send();
    expect(await entries(again)).to.deep.equal({ [email]: 1 });
    for (const { id } of [again, once]) {
      const [inside] = await desk.db.enrollments.find({ automationId: new ObjectId(id) }).toArray();
      await desk.own.client.delete(`/automations/${id}/enrollments/${inside?._id}`);
    }
    await send();
    expect([await entries(again), await entries(once)]).to.deep.equal([{ [email]: 2 }, { [email]: 1 }]);
    const triggers = await desk.db.triggers.find({ automationIds: new ObjectId(once.id) }).toArray();
    const outcomes = triggers.flatMap((trigger) => trigger.outcomes ?? []).map(({ reason }) => reason);
    expect(outcomes).to.include.members(['inside', 'entered_before']);
  });

  it('names a form of its own project: 404 with the field, and an activation says it with everything else', async () => {
    const { client } = desk.own;
    const foreign = desk.environment.other.client;
    const list = await created(foreign, '/contact-lists', { name: 'Theirs' });
    const theirs = await created(foreign, '/forms', { name: 'Theirs', listIds: [list.id] });
    for (const formId of [theirs.id, new ObjectId().toHexString(), 'no id']) {
      const body = { ...simple, entryCriteria: { type: 'form_submitted', formId } };
      const refused = refusal(await client.post('/automations', body));
      expect(refused).to.deep.include({ status: 404, code: 'FORM_NOT_FOUND' });
      expect(refused.details).to.include('entryCriteria/formId');
    }
    const draft = await created(client, '/automations', { ...simple, entryCriteria: { type: 'form_submitted' } });
    const without = refusal(await client.post(`/automations/${draft.id}/activate`));
    expect(without).to.deep.include({ status: 400, code: 'CANNOT_ACTIVATE_AUTOMATION' });
    expect(without.details).to.include('entryCriteria/formId: is required for form_submitted');
    const form = await desk.form();
    const entryCriteria = { type: 'form_submitted', formId: form.id };
    await client.patch(`/automations/${draft.id}`, { entryCriteria });
    expect((await client.delete(`/forms/${form.id}`)).status).to.equal(200);
    const gone = refusal(await client.post(`/automations/${draft.id}/activate`));
    expect(gone).to.deep.include({ status: 400, code: 'CANNOT_ACTIVATE_AUTOMATION' });
    expect(gone.details).to.include('entryCriteria/formId');
  });

  it('a form that lets people into an active automation cannot be deleted; a paused one does not keep it', async () => {
    const { client } = desk.own;
    const form = await desk.form();
    const one = await opened(form.id);
    const refused = await client.delete(`/forms/${form.id}`);
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
    expect(refused.body.error.message).to.include('the active automation "Welcome"');
    expect((await client.get(`/forms/${form.id}`)).status).to.equal(200);
    await client.post(`/automations/${one.id}/pause`);
    expect((await client.delete(`/forms/${form.id}`)).status).to.equal(200);
    expect((await client.delete(`/forms/${form.id}`)).status).to.equal(404);
    expect(refusal(await client.post(`/automations/${one.id}/resume`)).status).to.equal(400);
  });

  it('a deletion during which the automation is activated is refused', async () => {
    const { client, project } = desk.own;
    const { deps } = desk.environment;
    const form = await desk.form();
    const entryCriteria = { type: 'form_submitted', formId: form.id };
    const draft = await created(client, '/automations', { ...simple, entryCriteria });
    let answer: number | null = null;
    const usesOfForm = deps.subscribers.usesOfForm.map((useOf): typeof useOf => async (...given) => {
      const use = await useOf(...given);
      answer ??= (await client.post(`/automations/${draft.id}/activate`)).status;
      return use;
    });
    const slow = { ...deps, subscribers: { ...deps.subscribers, usesOfForm } };
    const refused = await deleteForm(slow, project, form.id).catch(({ code }) => code);
    expect([refused, answer]).to.deep.equal(['INVALID_STATE', 200]);
    expect((await client.get(`/forms/${form.id}`)).status).to.equal(200);
  });

  it('a simulation submits it, and refuses a form that is not there', async () => {
    const { client } = desk.own;
    const [form, other] = [await desk.form({ fields: NAME }), await desk.form()];
    const entryCriteria = { type: 'form_submitted', formId: form.id };
    const filterCriteria = filter('firstName', 'equals', 'Ada');
    const draft = await created(client, '/automations', {
      ...simple,
      entryCriteria: { ...entryCriteria, filterCriteria },
    });
    const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();
    const submits = (at: string, formId: string) => ({ at, kind: 'submits', formId });
    const path = `/automations/${draft.id}/simulate`;
    const answer = await client.post(path, {
      from: day(1),
      changes: [{ at: day(3), firstName: 'Ada' }],
      acts: [submits(day(2), form.id), submits(day(3), other.id), submits(day(3), form.id), submits(day(4), form.id)],
    });
    const { entries: made, skipped } = answer.body.data;
    expect(made.map(({ enteredAt }: { enteredAt: string }) => enteredAt)).to.deep.equal([day(3)]);
    expect(made[0].enteredBy).to.equal('form_submitted');
    expect(skipped).to.deep.equal([{ at: day(4), trigger: 'form_submitted', reason: 'inside' }]);
    const unknown = refusal(
      await client.post(path, { from: day(1), acts: [submits(day(2), new ObjectId().toHexString())] }),
    );
    expect([unknown.status, unknown.details]).to.deep.equal([404, 'acts/0/formId: names no form of this project']);
    const without = refusal(await client.post(path, { from: day(1), acts: [{ at: day(2), kind: 'submits' }] }));
    expect([without.status, without.details]).to.deep.equal([400, 'acts/0/formId: is required for submits']);
  });
});
