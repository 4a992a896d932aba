import { expect } from 'chai';
import { suppress } from '../../../core/consent/suppressions/suppressions.ts';
import { useEnvironment } from '../../support/environment.ts';
import { created, email, filter, makeSending, refusal, simple, wait } from '../support.ts';

const FROM = '2030-01-01T00:00:00.000Z';
const day = (n: number, hours = 0) => new Date(Date.parse(FROM) + n * 86_400_000 + hours * 3_600_000).toISOString();
const inside = (branchId: string) => ({ parentBranchStepId: 'choice', parentBranchId: branchId });
const pro = filter('contactProperties.plan', 'equals', 'pro');

describe('Simulating an automation', () => {
  const env = useEnvironment();
  before(async () => {
    await created(env.own.client, '/events', {
      eventName: 'bought',
      properties: [{ propertyName: 'amount', type: 'number' }],
    });
  });

  async function simulate(automation: object, scenario: object) {
    const { id } = await created(env.own.client, '/automations', { ...simple, ...automation });
    const reply = await env.own.client.post(`/automations/${id}/simulate`, { from: FROM, ...scenario });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.data;
  }
  const choice = (appliesTo = 'branch_entry') => [
    wait(1, 'days', { stepId: 'start' }),
    email('hello'),
    {
      type: 'branch',
      stepId: 'choice',
      nextStepId: 'end',
      branches: [
        { branchId: 'pro', label: 'Pro', filterCriteria: pro, appliesTo, nextStepId: 'p1', mergeStepId: 'end' },
        { branchId: 'team', filterCriteria: filter('contactProperties.plan', 'equals', 'team'), mergeStepId: 'end' },
      ],
    },
    wait(2, 'days', { stepId: 'p1', ...inside('pro') }),
    email('p-mail', inside('pro')),
    wait(1, 'days', { stepId: 'end' }),
    email('bye'),
  ];

  it('answers the ordered mails with their times, and the exit', async () => {
    const { template } = await makeSending(env.deps, env.own);
    const steps = [
      wait(2),
      email('m1'),
      wait(36, 'hours'),
      { type: 'email', stepId: 'm2', email: { templateId: template.templateId } },
    ];
    const answer = await simulate({ steps }, { contact: { email: 'ann@example.com' } });
    expect(answer.entered).to.equal(true);
    expect(answer.mails).to.deep.equal([
      { at: day(2), stepId: 'm1', subject: 'm1', templateId: null },
      { at: day(3, 12), stepId: 'm2', subject: 'Hello {{firstName}}', templateId: template.templateId },
    ]);
    expect(answer.exit).to.deep.equal({ at: day(3, 12), status: 'completed', reason: null });
    expect(answer.entries[0]).to.include({ enteredAt: FROM, enteredBy: 'contact_created' });
  });

  it('renders a mail as the person sees it, with the data that they have when it leaves', async () => {
    const written = (stepId: string) => ({
      ...{ type: 'email', stepId },
      email: {
        subject: '{{firstName}} has {{contactProperties.plan}}',
        htmlTemplate: '<p>{{event.properties.amount}} on {{date}} {{plan}}</p><a href="{{unsubscribe}}">Leave</a>',
      },
    });
    const { id } = await created(env.own.client, '/automations', {
      ...simple,
      entryCriteria: { type: 'event_trigger', eventName: 'bought' },
      steps: [
        wait(1),
        written('before'),
        { type: 'update_contact', update: { contactProperties: { plan: 'pro' } } },
        wait(1),
        written('after'),
      ],
    });
    const ask = (preview: unknown) =>
      env.own.client.post(`/automations/${id}/simulate`, {
        ...{ from: FROM, preview },
        contact: { firstName: 'Ann', contactProperties: { plan: 'free' } },
        events: [{ at: FROM, eventName: 'bought', properties: { amount: 12 } }],
      });
    const plain = (await ask(undefined)).body.data;
    expect(plain.mails).to.have.length(2);
    expect(plain.preview).to.equal(null);
    const [first, second] = await Promise.all([0, 1].map(async (n) => (await ask(n)).body.data.preview));
    // The change comes in the same moment as the mail, before it leaves.
    expect(first.subject).to.equal('Ann has pro');
    expect(second.subject).to.equal('Ann has pro');
    expect(first.text)
      .to.contain(`12 on ${day(1).slice(0, 10)}`)
      .and.not.contain('pro');
    expect(second.text).to.contain(day(2).slice(0, 10));
    const page = await fetch(`${env.url}${new URL(second.previewUrl).pathname}`);
    expect(await page.text()).to.contain(`12 on ${day(2).slice(0, 10)}`);
    for (const wrong of [2, -1, 1.5, 'first']) {
      const { status, details } = refusal(await ask(wrong));
      expect(status).to.equal(400);
      expect(details).to.match(/^preview: /);
    }
  });

  it('answers the branch taken and the rule that decided, or that none held', async () => {
    const runs = await Promise.all(
      ['pro', 'team', 'free'].map((plan) =>
        simulate({ steps: choice() }, { contact: { contactProperties: { plan } } }),
      ),
    );
    expect(runs.map(({ branches }) => branches)).to.deep.equal([
      [{ at: day(1), stepId: 'choice', branchId: 'pro', rule: 'contactProperties.plan equals "pro"' }],
      [{ at: day(1), stepId: 'choice', branchId: 'team', rule: 'contactProperties.plan equals "team"' }],
      [{ at: day(1), stepId: 'choice', branchId: null, rule: 'no branch holds' }],
    ]);
    expect(runs.map(({ mails }) => mails.map(({ stepId }: { stepId: string }) => stepId))).to.deep.equal([
      ['hello', 'p-mail', 'bye'],
      ['hello', 'bye'],
      ['hello', 'bye'],
    ]);
  });

  it('follows changes at their time: a branch for all its steps is left when it no longer holds', async () => {
    const changes = [{ at: day(2), contactProperties: { plan: 'free' } }];
    const scenario = { contact: { contactProperties: { plan: 'pro' } }, changes };
    const mails = async (appliesTo: string) =>
      (await simulate({ steps: choice(appliesTo) }, scenario)).mails.map(({ stepId }: { stepId: string }) => stepId);
    expect(await mails('branch_entry')).to.deep.equal(['hello', 'p-mail', 'bye']);
    expect(await mails('all_branch_steps')).to.deep.equal(['hello', 'bye']);
  });

  it('enters by events and their properties, again after the end, and says what was skipped', async () => {
    const entryCriteria = {
      type: 'event_trigger',
      eventName: 'bought',
      filterCriteria: filter('event.properties.amount', 'greater_than', 10),
    };
    const buy = (at: string, amount: unknown) => ({ at, eventName: 'bought', properties: { amount } });
    const answer = await simulate(
      { entryCriteria },
      { events: [buy(day(5), '11'), buy(day(1), 5), buy(day(6), 20), buy(day(9), 12)] },
    );
    expect(answer.entries.map(({ enteredAt }: { enteredAt: string }) => enteredAt)).to.deep.equal([day(5), day(9)]);
    expect(answer.mails.map(({ at }: { at: string }) => at)).to.deep.equal([day(7), day(11)]);
    expect(answer.skipped).to.deep.equal([{ at: day(6), trigger: 'event bought', reason: 'inside' }]);
  });

  it('enters who leaves a list, and again only after the days of reentry', async () => {
    const { id: listId } = await created(env.own.client, '/contact-lists', { name: 'Left' });
    const join = (at: string) => ({ at, listIds: [listId] });
    const leave = (at: string) => ({ at, removeListIds: [listId] });
    const changes = [leave(day(1)), join(day(4)), leave(day(5)), join(day(9)), leave(day(10))];
    const entry = { entryCriteria: { type: 'list_left', listId }, reentry: { afterDays: 5 } };
    const answer = await simulate(entry, { contact: { listIds: [listId] }, changes });
    expect(answer.entries.map(({ enteredAt }: { enteredAt: string }) => enteredAt)).to.deep.equal([day(1), day(10)]);
    expect(answer.skipped).to.deep.equal([{ at: day(5), trigger: 'list_left', reason: 'too_early' }]);
  });

  it('opens and clicks the last mail, so that what a branch asks about it can hold', async () => {
    const opened = { behaviour: 'opened', operator: 'at_least' };
    const branchOf = async (asked: object, acts: object[]) => {
      const branches = [{ branchId: 'yes', filterCriteria: { groups: [asked] }, nextStepId: 'p1' }];
      const steps = [
        wait(1, 'days', { stepId: 'start' }),
        email('hello'),
        wait(2, 'days', { stepId: 'pause' }),
        { type: 'branch', stepId: 'choice', branches },
        wait(0, 'days', { stepId: 'p1', parentBranchStepId: 'choice', parentBranchId: 'yes' }),
        email('p-mail', { parentBranchStepId: 'choice', parentBranchId: 'yes' }),
      ];
      return (await simulate({ steps }, { acts })).branches[0].branchId;
    };
    const opens = (n: number) => ({ at: day(n), kind: 'opens' });
    const clicks = (url?: string) => ({ at: day(2), kind: 'clicks', url });
    const link = { behaviour: 'clicked', operator: 'at_least', url: 'https://example.com/a' };
    for (const [asked, acts, branchId] of [
      [opened, [], null],
      [opened, [opens(2)], 'yes'],
      [{ ...opened, behaviour: 'humanOpened' }, [opens(3)], 'yes'],
      [opened, [opens(0.5)], null],
      [opened, [opens(4)], null],
      [opened, [clicks()], null],
      [{ ...opened, count: 2 }, [opens(2), opens(2.5)], null],
      [{ ...opened, operator: 'never' }, [opens(2)], null],
      [link, [clicks('https://example.com/a')], 'yes'],
      [link, [clicks('https://example.com/b')], null],
      [{ ...link, url: undefined }, [clicks()], 'yes'],
      [{ ...link, url: undefined, count: 2 }, [clicks(), clicks('https://example.com/a')], 'yes'],
      [{ ...opened, automationId: '66f1c0a2e4b0a1b2c3d4e504' }, [opens(2)], null],
    ] as const)
      expect(await branchOf(asked, [...acts]), JSON.stringify([asked, acts])).to.equal(branchId);
  });

  it('answers why a person left: criteria, an unsubscribe, a deletion', async () => {
    const entry = {
      entryCriteria: { type: 'contact_property_matches_with', filterCriteria: pro },
      exitCriteria: { type: 'entry_criteria_no_longer_met' },
      steps: [wait(1), email('a'), wait(5), email('b')],
    };
    const contact = { contactProperties: { plan: 'pro' } };
    const exits = await Promise.all(
      [{ contactProperties: { plan: null } }, { unsubscribed: true }, { deleted: true }].map((change) =>
        simulate(entry, { contact, changes: [{ at: day(2), ...change }] }),
      ),
    );
    expect(exits.map(({ exit }) => exit)).to.deep.equal([
      { at: day(6), status: 'exited', reason: 'criteria_no_longer_met' },
      { at: day(2), status: 'exited', reason: 'unsubscribed' },
      { at: day(2), status: 'exited', reason: 'contact_deleted' },
    ]);
    for (const { mails } of exits) expect(mails.length).to.equal(1);
  });

  it('takes the values of a stored contact, whether it unsubscribed too, and changes nothing', async () => {
    const contact = await created(env.own.client, '/contacts', {
      email: 'stored@example.com',
      contactProperties: { plan: 'pro' },
    });
    const before = await env.own.client.get(`/contacts/${contact.id}`);
    const scenario = { contact: { contactId: contact.id }, changes: [{ at: day(1), firstName: 'Changed' }] };
    const first = await simulate({ steps: choice() }, scenario);
    expect(first.branches[0].branchId).to.equal('pro');
    await suppress(env.deps, env.own.project._id, { emails: [contact.email], reason: 'UNSUBSCRIBE' });
    expect((await simulate({ steps: choice() }, scenario)).exit).to.include({ at: FROM, reason: 'unsubscribed' });
    expect((await env.own.client.get(`/contacts/${contact.id}`)).text).to.equal(before.text);
    for (const name of ['enrollments', 'triggers', 'messages', 'events'] as const)
      expect(await env.deps.db[name].countDocuments({}), name).to.equal(0);
  });

  it('a journey of 30 days with 200 steps takes less than a second', async () => {
    const steps = Array.from({ length: 100 }, (_, n) => [wait(432, 'minutes'), email(`m${n}`)]).flat();
    const { id } = await created(env.own.client, '/automations', { name: 'Long', steps });
    const changes = Array.from({ length: 1_000 }, (_, n) => ({ at: day(n / 40), contactProperties: { n } }));
    const times: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      const began = performance.now();
      const { body } = await env.own.client.post(`/automations/${id}/simulate`, { from: FROM, contact: {}, changes });
      times.push(performance.now() - began);
      expect(body.data.mails.length).to.equal(100);
      expect(body.data.exit.at).to.equal(day(30));
    }
    // Other work on the machine only adds to a time.
    expect(Math.min(...times)).to.be.below(1_000);
  });

  it('enters by hand who does not meet the entry criteria, such as a segment, and once', async () => {
    const { client } = env.own;
    const segment = await created(client, '/contact-lists', {
      ...{ name: 'Teams', type: 'segment' },
      filterCriteria: filter('contactProperties.plan', 'equals', 'team'),
    });
    const bySegment = { entryCriteria: { type: 'contact_added_to_list', listId: segment.id } };
    const entries = async (scenario: object) =>
      (await simulate(bySegment, scenario)).entries.map(({ enteredBy, enteredAt }: Record<string, string>) => [
        ...[enteredBy, enteredAt],
      ]);
    expect(await entries({})).to.deep.equal([]);
    expect(await entries({ byHand: true })).to.deep.equal([['by hand', FROM]]);
    const team = { contact: { contactProperties: { plan: 'team' } } };
    expect(await entries({ byHand: true, ...team })).to.deep.equal([['by hand', FROM]]);
    expect(await entries({ byHand: false, ...team })).to.deep.equal([['contact_added_to_list', FROM]]);
  });

  it('a person without a matching trigger does not enter', async () => {
    const answer = await simulate(
      { entryCriteria: { type: 'contact_property_matches_with', filterCriteria: pro } },
      { contact: {} },
    );
    const nothing = { mails: [], branches: [], exit: null, entries: [], skipped: [], preview: null };
    expect(answer).to.deep.equal({ entered: false, ...nothing });
  });

  it('takes properties that a contact may have, and no others', async () => {
    const { id } = await created(env.own.client, '/automations', { ...simple, name: 'Long values' });
    const statusOf = async (scenario: object) =>
      (await env.own.client.post(`/automations/${id}/simulate`, { from: FROM, ...scenario })).status;
    for (const field of ['contactProperties', 'customFields']) {
      const person = (length: number, name = 'note') => ({ [field]: { [name]: 'x'.repeat(length) } });
      const asContact = (body: object) =>
        env.own.client.post('/contacts/email', { email: 'long@example.com', ...body });
      for (const [body, wanted] of [
        [person(1_001), 200],
        [person(4_096), 200],
        [person(4_097), 400],
        [person(1, 'no-name'), 400],
      ] as const) {
        expect(await statusOf({ contact: body }), field).to.equal(wanted);
        expect(await statusOf({ changes: [{ at: day(1), ...body }] }), field).to.equal(wanted);
        expect((await asContact(body)).status, field).to.equal(wanted);
      }
    }
  });

  it('says what is wrong with the scenario', async () => {
    const { id } = await created(env.own.client, '/automations', simple);
    const post = async (scenario: object) =>
      refusal(await env.own.client.post(`/automations/${id}/simulate`, scenario));
    expect(await post({ from: 'soon' })).to.include({ status: 400, code: 'VALIDATION_ERROR' });
    expect(await post({ from: FROM, changes: [{ at: day(-1) }] })).to.include({
      status: 400,
      details: 'changes/0/at: must not be before from',
    });
    expect(await post({ from: FROM, acts: [{ at: day(-1), kind: 'opens' }] })).to.include({
      status: 400,
      details: 'acts/0/at: must not be before from',
    });
    expect(await post({ acts: [{ at: day(1), kind: 'reads' }] })).to.include({
      status: 400,
      details: 'acts/0/kind: must be one of opens, clicks, replies, submits, writes',
    });
    expect(await post({ events: [{ at: day(1), eventName: 'unknown' }] })).to.include({
      status: 404,
      code: 'EVENT_NOT_FOUND',
    });
    expect(
      await post({ from: FROM, events: [{ at: day(1), eventName: 'bought', properties: { nope: 1 } }] }),
    ).to.include({ code: 'UNKNOWN_PROPERTY' });
    expect(await post({ contact: { contactId: 'nonsense' } })).to.include({ status: 404, code: 'CONTACT_NOT_FOUND' });
    expect(await post({ contact: { listIds: ['nonsense'] } })).to.include({
      status: 404,
      code: 'CONTACT_LIST_NOT_FOUND',
    });
  });

  describe('of a webhook that is waited for', () => {
    const webhook = { url: 'https://hooks.example.com/', wait: true, timeout: { value: 3, unit: 'hours' } };
    const steps = [
      { type: 'webhook', stepId: 'ask', webhook, failureStepId: 'other' },
      {
        type: 'branch',
        stepId: 'choice',
        branches: [{ branchId: 'pro', filterCriteria: filter('contactProperties.plan', 'equals', 'pro') }],
      },
      { type: 'exit', stepId: 'other' },
    ];
    it('answers at once without properties, unless answers says otherwise', async () => {
      const from = '2026-03-02T09:00:00.000Z';
      const { id } = await created(env.own.client, '/automations', { ...simple, steps });
      const simulate = async (answers?: object) =>
        (await env.own.client.post(`/automations/${id}/simulate`, { from, ...(answers && { answers }) })).body;
      const shown = async (answers?: object) => {
        const [entry] = (await simulate(answers)).data.entries;
        return [...entry.steps.slice(1), { ...entry.exit, type: 'exit' }].map(({ type, at, reason, branchId }) =>
          [type, at.slice(11, 13), branchId ?? reason].filter(Boolean).join(' '),
        );
      };
      expect(await shown()).to.deep.equal(['webhook_answered 09', 'branch 09', 'exit 09']);
      expect(await shown({ ask: { contactProperties: { plan: 'pro' } } })).to.deep.equal([
        ...['webhook_answered 09', 'branch 09 pro', 'exit 09'],
      ]);
      expect(await shown({ ask: { status: 404 } })).to.deep.equal([
        ...['webhook_failed 12 No answer came in time.', 'exit 12 exit_step'],
      ]);
      const [posted] = (await simulate()).data.entries[0].steps;
      expect(posted).to.deep.equal({ type: 'webhook', stepId: 'ask', at: from, until: '2026-03-02T12:00:00.000Z' });
      const { error } = await simulate({ choice: {} });
      expect(error.details).to.equal('answers/choice: must name a webhook step with wait: true');
    });
  });
});
