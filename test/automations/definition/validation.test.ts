import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { useEnvironment } from '../../support/environment.ts';
import { created, email, filter, makeSending, refusal, simple, wait } from '../support.ts';

const pro = filter('contactProperties.plan', 'equals', 'pro');
const inside = (branchId: string, parent = 'choice') => ({ parentBranchStepId: parent, parentBranchId: branchId });

/** Two branches that merge before a last mail. */
function graph(changes: Record<string, object> = {}) {
  const steps: Array<ReturnType<typeof wait>> = [
    wait(0, 'days', { stepId: 'start' }),
    email('first'),
    {
      type: 'branch',
      stepId: 'choice',
      branches: [
        { branchId: 'a', label: 'Pro', filterCriteria: pro, nextStepId: 'a-wait', mergeStepId: 'last-wait' },
        { branchId: 'b', label: 'Rest', nextStepId: 'b-wait', mergeStepId: 'last-wait' },
      ],
    },
    wait(1, 'days', { stepId: 'a-wait', ...inside('a') }),
    email('a-mail', inside('a')),
    wait(2, 'days', { stepId: 'b-wait', ...inside('b') }),
    email('b-mail', inside('b')),
    wait(3, 'days', { stepId: 'last-wait' }),
    email('last'),
  ];
  return { name: 'Graph', steps: steps.map((step) => ({ ...step, ...changes[step.stepId ?? ''] })) };
}

const branches = (a: object, b: object = {}) => ({
  branches: [
    { branchId: 'a', filterCriteria: pro, nextStepId: 'a-wait', mergeStepId: 'last-wait', ...a },
    { branchId: 'b', nextStepId: 'b-wait', mergeStepId: 'last-wait', ...b },
  ],
});

