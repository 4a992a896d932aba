import { expect } from 'chai';
import { shapes } from '../../../console/pages/automations/shapes/shapes.ts';
import { peopleInside } from '../../automations/people.ts';
import { activeAutomation, created, email, makeSending, wait } from '../../automations/support.ts';
import {
  expectAccessible,
  measureShifts,
  pickFound,
  SHIFT_MAX,
  shiftsOf,
  shoot,
  useConsole,
} from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';
import { editorOf, person, stored as storedIn } from '../automations/kit.ts';

const LEAVE = '<a href="{{unsubscribe}}">Unsubscribe</a>';

/** As a program that fills in secrets does it: no drawing comes between the two. */
const bothAtOnce = `for (const [label, value] of [['Header 1', 'X-Key'], ['Value of header 1', 'first secret']]) {
  const field = document.querySelector('[aria-label="' + label + '"]');
  field.value = value;
  field.dispatchEvent(new Event('change', { bubbles: true }));
}`;

describe('The editor of automations', () => {
  const suite = useConsole();
  before(() => makeSending(suite.deps, suite.own));
  const stored = (path: string) => storedIn(suite, path);

  it('says where each step went that was added by keys, and simulates it', async () => {
    const page = await suite.open('/automations');
    await page.getByRole('button', { name: 'New automation' }).first().waitFor();
    const { press, type } = person(page);
    const { board, panel, node, saved } = editorOf(page);
    const focused = (name: RegExp) =>
      until(
        () => page.evaluate('document.activeElement?.textContent ?? ""') as Promise<string>,
        (text) => name.test(text),
      );
    await created(suite.own.client, '/contacts', { email: 'grace@harbour.example' });
    await press('Control+K');
    await type('New automation');
    await page.getByRole('option', { name: 'New automation' }).waitFor();
    await press('Enter');
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await type('By keys');
    await press('Enter');
    await node(/^A contact is created/).waitFor();
    while (!(await page.evaluate('document.activeElement?.hasAttribute("data-node")'))) await press('Tab');
    await press('ArrowDown');
    await focused(/^At once/);
    await press('ArrowUp');
    await focused(/^A contact is created/);
    await press('ArrowDown');
    await focused(/^At once/);
    await press('ArrowDown');
    await focused(/^Welcome/);
    await press('+');
    await page.getByRole('menu', { name: 'Add a step' }).waitFor();
    await press('s');
    await press('Enter');
    await focused(/^Split 50/);
    await page.getByRole('status').getByText('Split 50 / 50 is added.').waitFor({ state: 'attached' });
    // Two ways: "+" leads to the first of them.
    await press('+');
    await press('Enter');
    await press('m');
    await press('Enter');
    await focused(/^New mail/);
    await press('Enter');
    await until(
      () => page.evaluate('document.activeElement?.tagName'),
      (tag) => tag === 'INPUT',
    );
    await press('Tab');
    await press('Control+A');
    await type('A note');
    await node(/^A note/).waitFor();
    await press('Escape');
    await focused(/^A note/);
    await press('Delete');
    await page
      .getByRole('status')
      .getByText(/^A note is removed/)
      .waitFor({ state: 'attached' });
    await press('Control+z');
    await node(/^A note/).waitFor();
    await press('Shift+Control+z');
    await node(/^A note/).waitFor({ state: 'detached' });
    await press('Control+z');
    await saved();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Simulate' }).click();
    const simulation = page.getByRole('complementary', { name: 'Simulation' });
    await pickFound(simulation.getByLabel('As', { exact: true }), 'grace@');
    await simulation.getByRole('button', { name: 'Simulate', exact: true }).click();
    await simulation.getByText('Mail: Welcome').waitFor();
    await simulation
      .getByText(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ \w+, \d\d:\d\d$/)
      .first()
      .waitFor();
    await simulation.getByText('Times in Europe/Berlin.').waitFor();
    expect(await board.locator('path.edge.on').count()).to.be.greaterThan(3);
    await expectAccessible(page);
    await shoot(page, 'editor-simulation');
    expect(await panel.count()).to.equal(0);
  });

  it('moves and copies steps, joins ways, and shows both where two tabs have saved', async () => {
    const { client } = suite.own;
    const { id } = await created(client, '/automations', {
      name: 'Two tabs',
      steps: [wait(0, 'hours', { stepId: 'w1' }), email('one'), wait(3, 'days', { stepId: 'w2' }), email('two')],
    });
    const page = await suite.open(`/automations/${id}/edit`);
    await measureShifts(page);
    await page.reload();
    const { panel, node, plus, item, board, saved } = editorOf(page);
    await node(/^one/).click();
    await panel.getByRole('button', { name: 'More for this step' }).click();
    await page.getByRole('menuitem', { name: 'Move' }).click();
    await page.getByText('Move “one”: choose a line.').waitFor();
    await board.getByRole('button', { name: 'Put one here, after two' }).click();
    await page.getByRole('status').getByText('one is after two.').waitFor({ state: 'attached' });
    await saved();
    const order = async () =>
      (await stored(`/automations/${id}`)).steps.map(({ stepId }: { stepId: string }) => stepId);
    await until(order, (ids) => ids.join() === 'w2,two,w1,one');
    await plus('after two').click();
    await item('Branch').click();
    await panel.getByRole('button', { name: 'Way', exact: true }).click();
    await panel.getByRole('textbox', { name: 'Way 2' }).fill('Second');
    await panel.getByLabel('Afterwards people go to').nth(1).selectOption('the end of the automation');
    await panel.getByText('Without a condition everybody takes this way.').waitFor();
    await saved();
    expect(await board.locator('path.edge').count()).to.equal(8);
    await shoot(page, 'editor-branch');
    expect((await shiftsOf(page)).worst).to.be.at.most(SHIFT_MAX);

    const subject = async () => (await stored(`/automations/${id}`)).steps.at(-1).email.subject;
    const other = await suite.open(`/automations/${id}/edit?step=one`, { besides: page });
    const others = editorOf(other);
    await others.panel.getByLabel('Subject').fill('From the other tab');
    await others.saved();
    await until(subject, (text) => text === 'From the other tab');
    await node(/^one/).click();
    await panel.getByLabel('Subject').fill('From this tab');
    await page.getByText('Another version was saved elsewhere while you typed').waitFor();
    await shoot(page, 'editor-conflict');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await saved();
    await until(subject, (text) => text === 'From this tab');
    await other.close();

    await page.context().setOffline(true);
    await panel.getByLabel('Subject').fill('Without a network');
    await page.getByText('Not saved: kept in this browser').waitFor();
    await page.context().setOffline(false);
    await until(subject, (text) => text === 'Without a network');
    await saved();
    await node(/^Wait 3 days/).press('Delete');
    await page.getByText('A mail needs a wait before it').waitFor();

    // It is activated elsewhere, so that what is typed next becomes a draft.
    expect((await client.post(`/automations/${id}/activate`)).status).to.equal(200);
    await panel.getByLabel('Subject').fill('For version two');
    await page.getByText(/^draft of version \d+$/).waitFor();
    await saved();
    expect(await subject()).to.equal('Without a network');
    expect((await stored(`/automations/${id}?version=draft`)).steps.at(-1).email.subject).to.equal('For version two');
  });

  it('leads from each line of a refusal to the field', async () => {
    const { client } = suite.other;
    const { id } = await created(client, '/automations', {
      name: 'Without a sender',
      entryCriteria: { type: 'contact_added_to_list' },
      steps: [wait(1), { type: 'email', email: { subject: 'Hello', htmlTemplate: LEAVE } }],
    });
    const page = await suite.open(`/automations/${id}/edit`, { tenant: suite.other });
    const { panel, node } = editorOf(page);
    await page.getByRole('button', { name: 'Activate…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    const lines = page.getByRole('region', { name: 'To mend' });
    await lines.getByText('entryCriteria/listId: is required for contact_added_to_list').waitFor();
    await node(/^Hello.*to mend/).waitFor();
    await lines.getByRole('button', { name: 'Show it' }).nth(1).click();
    await panel.getByText('Is required, because the project has no sender', { exact: false }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'editor-refused');

    await created(client, '/events', { eventName: 'bought' });
    const { plus, item, saved } = editorOf(page);
    await plus('after Hello').click();
    await item('Wait for an event').click();
    await panel.getByText('Is required', { exact: false }).waitFor();
    await pickFound(panel.getByLabel('Event', { exact: true }), 'bought');
    await node(/^Wait for bought/).waitFor();
    await saved();
    await plus('on not in time of Wait for bought').click();
    await item('Post to a program').click();
    // The other way ends, so that it does not lead to the new step.
    await node(/^Leave/).waitFor();
    await panel.getByLabel('Address', { exact: true }).fill('https://hooks.example.com/people');
    await node(/^Post to hooks/).waitFor();
    await saved();
    const { steps } = (await client.get(`/automations/${id}`)).body.data;
    const [event, post] = ['wait_event', 'webhook'].map((type) =>
      steps.find((one: { type: string }) => one.type === type),
    );
    expect(event.timeoutStepId).to.equal(post.stepId);
    await expectAccessible(page);
    await shoot(page, 'editor-event');
  });

  it('is a list on a telephone, saves a draft for authors, and lets viewers read', async () => {
    const { client } = suite.own;
    const { id } = await activeAutomation(client, {
      name: 'A name that is so long that it does not fit into the head of a telephone',
      steps: [wait(3, 'days', { stepId: 'first' }), email('hello')],
    });
    await peopleInside(suite, id, 3, { stepId: 'first', started: true });
    const phone = await suite.open(`/automations/${id}/edit`, { width: 375, role: 'author' });
    const list = phone.getByRole('list', { name: 'Steps' });
    await list.getByRole('button', { name: /^hello/ }).waitFor();
    expect(await phone.evaluate('document.documentElement.scrollWidth')).to.equal(375);
    const heights = (await phone.evaluate(
      '[...document.querySelectorAll(".step-list button, .editing .btn")].filter((one) => one.offsetParent).map((one) => one.offsetHeight)',
    )) as number[];
    expect(Math.min(...heights)).to.be.at.least(44);
    await shoot(phone, 'editor-phone');
    await expectAccessible(phone);
    await list.getByRole('button', { name: 'Add a step after hello' }).click();
    await phone.getByRole('menuitem', { name: /^Leave/ }).click();
    await phone.getByRole('button', { name: 'Close' }).click();
    await list.getByRole('button', { name: 'A contact is created' }).click();
    await phone.getByRole('button', { name: 'Close' }).click();
    await until(
      () => phone.evaluate('document.activeElement?.textContent'),
      (text) => text === 'A contact is created',
    );
    await list.getByRole('button', { name: 'Leave added' }).waitFor();
    await until(
      () => stored(`/automations/${id}?version=draft`),
      ({ draft, steps }) => draft && steps.length === 3,
    );
    expect((await stored(`/automations/${id}`)).steps).to.have.length(2);
    const publish = phone.getByRole('button', { name: 'Publish…' });
    expect(await publish.getAttribute('aria-disabled')).to.equal('true');
    await list.getByRole('button', { name: /^hello/ }).click();
    await shoot(phone, 'editor-phone-mail');

    const viewer = await suite.open(`/automations/${id}/edit?step=first`, { role: 'viewer', theme: 'dark' });
    await viewer.getByText('Your role reads automations.').first().waitFor();
    const { panel, node, board } = editorOf(viewer);
    await node(/^Wait 3 days/).waitFor();
    expect(await panel.getByLabel('Wait', { exact: true }).getAttribute('readonly')).to.not.equal(null);
    expect(await board.getByRole('button', { name: /^Add a step/ }).count()).to.equal(0);
    await expectAccessible(viewer);
  });

  it('edits the date by which people enter, a goal, and an answer that is waited for', async () => {
    const { client } = suite.own;
    await created(client, '/events', { eventName: 'renewed' });
    const { id } = await created(client, '/automations', { name: 'By date', steps: [wait(1), email('a')] });
    const page = await suite.open(`/automations/${id}/edit`);
    const { panel, node, plus, item, saved } = editorOf(page);
    await page
      .getByRole('link', { name: /^People enter|A contact is created/ })
      .first()
      .click();
    await panel.getByLabel('People enter when').selectOption('A date of a contact is reached');
    await panel.getByLabel('Date', { exact: true }).fill('contactProperties.birthday');
    await panel.getByLabel('How long').fill('2');
    await panel.getByLabel('Each year').check();
    await node(/2 days before birthday/).waitFor();
    await saved();
    await expectAccessible(page);
    await shoot(page, 'editor-date');

    await plus('after a').click();
    await item('Goal').click();
    await panel.getByRole('radio', { name: 'An event' }).check();
    await pickFound(panel.getByLabel('Event', { exact: true }), 'renewed');
    await node(/^Goal: renewed/).waitFor();
    await saved();
    await expectAccessible(page);
    await shoot(page, 'editor-goal');

    await plus('after Goal: renewed').click();
    await item('Post to a program').click();
    await panel.getByLabel('Address', { exact: true }).fill('https://hooks.example.com/people');
    await panel.getByLabel('Wait for its answer').check();
    await panel.getByLabel('At most').fill('6');
    await saved();
    await plus('on answered of Ask hooks.example.com').click();
    await item('Leave').click();
    await plus('on no answer of Ask hooks.example.com').click();
    await item('Change the person').click();
    await node(/to mend/)
      .first()
      .waitFor();
    expect(await panel.getByLabel('Wait for its answer').count()).to.equal(0);
    await node(/^Ask hooks/).click();
    expect(await panel.getByLabel('Wait for its answer').isDisabled()).to.equal(true);
    await expectAccessible(page);
    await shoot(page, 'editor-answer');
    const { entryCriteria, steps } = await stored(`/automations/${id}`);
    expect(entryCriteria).to.deep.include({
      type: 'date_reached',
      property: 'contactProperties.birthday',
      yearly: true,
    });
    expect(entryCriteria.offset).to.deep.equal({ value: 2, unit: 'days', direction: 'before' });
    expect(steps.find(({ type }: { type: string }) => type === 'goal')).to.include({ eventName: 'renewed' });
    const { webhook } = steps.find(({ type }: { type: string }) => type === 'webhook');
    expect(webhook).to.deep.include({ wait: true, timeout: { value: 6, unit: 'hours' } });
  });

  it('keeps the units that a program wrote, whatever else is edited', async () => {
    const { client } = suite.own;
    const url = 'https://hooks.example.com/a';
    const { id } = await created(client, '/automations', {
      name: 'In minutes',
      entryCriteria: {
        ...{ type: 'date_reached', property: 'contactProperties.renewsAt', time: '09:00' },
        offset: { value: 36, unit: 'hours', direction: 'after' },
      },
      steps: [
        { type: 'wait', delay: { value: 90, unit: 'minutes' } },
        { type: 'webhook', stepId: 'ask', webhook: { url, wait: true, timeout: { value: 90, unit: 'minutes' } } },
        {
          ...{ type: 'wait_until', stepId: 'before' },
          until: {
            property: 'contactProperties.renewsAt',
            offset: { value: 30, unit: 'minutes', direction: 'before' },
          },
        },
        email('a'),
      ],
    });
    const page = await suite.open(`/automations/${id}/edit?step=ask`);
    const { panel, node, saved } = editorOf(page);
    await panel.getByLabel('Address', { exact: true }).fill('https://hooks.example.com/b');
    await saved();
    expect(await panel.getByLabel('At most').inputValue()).to.equal('90');
    await node(/^Wait until 30 minutes/).click();
    await panel.getByLabel('Date', { exact: true }).fill('contactProperties.endsAt');
    await node(/^Wait until 30 minutes before endsAt/).waitFor();
    await panel.getByLabel('How long').fill('40');
    await node(/^Wait until 40 minutes before endsAt/).waitFor();
    await node(/^36 hours after renewsAt/).click();
    await panel.getByLabel('Date', { exact: true }).fill('contactProperties.boughtAt');
    await node(/^36 hours after boughtAt/).waitFor();
    await saved();
    const { steps, entryCriteria } = await until(
      () => stored(`/automations/${id}`),
      (one) => one.entryCriteria.property === 'contactProperties.boughtAt',
    );
    const [, ask, before] = steps;
    expect(ask.webhook).to.deep.include({
      url: 'https://hooks.example.com/b',
      timeout: { value: 90, unit: 'minutes' },
    });
    expect(before.until.offset).to.deep.equal({ value: 40, unit: 'minutes', direction: 'before' });
    expect(entryCriteria.offset).to.deep.equal({ value: 36, unit: 'hours', direction: 'after' });

    await node(/^Ask hooks/).click();
    await panel.getByLabel('At most').fill('95');
    await until(
      () => stored(`/automations/${id}`),
      (one) => one.steps[1].webhook.timeout.unit === 'minutes' && one.steps[1].webhook.timeout.value === 95,
    );
    await panel.getByLabel('At most').fill('2');
    await panel.getByLabel('Unit').selectOption('hours');
    await until(
      () => stored(`/automations/${id}`),
      (one) => one.steps[1].webhook.timeout.unit === 'hours' && one.steps[1].webhook.timeout.value === 2,
    );
  });

  it('edits everything that a step holds: conditions of an event, a mail that is waited for, headers, marks, both values of a change', async () => {
    const { client } = suite.own;
    const properties = [{ propertyName: 'amount', type: 'number' }];
    await created(client, '/events', { eventName: 'ordered', properties });
    const { id } = await created(client, '/automations', {
      name: 'Everything',
      steps: [wait(1), email('first'), wait(1), email('second')],
    });
    const page = await suite.open(`/automations/${id}/edit?step=entry`);
    const { panel, node, plus, item, saved } = editorOf(page);
    const savedStep = (type: string) =>
      until(
        async () => (await stored(`/automations/${id}`)).steps.find((one: { type: string }) => one.type === type),
        (step) => step !== undefined,
      );
    await panel.getByLabel('People enter when').selectOption('A field of a contact changes');
    await panel.getByLabel('Field', { exact: true }).fill('contactProperties.plan');
    await panel.getByLabel('From', { exact: true }).selectOption('no value');
    await panel.getByLabel('To', { exact: true }).selectOption('this value');
    await panel.getByLabel('Value', { exact: true }).fill('pro');
    await panel.getByLabel('Source').fill('letters');
    await panel.getByLabel('Count opens of its mails').uncheck();
    await panel.getByLabel('Tags of the automation').fill('spring, plans');
    await panel.getByLabel('People leave').selectOption('Also when they no longer meet the entry criteria');
    await saved();
    const whole = await until(
      () => stored(`/automations/${id}`),
      (one) => one.exitCriteria.type === 'entry_criteria_no_longer_met',
    );
    expect(whole.entryCriteria).to.deep.equal({
      ...{ type: 'contact_property_changes_from_to', property: 'contactProperties.plan' },
      ...{ fromValue: '', toValue: 'pro' },
    });
    expect(whole).to.deep.include({ utm: { source: 'letters' }, trackingOpen: false, tags: ['spring', 'plans'] });
    await shoot(page, 'editor-entry');

    await node(/^second/).click();
    await panel.getByLabel('Answers go to').fill('desk@harbour.example');
    await panel.getByLabel('Tags', { exact: true }).fill('kind:letter');
    await panel.getByLabel('People who no longer meet the entry criteria leave here').uncheck();
    await saved();
    const second = (await stored(`/automations/${id}`)).steps.at(-1);
    expect(second.email.tags).to.deep.equal([{ name: 'kind', value: 'letter' }]);
    expect(second.email.senderReplyToEmail).to.equal('desk@harbour.example');
    expect(second.checkExitCriteria).to.equal(false);

    await plus('after second').click();
    await item('Wait for an event').click();
    await pickFound(panel.getByLabel('Event', { exact: true }), 'ordered');
    await panel.getByRole('button', { name: 'Field', exact: true }).click();
    await panel.getByLabel('Condition 1: field').selectOption('Event: amount');
    await panel.getByLabel('Condition 1: comparison').selectOption('is more than');
    await panel.getByLabel('Condition 1: value').fill('50');
    await saved();
    const ordered = await savedStep('wait_event');
    expect(ordered.waitEvent.filterCriteria.groups).to.deep.equal([
      { field: 'event.properties.amount', operator: 'greater_than', value: 50, fieldType: 'number' },
    ]);
    await expectAccessible(page);
    await panel.getByLabel('Until the person').selectOption('Clicks in a mail');
    await panel.getByLabel('Mail', { exact: true }).selectOption('2. first');
    await panel.getByLabel('Link').fill('https://shop.example/');
    await node(/^Wait for a click/).waitFor();
    await saved();
    const clicked = (await savedStep('wait_event')).waitEvent;
    expect(clicked).to.include({ eventName: 'email.clicked', emailStepId: 'first', url: 'https://shop.example/' });
    expect(clicked).to.not.have.property('filterCriteria');
    await shoot(page, 'editor-click');

    await plus('on clicked of Wait for a click').click();
    await item('Leave').click();
    await plus('on not in time of Wait for a click').click();
    await item('Post to a program').click();
    await panel.getByLabel('Address', { exact: true }).fill('https://hooks.example.com/people');
    await panel.getByRole('button', { name: 'Header', exact: true }).click();
    await panel.getByText('It is sent once it has a name and a value.').waitFor();
    await page.evaluate(bothAtOnce);
    await saved();
    const withHeader = await until(
      () => savedStep('webhook'),
      ({ webhook }) => webhook.headers?.length === 1,
    );
    expect(withHeader.webhook.headers).to.deep.equal([{ name: 'X-Key' }]);
    const kept = () => page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');
    expect(await panel.getByLabel('Value of header 1').inputValue()).to.equal('');
    expect(await kept()).to.not.contain('first secret');
    expect(await page.content()).to.not.contain('first secret');
    await shoot(page, 'editor-headers');
    // Another address needs the value again, and says so at its field.
    await panel.getByLabel('Address', { exact: true }).fill('https://hooks.example.com/others');
    await panel.getByText('is required, since the step has none', { exact: false }).waitFor();
    await panel.getByLabel('Value of header 1').fill('second secret');
    await panel.getByLabel('Value of header 1').blur();
    await saved();
    await until(
      () => savedStep('webhook'),
      ({ webhook }) => webhook.url === 'https://hooks.example.com/others' && webhook.headers?.length === 1,
    );
    await expectAccessible(page);
  });

  it('simulates a person who is made up: each mail as they see it, and what if they open it or the event comes', async () => {
    const { client } = suite.own;
    await created(client, '/events', { eventName: 'paid', properties: [{ propertyName: 'amount', type: 'number' }] });
    const filter = (field: string, operator: string, value: unknown) => ({ groups: [{ field, operator, value }] });
    const opened = { groups: [{ behaviour: 'humanOpened', operator: 'at_least', count: 1, withinDays: 7 }] };
    const mail = (stepId: string, subject: string, more: object = {}) => ({
      ...{ type: 'email', stepId, ...more },
      email: { subject, htmlTemplate: `<p>The plan is {{contactProperties.plan}}</p>${LEAVE}` },
    });
    const onWay = { parentBranchStepId: 'choice', parentBranchId: 'yes' };
    const { id } = await created(client, '/automations', {
      name: 'What if',
      entryCriteria: {
        type: 'contact_property_matches_with',
        filterCriteria: filter('contactProperties.plan', 'equals', 'pro'),
      },
      steps: [
        wait(0, 'minutes'),
        mail('first', 'Hello {{firstName}}'),
        wait(3, 'days'),
        {
          ...{ type: 'branch', stepId: 'choice', nextStepId: 'ask' },
          branches: [{ branchId: 'yes', label: 'Opened it', filterCriteria: opened, mergeStepId: 'ask' }],
        },
        wait(1, 'hours', onWay),
        mail('reader', 'For readers', onWay),
        {
          ...{ type: 'wait_event', stepId: 'ask', timeoutStepId: 'late' },
          waitEvent: {
            ...{ eventName: 'paid', timeout: { value: 2, unit: 'days' } },
            filterCriteria: filter('event.properties.amount', 'greater_than', 50),
          },
        },
        mail('thanks', 'Thank you'),
        { type: 'exit' },
        mail('late', 'A reminder'),
      ],
    });
    const page = await suite.open(`/automations/${id}/edit?panel=simulate`);
    const simulation = page.getByRole('complementary', { name: 'Simulation' });
    const { board, node } = editorOf(page);
    await until(
      () => simulation.getByRole('combobox', { name: 'Field 1' }).inputValue(),
      (name) => name === 'plan',
    );
    expect(await simulation.getByLabel('Value 1', { exact: true }).inputValue()).to.equal('pro');
    expect(await simulation.getByRole('combobox', { name: 'Field 2' }).inputValue()).to.equal('firstName');
    // The way of a person who is made up is lit when the panel opens.
    await board.locator('path.edge.on').first().waitFor({ state: 'attached' });
    await simulation.getByLabel('Value 2').fill('Ann');
    await simulation.getByRole('button', { name: 'Simulate', exact: true }).click();
    await simulation.getByText('Branch: otherwise').waitFor();
    await simulation.getByText('No event comes in time').waitFor();
    await simulation.getByText('Times in Europe/Berlin.').waitFor();
    await simulation
      .getByText(/^until (Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ \w+, \d\d:\d\d$/)
      .first()
      .waitFor();
    await simulation.getByRole('button', { name: /^Look at it.*Hello/ }).click();
    await simulation.getByText('Subject: Hello Ann').waitFor();
    const frame = simulation.getByTitle('The mail as the person sees it');
    expect(await frame.getAttribute('sandbox')).to.equal('');
    await frame.contentFrame().getByText('The plan is pro').waitFor();
    await expectAccessible(page);
    await shoot(page, 'editor-simulated-mail');

    const onAtFirst = await board.locator('path.edge.on').count();
    await simulation.getByLabel('What happens: Hello').selectOption('is opened');
    await simulation.getByText('Branch: Opened it').waitFor();
    await simulation.getByText('Mail: For readers').waitFor();
    expect(await board.locator('path.edge.on').count()).to.be.greaterThan(onAtFirst);
    // Too late for the branch after three days.
    await simulation.getByLabel('After how long: Hello').fill('4');
    await simulation.getByLabel('After how long: Hello').blur();
    await simulation.getByText('Branch: otherwise').waitFor();
    await simulation.getByLabel('What happens: Wait for paid').selectOption('comes');
    await simulation.getByText('The event comes').waitFor();
    await simulation.getByText('Mail: Thank you').waitFor();
    expect(await simulation.getByText('Mail: A reminder').count()).to.equal(0);
    await node(/^Thank you/).click();
    await simulation.getByText('Subject: Thank you').waitFor();
    await expectAccessible(page);
    await shoot(page, 'editor-what-if');

    const phone = await suite.open(`/automations/${id}/edit?panel=simulate`, { width: 375, role: 'viewer' });
    const onPhone = phone.getByRole('complementary', { name: 'Simulation' });
    await onPhone.getByRole('button', { name: 'Simulate', exact: true }).click();
    await onPhone.getByRole('button', { name: /^Look at it.*Hello/ }).click();
    await onPhone.getByTitle('The mail as the person sees it').waitFor();
    expect(await phone.evaluate('document.documentElement.scrollWidth')).to.equal(375);
    await expectAccessible(phone);
    await shoot(phone, 'editor-simulated-phone');
  });

  it('begins with shapes that the interface takes, whose mails have words, a way out, and fallbacks', async () => {
    const { client } = suite.own;
    for (const [key, shape] of Object.entries(shapes)) {
      const { entryCriteria, events = [], reentry, steps, name } = shape;
      for (const event of events) expect((await client.post('/events', event)).status).to.be.oneOf([201, 409]);
      const entry = { ...entryCriteria, ...(events[0] && { eventName: events[0].eventName }) };
      const made = await created(client, '/automations', { name: name || key, entryCriteria: entry, reentry, steps });
      const { warnings } = await stored(`/automations/${made.id}`);
      expect(warnings, key).to.deep.equal([]);
      for (const { email: mail } of made.steps.filter(({ type }: { type: string }) => type === 'email')) {
        if (key !== 'blank') expect(mail.htmlTemplate, key).to.not.match(/Write here/);
        // Clicks are its answers, and only those on a page of the sender are counted.
        const leadsNowhere = ['blank', 'reConsent'].includes(key);
        expect(mail.htmlTemplate.includes('example.com'), key).to.equal(leadsNowhere);
        const body = { emailTemplate: mail.htmlTemplate, subject: mail.subject, previewText: mail.previewText };
        const preview = await client.post('/templates/preview', { ...body, templateType: 'marketing' });
        expect(preview.status, `${key}: ${preview.text}`).to.equal(200);
        expect(preview.body.data.text, key)
          .to.match(/Hello/)
          .and.not.match(/Hello\s+,|\{\{/);
      }
    }
  });
});
