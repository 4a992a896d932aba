import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Enrollment } from '../../../core/automations/model/enrollment.ts';
import { suppress } from '../../../core/consent/suppressions/suppressions.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { type AutomationStage, openAutomationStage } from '../stage.ts';
import { activeAutomation, created, email, enrollmentsOf, filter, makeSending, refusal, wait } from '../support.ts';

const DAY = 86_400_000;
type Shown = Enrollment & { id: string; wakeAt: string };

describe('People in an automation', function () {
  this.timeout(120_000);
  let env: Environment;
  let stage: AutomationStage;
  before(async () => {
    env = await startEnvironment({ ENROLL_PER_SECOND: '1000' });
    await makeSending(env.deps, env.own);
    stage = await openAutomationStage(env);
  });
  after(async () => {
    await stage.stop();
    await env.stop();
  });
  beforeEach(() => stage.onWait(skip));
  afterEach(async () => {
    const live = await env.deps.db.automations.find({ status: 'active' }).toArray();
    for (const { _id } of live) await env.own.client.post(`/automations/${_id}/archive`);
  });

  const skip = async ({ untilMs }: { untilMs: number }) => {
    if (untilMs > env.clock.now().getTime()) env.clock.set(new Date(untilMs));
    return 'skip' as const;
  };
  const stay = async () => 'stay' as const;
  let people = 0;
  const newContact = (more: object = {}) => {
    people += 1;
    return created(env.own.client, '/contacts', { email: `person${people}@example.com`, ...more });
  };
  const upsert = (contact: { email: string }, more: object) =>
    env.own.client.post('/contacts/email', { email: contact.email, ...more });
  const statistics = async (id: string) => (await env.own.client.get(`/automations/${id}`)).body.data.statistics;
  const only = (id: string, isIt: (one: Shown) => boolean): Promise<Shown> =>
    until(
      async () => (await enrollmentsOf(env, id))[0],
      (one) => one !== undefined && isIt(one),
    );
  const ended = (id: string) => only(id, ({ status }) => status !== 'active');
  /** The person is in that wait, and has its run. */
  const waiting = async (id: string, stepId: string) => {
    const person = await only(id, (one) => one.status === 'active' && one.stepId === stepId);
    await until(
      () => env.deps.db.enrollments.findOne({ _id: new ObjectId(person.id) }),
      (one) => one?.dueAt === undefined,
    );
    return person;
  };
  const mailsOf = (contactId: string) =>
    env.deps.db.messages
      .find({ contactId: new ObjectId(contactId) })
      .sort({ createdAt: 1 })
      .toArray();
  const stepsOf = ({ history }: { history: Array<{ type: string; stepId?: string }> }) =>
    history.map(({ type, stepId }) => (stepId ? `${type} ${stepId}` : type));

  it('go through a linear automation: each wait, each mail once, into the automation lane, and then it is completed', async () => {
    const { id } = await activeAutomation(env.own.client, {
      steps: [wait(2, 'days', { stepId: 'w1' }), email('m1'), wait(3, 'hours', { stepId: 'w2' }), email('m2')],
      trackingOpen: false,
    });
    const contact = await newContact({ firstName: 'Ann' });
    const person = await ended(id);
    expect(person.status).to.equal('completed');
    expect(stepsOf(person)).to.deep.equal(['entered', 'wait w1', 'email m1', 'wait w2', 'email m2', 'completed']);
    const [, w1, m1, w2, m2] = person.history.map(({ at, until: end }) => [
      Date.parse(String(at)),
      Date.parse(String(end)),
    ]);
    expect(Number(w1?.[1]) - Number(w1?.[0])).to.equal(2 * DAY);
    expect(Number(m1?.[0]) - Number(w1?.[0])).to.be.within(2 * DAY, 2 * DAY + 60_000);
    expect(Number(m2?.[0]) - Number(w2?.[0])).to.be.within(DAY / 8, DAY / 8 + 60_000);
    const mails = await mailsOf(contact.id);
    expect(
      mails.map(({ lane, state, subject, automationId }) => [lane, state, subject, String(automationId)]),
    ).to.deep.equal([
      ['automation', 'queued', 'm1', id],
      ['automation', 'queued', 'm2', id],
    ]);
    expect(mails.map(({ _id }) => _id.toHexString())).to.deep.equal(
      person.history.flatMap(({ emailId }) => (emailId ? [String(emailId)] : [])),
    );
    const content = await env.deps.db.contents.findOne({ messageIds: mails[0]?._id });
    expect(content).to.deep.include({
      html: '<p>m1</p>',
      marketing: true,
      groupId: null,
      trackingOpen: false,
      trackingClick: true,
    });
    expect(content?.from).to.deep.equal({ email: `news@${env.own.project._id}.test`, name: 'News' });
    // Removed a week after the last outcome, as the contents of every other mail.
    expect(content?.removeDueAt).to.deep.equal(new Date(Number(content?.createdAt) + 7 * DAY));
  });

  it('statistics say who entered, is inside, completed or left by reason, and what each step did', async () => {
    stage.onWait(stay);
    const { id } = await activeAutomation(env.own.client, {
      steps: [wait(2, 'days', { stepId: 'w1' }), email('m1')],
    });
    const [first, second] = [await newContact(), await newContact()];
    await until(
      () => statistics(id),
      ({ steps }) => steps[0].active === 2,
    );
    expect(await statistics(id)).to.deep.include({ entered: 2, active: 2, completed: 0, exited: 0, emails: 0 });
    await env.own.client.delete(`/contacts/${first.id}`);
    expect(await statistics(id)).to.deep.include({ entered: 2, active: 1, exited: 1 });
    expect((await statistics(id)).exitedBy).to.deep.equal({ contact_deleted: 1 });
    stage.onWait(skip);
    const inside = (await enrollmentsOf(env, id, '?status=active'))[0];
    expect(inside).to.include({ contactId: second.id, email: second.email, stepId: 'w1', nextStepId: 'm1' });
    await nudge(inside.id);
    // The job that wakes the run may end after the run.
    await until(
      () => statistics(id),
      ({ completed, backlog }) => completed === 1 && backlog.triggers + backlog.starts === 0,
    );
    const { steps, ...total } = await statistics(id);
    expect(total).to.deep.include({ entered: 2, active: 0, completed: 1, exited: 1, emails: 1, parked: 0 });
    expect(total.backlog).to.deep.equal({ triggers: 0, starts: 0 });
    expect(steps[0]).to.include({ stepId: 'w1', type: 'wait', entered: 2, active: 0, exited: 1, emails: 0 });
    expect(steps[1]).to.include({ stepId: 'm1', type: 'email', entered: 1, active: 0, exited: 0, emails: 1 });
    expect((await enrollmentsOf(env, id, '?status=exited')).length).to.equal(1);
  });

  async function nudge(enrollmentId: string): Promise<void> {
    const found = await env.deps.db.enrollments.findOne({ _id: new ObjectId(enrollmentId) });
    if (found?.waitUntil && found.waitUntil > env.clock.now()) env.clock.set(found.waitUntil);
    await env.deps.db.enrollments.updateOne(
      { _id: new ObjectId(enrollmentId) },
      { $set: { dueAt: new Date(0), asked: true } },
    );
  }

  describe('take branches', () => {
    const inside = (branchId: string) => ({ parentBranchStepId: 'choice', parentBranchId: branchId });
    const pro = filter('contactProperties.plan', 'equals', 'pro');
    const steps = (appliesTo = 'branch_entry', mergeStepId: string | null = 'end-wait') => [
      wait(1, 'days', { stepId: 'start' }),
      email('hello'),
      {
        type: 'branch',
        stepId: 'choice',
        nextStepId: 'end-wait',
        branches: [{ branchId: 'pro', label: 'Pro', filterCriteria: pro, appliesTo, nextStepId: 'p1', mergeStepId }],
      },
      wait(1, 'days', { stepId: 'p1', ...inside('pro') }),
      email('p-mail', inside('pro')),
      wait(1, 'days', { stepId: 'p2', ...inside('pro') }),
      email('p-mail-2', inside('pro')),
      wait(1, 'days', { stepId: 'end-wait' }),
      email('bye'),
    ];

    it('the first whose criteria hold, and merge again; the others go by the branch step itself', async () => {
      const { id } = await activeAutomation(env.own.client, { steps: steps() });
      await newContact({ contactProperties: { plan: 'PRO' } });
      const person = await ended(id);
      expect(stepsOf(person)).to.deep.equal([
        ...['entered', 'wait start', 'email hello', 'branch choice', 'wait p1', 'email p-mail', 'wait p2'],
        ...['email p-mail-2', 'wait end-wait', 'email bye', 'completed'],
      ]);
      expect(person.history.find(({ type }) => type === 'branch')).to.include({
        branchId: 'pro',
        rule: 'contactProperties.plan equals "pro"',
      });
      await newContact({ contactProperties: { plan: 'free' } });
      const other = await only(id, ({ status, history }) => status === 'completed' && history.length === 7);
      expect(stepsOf(other)).to.deep.equal([
        ...['entered', 'wait start', 'email hello', 'branch choice', 'wait end-wait', 'email bye', 'completed'],
      ]);
    });

    it('that apply to all their steps are left when they no longer hold: on to the merge step, else the end', async () => {
      for (const [mergeStepId, last] of [
        ['end-wait', ['wait end-wait', 'email bye', 'completed']],
        [null, ['completed']],
      ] as const) {
        const { id } = await activeAutomation(env.own.client, { steps: steps('all_branch_steps', mergeStepId) });
        stage.onWait(async (wish, enrollmentId) => {
          const person = await env.deps.db.enrollments.findOne({ _id: new ObjectId(enrollmentId) });
          if (person?.stepId === 'p2') await upsert(await arriving, { contactProperties: { plan: 'free' } });
          return skip(wish);
        });
        const arriving = newContact({ contactProperties: { plan: 'pro' } });
        await arriving;
        const person = await ended(id);
        await env.own.client.post(`/automations/${id}/archive`);
        expect(stepsOf(person).slice(4)).to.deep.equal([
          'wait p1',
          'email p-mail',
          'wait p2',
          'branch_left p-mail-2',
          ...last,
        ]);
      }
    });

    it('by the event that let the person in', async () => {
      await created(env.own.client, '/events', {
        eventName: 'bought',
        properties: [{ propertyName: 'amount', type: 'number' }],
      });
      const branch = {
        branchId: 'pro',
        triggerType: 'event_property',
        filterCriteria: filter('event.properties.amount', 'greater_than', 100),
        nextStepId: 'p1',
        mergeStepId: 'end-wait',
      };
      const { id } = await activeAutomation(env.own.client, {
        entryCriteria: { type: 'event_trigger', eventName: 'bought' },
        steps: steps().map((step) => (step.type === 'branch' ? { ...step, branches: [branch] } : step)),
      });
      const contact = await newContact();
      const send = (amount: number) =>
        created(env.own.client, '/events/send', {
          eventName: 'bought',
          contactId: contact.id,
          eventProperties: { amount },
        });
      await send(101);
      expect(stepsOf(await ended(id))).to.include('email p-mail');
      await send(99);
      await stage.settled();
      const second = await until(
        () => enrollmentsOf(env, id),
        (all) => all.length === 2 && all.every(({ status }: Enrollment) => status === 'completed'),
      );
      expect(second.filter((one: Enrollment) => stepsOf(one).includes('email p-mail')).length).to.equal(1);
    });
  });

  it('leave early when the entry criteria are no longer met, before a step that checks it and not before one that does not', async () => {
    const list = await created(env.own.client, '/contact-lists', { name: 'VIP' });
    const body = (checkExitCriteria: boolean) => ({
      entryCriteria: { type: 'contact_added_to_list', listId: list.id },
      exitCriteria: { type: 'entry_criteria_no_longer_met' },
      steps: [
        wait(1, 'days', { stepId: 'w1' }),
        email('m1', { checkExitCriteria }),
        wait(1, 'days', { stepId: 'w2', checkExitCriteria: false }),
        email('m2'),
      ],
    });
    for (const [checks, expected] of [
      [true, ['entered', 'wait w1', 'exited m1']],
      [false, ['entered', 'wait w1', 'email m1', 'wait w2', 'exited m2']],
    ] as const) {
      const { id } = await activeAutomation(env.own.client, body(checks));
      stage.onWait(async (wish) => {
        await env.own.client.post(`/contact-lists/${list.id}/contacts/remove`, { contactIds: [contact.id] });
        return skip(wish);
      });
      const contact = await newContact();
      await upsert(contact, { listIds: [list.id] });
      const person = await ended(id);
      expect(stepsOf(person)).to.deep.equal(expected);
      expect(person).to.include({ status: 'exited', exitReason: 'criteria_no_longer_met' });
    }
  });

  it('leave at once when they unsubscribe, whatever they wait for, and again get no mail when they re-enter', async () => {
    stage.onWait(stay);
    const entryCriteria = {
      type: 'contact_property_matches_with',
      filterCriteria: filter('contactProperties.plan', 'equals', 'pro'),
    };
    const { id } = await activeAutomation(env.own.client, {
      entryCriteria,
      steps: [wait(30, 'days', { stepId: 'w' }), email('m')],
    });
    const contact = await newContact({ contactProperties: { plan: 'pro' } });
    await waiting(id, 'w');
    await suppress(env.deps, env.own.project._id, { emails: [contact.email], reason: 'BOUNCE' });
    expect((await enrollmentsOf(env, id))[0].status).to.equal('active');
    await suppress(env.deps, env.own.project._id, { emails: [contact.email.toUpperCase()], reason: 'UNSUBSCRIBE' });
    const person = (await enrollmentsOf(env, id))[0];
    expect(person).to.include({ status: 'exited', exitReason: 'unsubscribed', wakeAt: null });
    await upsert(contact, { contactProperties: { plan: 'free' } });
    await upsert(contact, { contactProperties: { plan: 'pro' } });
    const again = await until(
      () => enrollmentsOf(env, id),
      (all) => all.length === 2 && all.every(({ status }: Enrollment) => status === 'exited'),
    );
    expect(again.map(({ exitReason }: Enrollment) => exitReason)).to.deep.equal(['unsubscribed', 'unsubscribed']);
    expect(await mailsOf(contact.id)).to.deep.equal([]);
    await runEnds(person.id);
  });

  it('leave when they are deleted: their run ends, and what their event said is erased', async () => {
    stage.onWait(stay);
    await created(env.own.client, '/events', {
      eventName: 'left',
      properties: [{ propertyName: 'why', type: 'string' }],
    });
    const { id } = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'event_trigger', eventName: 'left' },
      steps: [wait(30, 'days', { stepId: 'w' }), email('m')],
    });
    const event = await created(env.own.client, '/events/send', {
      eventName: 'left',
      email: 'secret@example.com',
      eventProperties: { why: 'secret' },
    });
    const person = await waiting(id, 'w');
    await env.own.client.delete(`/contacts/${event.contactId}`);
    const after = (await enrollmentsOf(env, id))[0];
    expect(after).to.include({ status: 'exited', exitReason: 'contact_deleted', email: null, wakeAt: null });
    await runEnds(person.id);
    const stored = await until(
      () => env.deps.db.enrollments.findOne({ _id: new ObjectId(person.id) }),
      (one) => one?.event === null,
    );
    expect(JSON.stringify(stored)).to.not.include('secret');
    expect((await env.deps.db.events.findOne({ _id: new ObjectId(String(event.id)) }))?.properties).to.deep.equal({});
  });

  const runEnds = (enrollmentId: string) =>
    until(
      () => stage.handle(enrollmentId).describe(),
      ({ status }) => status.name === 'COMPLETED',
    );

  it('the Web UI shows the step of each person, by ids alone', async () => {
    stage.onWait(stay);
    const { id } = await activeAutomation(env.own.client, {
      steps: [wait(3, 'days', { stepId: 'w' }), email('welcome-2')],
    });
    const contact = await newContact({ firstName: 'Zebulon' });
    const person = await waiting(id, 'w');
    const run = await stage.handle(person.id).describe();
    const attributes = Object.fromEntries(
      run.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
    );
    expect(attributes).to.deep.include({
      ProjectId: String(env.own.project._id),
      AutomationId: id,
      ContactId: contact.id,
    });
    expect(await run.staticSummary()).to.equal(`Contact ${contact.id} in automation ${id}`);
    const history = await until(
      () => stage.handle(person.id).fetchHistory(),
      ({ events }) => events?.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes) === true,
    );
    const timer = history.events?.find(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
    expect(JSON.parse(Buffer.from(timer?.userMetadata?.summary?.data ?? '').toString())).to.equal(
      'wait 3 days, then welcome-2',
    );
    expect(JSON.stringify(history)).to.not.match(/Zebulon|@example/);
  });

  it('wait at their next step while the automation is paused, and continue when it is resumed', async () => {
    const { id } = await activeAutomation(env.own.client, {
      steps: [wait(1, 'days', { stepId: 'w1' }), email('m1'), wait(1, 'days', { stepId: 'w2' }), email('m2')],
    });
    stage.onWait(stay);
    const contact = await newContact();
    const person = await waiting(id, 'w1');
    await env.own.client.post(`/automations/${id}/pause`);
    stage.onWait(skip);
    await nudge(person.id);
    const parked = await only(id, (one) => one.parked);
    expect(parked).to.include({ status: 'active', stepId: 'w1' });
    expect(await statistics(id)).to.deep.include({ active: 1, parked: 1 });
    await runEnds(person.id);
    expect(await mailsOf(contact.id)).to.deep.equal([]);
    const outside = await newContact();
    await stage.settled();
    expect((await enrollmentsOf(env, id)).length).to.equal(1);
    env.clock.advance(10 * DAY);
    await env.own.client.post(`/automations/${id}/resume`);
    const done = await ended(id);
    expect(stepsOf(done)).to.deep.equal([
      'entered',
      'wait w1',
      'parked w1',
      'email m1',
      'wait w2',
      'email m2',
      'completed',
    ]);
    const [m1, w2] = [done.history[3], done.history[4]];
    expect(Date.parse(String(w2?.until)) - Date.parse(String(m1?.at))).to.equal(DAY);
    expect((await mailsOf(contact.id)).length).to.equal(2);
    expect(await mailsOf(outside.id)).to.deep.equal([]);
  });

  describe('while they wait, the automation is edited', () => {
    const v1 = [wait(5, 'days', { stepId: 'w1' }), email('m1'), wait(1, 'days', { stepId: 'w2' }), email('old')];
    const v2 = [wait(2, 'days', { stepId: 'w1' }), email('m1'), wait(1, 'days', { stepId: 'w3' }), email('new')];
    async function edited(existing: string | undefined, steps: object[]) {
      stage.onWait(stay);
      const { id } = await activeAutomation(env.own.client, { steps: v1 });
      await newContact();
      const person = await waiting(id, 'w1');
      await env.own.client.post(`/automations/${id}/pause`);
      const patch = await env.own.client.patch(`/automations/${id}`, { steps, ...(existing ? { existing } : {}) });
      expect(patch.status, patch.text).to.equal(200);
      expect(patch.body.data.version).to.equal(2);
      await env.own.client.post(`/automations/${id}/resume`);
      return { id, person };
    }

    it('people inside keep the definition they entered with; new ones get the new one', async () => {
      const { id, person } = await edited(undefined, v2);
      stage.onWait(skip);
      await nudge(person.id);
      expect(stepsOf(await ended(id))).to.deep.equal([
        'entered',
        'wait w1',
        'email m1',
        'wait w2',
        'email old',
        'completed',
      ]);
      const contact = await newContact();
      const other = await only(id, (one) => String(one.contactId) === contact.id && one.status === 'completed');
      expect(stepsOf(other)).to.include('email new');
    });

    it('with existing: move they continue in the new one, their wait counted from when it began', async () => {
      const { id, person } = await edited('move', v2);
      const moved = await only(id, ({ version }) => version === 2);
      expect(stepsOf(moved)).to.deep.equal(['entered', 'wait w1', 'moved']);
      expect(Date.parse(moved.wakeAt) - Date.parse(String(moved.history[1]?.at))).to.equal(2 * DAY);
      stage.onWait(skip);
      await nudge(person.id);
      expect(stepsOf(await ended(id)).slice(3)).to.deep.equal(['email m1', 'wait w3', 'email new', 'completed']);
    });

    it('with existing: move those whose current step is gone exit', async () => {
      const { id } = await edited('move', [wait(1, 'days', { stepId: 'other' }), email('m1')]);
      const person = await ended(id);
      expect(person).to.include({ status: 'exited', exitReason: 'step_removed' });
      const { steps } = await statistics(id);
      expect(steps.find(({ stepId }: { stepId: string }) => stepId === 'w1')).to.include({
        type: 'removed',
        active: 0,
        exited: 1,
      });
    });
  });

  it('leave when a call removes them, also while the automation is paused: the run ends, and a repeat is 404', async () => {
    stage.onWait(stay);
    const steps = [wait(0), email('m1'), wait(30, 'days', { stepId: 'w' }), email('m2')];
    const { id } = await activeAutomation(env.own.client, { steps });
    const { id: contactId } = await newContact();
    const person = await waiting(id, 'w');
    await env.own.client.post(`/automations/${id}/pause`);
    const remove = (enrollmentId: string, of = id, client = env.own.client) =>
      client.delete(`/automations/${of}/enrollments/${enrollmentId}`);
    const other = await created(env.own.client, '/automations', { name: 'Other', steps });
    const unknown = await remove('0123456789abcdef01234567');
    expect(refusal(unknown)).to.include({ status: 404, code: 'ENROLLMENT_NOT_FOUND' });
    expect((await remove(person.id, other.id)).text).to.equal(unknown.text);
    const reply = await remove(person.id);
    expect([reply.status, reply.body]).to.deep.equal([200, { success: true }]);
    expect(await ended(id)).to.include({ status: 'exited', exitReason: 'removed', stepId: 'w' });
    expect(await statistics(id)).to.deep.include({ active: 0, exited: 1, exitedBy: { removed: 1 } });
    expect((await remove(person.id)).text).to.equal(unknown.text);
    await runEnds(person.id);
    expect((await mailsOf(contactId)).map(({ state }) => state)).to.deep.equal(['queued']);
  });

  it('leave when the automation is archived or deleted', async () => {
    stage.onWait(stay);
    const { id } = await activeAutomation(env.own.client, { steps: [wait(30, 'days', { stepId: 'w' }), email('m')] });
    await newContact();
    const person = await waiting(id, 'w');
    await env.own.client.post(`/automations/${id}/archive`);
    expect(await ended(id)).to.include({ status: 'exited', exitReason: 'automation_archived' });
    expect(await statistics(id)).to.deep.include({ active: 0, exited: 1 });
    await runEnds(person.id);
  });

  it('a mail whose template was deleted is left out, with the reason, and the person continues', async () => {
    const { template } = await makeSending(env.deps, await env.newTenant('Elsewhere'));
    await env.deps.db.templates.updateOne({ _id: template._id }, { $set: { projectId: env.own.project._id } });
    const { id } = await activeAutomation(env.own.client, {
      steps: [
        wait(1, 'days', { stepId: 'w' }),
        { type: 'email', stepId: 'm', email: { templateId: template.templateId } },
        wait(0, 'days', { stepId: 'w2' }),
        email('m2'),
      ],
    });
    await env.deps.db.templates.deleteOne({ _id: template._id });
    await newContact();
    const person = await ended(id);
    expect(person.history.find(({ stepId }) => stepId === 'm')).to.include({
      type: 'email',
      reason: 'the template was deleted',
    });
    expect(person.status).to.equal('completed');
    expect((await statistics(id)).emails).to.equal(1);
  });
});