describe('Creating an automation', () => {
  const env = useEnvironment();
  const post = (body: object) => env.own.client.post('/automations', body);

  it('answers 201 with the whole resource, a draft when active is omitted', async () => {
    const reply = await post({
      ...simple,
      description: 'For everybody',
      tags: ['a', 'b'],
      exitCriteria: { type: 'entry_criteria_no_longer_met' },
      trackingOpen: false,
      unknownField: 1,
    });
    expect(reply.status, reply.text).to.equal(201);
    const { data } = reply.body;
    expect(data.id).to.match(/^[0-9a-f]{24}$/);
    expect(data).to.include({
      projectId: env.own.project._id.toHexString(),
      organizationId: env.own.organization._id.toHexString(),
      name: 'Welcome',
      description: 'For everybody',
      status: 'draft',
      trackingOpen: false,
      trackingClick: true,
      activeAt: null,
    });
    expect(data.tags).to.deep.equal(['a', 'b']);
    expect(data.entryCriteria).to.deep.equal({ type: 'contact_created' });
    expect(data.exitCriteria).to.deep.equal({ type: 'entry_criteria_no_longer_met' });
    expect(data).to.not.have.any.keys('unknownField', 'unsubscribeGroupId');
    expect(data.createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('leaves unsubscribeGroupId out of every answer where no group is named, and has it where one is', async () => {
    const { client } = env.own;
    const { groupId } = (await client.post('/suppression-groups', { name: 'Answers' })).body.data;
    const { id } = await created(client, '/automations', simple);
    const answers = async (change: object) => [
      (await client.patch(`/automations/${id}`, change)).body.data,
      (await client.get(`/automations/${id}`)).body.data,
      // Automations of the same second have no order.
      (await client.get('/automations?limit=100')).body.data.automations.find((one: { id: string }) => one.id === id),
    ];
    for (const change of [{ name: 'None' }, { unsubscribeGroupId: groupId }, { unsubscribeGroupId: null }]) {
      const isNamed = 'unsubscribeGroupId' in change && change.unsubscribeGroupId !== null;
      for (const answer of await answers(change)) {
        expect(answer.id).to.equal(id);
        if (isNamed) expect(answer).to.include({ unsubscribeGroupId: groupId });
        else expect(answer).to.not.have.property('unsubscribeGroupId');
      }
    }
  });

  it('answers the projectId of an email as it is given, whatever it names, and refuses one that is no text', async () => {
    const { client } = env.own;
    const [first, second] = simple.steps as [object, { email: object }];
    const steps = (projectId: unknown) => [first, { ...second, email: { ...second.email, projectId } }];
    for (const projectId of [env.own.project._id.toHexString(), env.other.project._id.toHexString(), 'shop']) {
      const { id } = await created(client, '/automations', { ...simple, steps: steps(projectId) });
      const read = (await client.get(`/automations/${id}`)).body.data;
      expect(read.steps[1].email).to.include({ projectId });
      expect(read.projectId, 'of the automation').to.equal(env.own.project._id.toHexString());
      const changed = await client.patch(`/automations/${id}`, { steps: simple.steps });
      expect(changed.body.data.steps[1].email).to.not.have.property('projectId');
    }
    const count = () => env.deps.db.automations.countDocuments({ projectId: env.own.project._id });
    const before = await count();
    const refused = await post({ ...simple, steps: steps(7) });
    expect(refusal(refused)).to.include({ status: 400, code: 'VALIDATION_ERROR' });
    expect(refused.body.error.details).to.contain('steps/1/email/projectId');
    expect(await count()).to.equal(before);
  });

  it('generates a stepId where none is given, keeps the given ones, and says how steps are linked', async () => {
    const { steps } = await created(env.own.client, '/automations', graph());
    expect(steps.map(({ stepId }: { stepId: string }) => stepId)).to.include.members(['start', 'choice', 'last']);
    expect(steps[2].branches[0]).to.include({
      nextStepId: 'a-wait',
      mergeStepId: 'last-wait',
      appliesTo: 'branch_entry',
    });
    expect(steps[3]).to.include({ parentBranchStepId: 'choice', parentBranchId: 'a', checkExitCriteria: true });
    const linear = await created(env.own.client, '/automations', {
      ...simple,
      steps: [wait(1), { type: 'email', email: { htmlTemplate: 'x', subject: 's' } }],
    });
    const ids = linear.steps.map(({ stepId }: { stepId: string }) => stepId);
    expect(new Set(ids).size).to.equal(2);
    for (const id of ids) expect(id).to.be.a('string').and.not.equal('');
  });

  it('a name is required: NAME_REQUIRED', async () => {
    for (const name of [undefined, '', '   '])
      expect(refusal(await post({ ...simple, name }))).to.include({ status: 400, code: 'NAME_REQUIRED' });
    expect(refusal(await post({ ...simple, name: 'x'.repeat(256) }))).to.include({ code: 'VALIDATION_ERROR' });
    expect((await post({ ...simple, name: 'x'.repeat(255) })).status).to.equal(201);
  });

  it('no steps, and steps that do not alternate from a wait to an email: INVALID_STEP_SEQUENCE, naming the step', async () => {
    const sequences: Array<[object[] | undefined, string]> = [
      [undefined, 'steps:'],
      [[], 'steps:'],
      [[email('e')], 'steps/0:'],
      [[wait(1)], 'steps/0:'],
      [[email('e'), wait(1)], 'steps/0:'],
      [[wait(1), wait(1), email('e')], 'steps/1:'],
      [[wait(1), email('a'), email('b')], 'steps/2:'],
      [[wait(1), email('a'), wait(1)], 'steps/2:'],
      [[wait(1), email('same'), wait(1), email('same')], 'steps/3/stepId:'],
      [[wait(1), email('a', { nextStepId: 'nowhere' })], 'steps/1/nextStepId:'],
    ];
    for (const [steps, place] of sequences) {
      const { code, details } = refusal(await post({ ...simple, steps }));
      expect(code, JSON.stringify(steps)).to.equal('INVALID_STEP_SEQUENCE');
      expect(details).to.include(place);
    }
    expect((await post({ ...simple, steps: [wait(0), email('a'), wait(1), email('b')] })).status).to.equal(201);
  });

  it('an email step needs templateId or htmlTemplate, and htmlTemplate a subject', async () => {
    for (const content of [undefined, {}, { subject: 'only' }]) {
      const { code, details } = refusal(await post({ ...simple, steps: [wait(1), { type: 'email', email: content }] }));
      expect(code).to.equal('EMAIL_TEMPLATE_REQUIRED');
      expect(details).to.include('steps/1/email');
    }
    const noSubject = await post({ ...simple, steps: [wait(1), { type: 'email', email: { htmlTemplate: 'x' } }] });
    expect(refusal(noSubject)).to.include({ code: 'VALIDATION_ERROR' });
    const broken = [wait(1), { type: 'email', email: { htmlTemplate: '{{#if}', subject: 's' } }];
    expect(refusal(await post({ ...simple, steps: broken })).details).to.match(/htmlTemplate.*line 1/);
  });

  it('a branch step needs branches: BRANCH_BRANCHES_REQUIRED', async () => {
    for (const none of [undefined, []]) {
      const steps = [wait(1), email('e'), { type: 'branch', branches: none }];
      const { code, details } = refusal(await post({ ...simple, steps }));
      expect(code).to.equal('BRANCH_BRANCHES_REQUIRED');
      expect(details).to.include('steps/2/branches');
    }
  });

  it('event_trigger needs an event name: EVENT_NAME_REQUIRED', async () => {
    const entry = (entryCriteria: object) => post({ ...simple, entryCriteria });
    expect(refusal(await entry({ type: 'event_trigger' }))).to.include({ status: 400, code: 'EVENT_NAME_REQUIRED' });
    expect((await entry({ type: 'event_trigger', eventName: 'purchase' })).status).to.equal(201);
  });

  it('a wait needs a whole, non-negative delay of 3,650 days at most', async () => {
    for (const delay of [
      undefined,
      { value: -1, unit: 'days' },
      { value: 1.5, unit: 'days' },
      { value: 1, unit: 'weeks' },
      { value: 3_651, unit: 'days' },
      { value: 3_650 * 24 + 1, unit: 'hours' },
    ])
      expect(refusal(await post({ ...simple, steps: [{ type: 'wait', delay }, email('e')] }))).to.include({
        status: 400,
        code: 'VALIDATION_ERROR',
      });
    for (const unit of ['minutes', 'mins', 'hours', 'days'])
      expect((await post({ ...simple, steps: [wait(0, unit), email('e')] })).status).to.equal(201);
    expect((await post({ ...simple, steps: [wait(3_650), email('e')] })).status).to.equal(201);
  });

  it('a graph is checked for missing targets, wrong places, circles, unreachable steps and branches that never merge', async () => {
    expect((await post(graph())).status).to.equal(201);
    const faults: Array<[string, object, RegExp]> = [
      [
        'a target that is no step',
        graph({ choice: branches({ nextStepId: 'nowhere' }) }),
        /steps\/2\/branches\/0\/nextStepId: names no step/,
      ],
      [
        'a merge step that is none',
        graph({ choice: branches({ mergeStepId: 'nowhere' }) }),
        /branches\/0\/mergeStepId: names no step/,
      ],
      [
        'a parent that is no branch',
        graph({ 'a-wait': { parentBranchId: 'c' } }),
        /steps\/3\/parentBranchId: names no branch/,
      ],
      ['half a parent', graph({ 'a-wait': { parentBranchId: null } }), /steps\/3: .*belong together/],
      [
        'a branch that begins outside of itself',
        graph({ choice: branches({ nextStepId: 'b-wait' }) }),
        /steps\/5: needs parentBranchStepId/,
      ],
      [
        'a step inside a branch that does not say so',
        graph({ 'a-wait': { parentBranchStepId: null, parentBranchId: null } }),
        /steps\/3: needs parentBranchStepId/,
      ],
      [
        'a step that leads out of its branch',
        graph({ 'a-mail': { nextStepId: 'b-wait' } }),
        /steps\/4\/nextStepId: must name a step of the same branch/,
      ],
      [
        'a branch that never merges',
        graph({ choice: branches({ mergeStepId: 'start' }) }),
        /branches\/0\/mergeStepId: the branch never gets there|circle/,
      ],
      [
        'a merge inside of the branch',
        graph({ choice: branches({ mergeStepId: 'a-mail' }) }),
        /must name a step outside of the branch/,
      ],
      ['a circle', graph({ last: { nextStepId: 'start' } }), /circle/],
      [
        'a step that nothing leads to',
        graph({ 'b-wait': { nextStepId: 'last-wait' } }),
        /must name a step of the same branch|steps\/6: no step leads here/,
      ],
      [
        'an email after a branch step',
        graph({ choice: branches({ nextStepId: 'a-mail' }) }),
        /steps\/3: no step leads here|steps\/4: an email step must be preceded/,
      ],
      [
        'an email after an email',
        graph({ choice: branches({ mergeStepId: 'last' }) }),
        /steps\/8: an email step must be preceded/,
      ],
    ];
    for (const [what, body, message] of faults) {
      const { code, details } = refusal(await post(body));
      expect(code, what).to.equal('INVALID_STEP_SEQUENCE');
      expect(details, what).to.match(message);
    }
    const first = {
      name: 'First',
      steps: [
        { type: 'branch', stepId: 'choice', branches: [{ branchId: 'a', filterCriteria: pro, nextStepId: 'e' }] },
        email('e', inside('a')),
      ],
    };
    expect(refusal(await post(first)).details).to.match(/steps\/1: an email step must be preceded by a wait/);
    const empty = {
      name: 'Empty branch',
      steps: [
        wait(0),
        email('e'),
        {
          type: 'branch',
          stepId: 'choice',
          nextStepId: 'w',
          branches: [{ branchId: 'a', filterCriteria: pro, mergeStepId: 'w' }],
        },
        wait(0, 'days', { stepId: 'w' }),
        email('z'),
      ],
    };
    expect((await post(empty)).status).to.equal(201);
  });

  it('filters are read by the one engine: fields, operators, aliases, and event paths only where an event starts it', async () => {
    const entry = (filterCriteria: object, more: object = {}) =>
      post({ ...simple, entryCriteria: { type: 'contact_property_matches_with', filterCriteria, ...more } });
    expect(refusal(await entry(filter('nonsense', 'equals', 'x'))).details).to.include(
      'entryCriteria/filterCriteria/groups/0/field',
    );
    expect(refusal(await entry(filter('email', 'greater_than', 'x'))).code).to.equal('VALIDATION_ERROR');
    expect(refusal(await entry(filter('event.name', 'equals', 'x'))).code).to.equal('VALIDATION_ERROR');
    const event = { type: 'event_trigger', eventName: 'purchase' };
    expect((await entry(filter('event.properties.amount', 'equals', 'x'), event)).status).to.equal(201);
    const alias = await entry({
      conditions: [{ field: 'customFields.plan', operator: 'equals', value: 'pro', unknown: 1 }],
    });
    expect(alias.body.data.entryCriteria.filterCriteria).to.deep.equal({
      logicalOperator: 'AND',
      groups: [{ field: 'customFields.plan', operator: 'equals', value: 'pro', fieldType: 'string' }],
    });
    const eventBranch = graph({ choice: branches({ triggerType: 'event_property' }) });
    expect(refusal(await post(eventBranch)).details).to.include('branches/0/triggerType');
    expect(
      refusal(
        await post({ ...simple, entryCriteria: { type: 'contact_added_to_list', listId: 'GLOBAL_CONTACT_LIST' } }),
      ).code,
    ).to.equal('VALIDATION_ERROR');
  });

  it('ids that name nothing are 404 with the field, the same for a foreign and a random one, and nothing is written', async () => {
    const foreign = await created(env.other.client, '/contact-lists', { name: 'Theirs' });
    const { template } = await makeSending(env.deps, env.other);
    const count = () => env.deps.db.automations.countDocuments({ projectId: env.own.project._id });
    const before = await count();
    const list = (listId: string) => post({ ...simple, entryCriteria: { type: 'contact_added_to_list', listId } });
    const withTemplate = (templateId: string) =>
      post({ ...simple, steps: [wait(0), { type: 'email', email: { templateId } }] });
    const group = (unsubscribeGroupId: string) => post({ ...simple, unsubscribeGroupId });
    const cases: Array<[(id: string) => ReturnType<typeof post>, string[], string]> = [
      [list, [foreign.id, new ObjectId().toHexString(), 'nonsense'], 'CONTACT_LIST_NOT_FOUND'],
      [withTemplate, [template.templateId, `A-${'0'.repeat(20)}`, 'nonsense'], 'TEMPLATE_NOT_FOUND'],
      [group, ['ZZZZZZ', 'nonsense'], 'SUPPRESSION_GROUP_NOT_FOUND'],
    ];
    for (const [send, ids, code] of cases) {
      const replies = await Promise.all(ids.map(send));
      for (const reply of replies) expect(refusal(reply)).to.include({ status: 404, code });
      expect(new Set(replies.map(({ text }) => text)).size).to.equal(1);
    }
    expect(await count()).to.equal(before);
  });

  it('an admin key gets 403, no key 401', async () => {
    const admin = env.client(env.own.adminKey, { 'x-project-id': env.own.project._id.toHexString() });
    expect((await admin.post('/automations', simple)).status).to.equal(403);
    expect((await env.client(null).post('/automations', simple)).status).to.equal(401);
  });

  it('the same Idempotency-Key gives the same automation', async () => {
    const headers = { 'Idempotency-Key': 'automation-1' };
    const [first, second] = [
      await env.own.client.post('/automations', simple, headers),
      await env.own.client.post('/automations', simple, headers),
    ];
    expect(second.body.data).to.deep.equal(first.body.data);
  });
});
