import { expect } from 'chai';
import { starter } from '../../../console/pages/templates/starter.ts';
import { ensureState } from '../../../core/figures/reports/state.ts';
import { peopleInside } from '../../automations/people.ts';
import { activeAutomation, created, email, makeSending, wait } from '../../automations/support.ts';
import { countHappened } from '../../reports/support.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';

describe('The pages of automations', () => {
  const suite = useConsole();

  it('draws an automation from a starting shape, simulates it, activates and pauses it', async () => {
    await makeSending(suite.deps, suite.own);
    const page = await suite.open('/automations');
    await page.getByText('No automation yet').waitFor();
    await page.getByRole('button', { name: 'New automation' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('From nothing').click();
    await dialog.getByRole('button', { name: 'Create draft' }).click();
    await dialog.getByText('is required', { exact: false }).waitFor();
    await dialog.getByRole('radio', { name: /^Welcome/ }).check();
    await dialog.getByLabel('Name').fill('First steps');
    await dialog.getByRole('button', { name: 'Create draft' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();

    const graph = page.getByRole('group', { name: 'Steps', exact: true });
    await graph.getByRole('link', { name: /^Wait 2 days/ }).click();
    await page.getByRole('heading', { name: 'Wait 2 days' }).waitFor();
    expect(new URL(page.url()).searchParams.get('step')).to.match(/./);
    expect(await graph.locator('path.edge').count()).to.equal(8);

    await page.getByRole('button', { name: 'Simulate' }).click();
    const slider = page.getByRole('slider');
    await slider.waitFor();
    await page.getByText('Mail: In case you missed it').waitFor();
    const whole = await graph.locator('path.edge.on').count();
    await slider.fill('1');
    await page.getByText('Mail: In case you missed it').waitFor({ state: 'detached' });
    await page.getByText(/1.* gone, .* to go/).waitFor();
    expect(await graph.locator('path.edge.on').count()).to.be.lessThan(whole);
    await expectAccessible(page);
    await shoot(page, 'automation');
    await page.getByLabel('What happens: Welcome, and thank you').selectOption('is clicked');
    await page.getByLabel('Link: Welcome').fill('https://example.com/');
    await page.getByLabel('Link: Welcome').blur();
    await page.getByText('The mail is opened').waitFor();
    await page.getByText('Mail: A first tip for you').waitFor();
    expect(await page.getByText('Mail: In case you missed it').count()).to.equal(0);
    await shoot(page, 'automation-opened');

    // It does not start with the text that templates begin with.
    const { client } = suite.own;
    const automationId = /automations\/([0-9a-f]{24})/.exec(page.url())?.[1];
    const { steps } = (await client.get(`/automations/${automationId}`)).body.data;
    const templateIds: string[] = [];
    const unwritten = async (subject: string) => {
      const draft = { templateType: 'marketing', emailTemplate: starter('marketing'), draft: true };
      const { templateId } = await created(client, '/templates', { templateName: subject, subject, ...draft });
      templateIds.push(templateId);
      return templateId;
    };
    for (const step of steps) if (step.email) step.email = { templateId: await unwritten(step.email.subject) };
    await client.patch(`/automations/${automationId}`, { steps });
    await page.reload();
    await page.getByText('3 mails must be changed before it can start').waitFor();
    await shoot(page, 'automation-unwritten');
    await page.getByRole('button', { name: 'Activate…' }).click();
    await page.getByText('First steps cannot start: 3 mails of it must be changed first.').waitFor();
    const write = (index: number, emailTemplate: string) =>
      client.patch(`/templates/${templateIds[index]}`, { emailTemplate });
    await write(0, '<p>Hello</p><a href="{{unsubscribe}}">Leave</a>');
    await write(1, '<p>Hello</p><a href="{{preferencesUrl}}">Choose</a>');
    await write(2, '<p>Hello</p>');
    await page.reload();
    await page.getByText('The body of this mail has no unsubscribe link').waitFor();
    await page.getByRole('button', { name: 'Activate…' }).click();
    await page.getByText('1 mail of it must be changed first.').waitFor();
    await write(2, '<p>Hello</p><a href="{{unsubscribe}}">Leave</a>');
    await page.getByRole('button', { name: 'Activate…' }).click();
    await dialog.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Pause…' }).click();
    await dialog.getByText('0 people on the way', { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Pause for 0 people' }).click();
    await page.getByRole('button', { name: 'Resume…' }).waitFor();
    await page.getByRole('link', { name: 'Automations', exact: true }).first().click();
    await page.getByRole('link', { name: 'First steps' }).waitFor();
    await page.getByRole('cell').getByText('Paused').waitFor();
    await shoot(page, 'automations');
  });

  it('draws a split with its shares, and the exit of one of them', async () => {
    const { client } = suite.own;
    const side = (branchId: string) => ({ parentBranchStepId: 'sides', parentBranchId: branchId });
    const shares = [
      { branchId: 'a', label: 'Short', share: 30 },
      { branchId: 'b', label: 'Long', share: 70 },
    ];
    const { id } = await created(client, '/automations', {
      name: 'Two sides',
      steps: [
        wait(1, 'days', { stepId: 'start' }),
        { type: 'split', stepId: 'sides', nextStepId: 'more', shares },
        email('short', side('a')),
        { type: 'exit', stepId: 'out', ...side('a') },
        wait(2, 'days', { stepId: 'more' }),
        email('long'),
      ],
    });
    const page = await suite.open(`/automations/${id}?step=sides`);
    const graph = page.getByRole('group', { name: 'Steps', exact: true });
    await graph.getByRole('link', { name: /^Split 30 \/ 70/ }).waitFor();
    await graph.locator('text').filter({ hasText: 'Short, 30 %' }).waitFor();
    await graph.getByRole('link', { name: /^Leave/ }).waitFor();
    await page.getByRole('heading', { name: 'Split 30 / 70' }).waitFor();
    expect(await graph.locator('path.edge').count()).to.equal(7);
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByRole('slider').waitFor();
    await page
      .getByText(/^Split: (Short|Long)$/)
      .first()
      .waitFor();
    await expectAccessible(page);
    await shoot(page, 'automation-split');
  });

  it('draws a wait until a time and until a date, and says in whose zone', async () => {
    const { client } = suite.own;
    const offset = { value: 3, unit: 'days', direction: 'before' };
    const { id } = await created(client, '/automations', {
      name: 'Until then',
      steps: [
        { type: 'wait_until', stepId: 'morning', until: { time: '09:00', weekdays: ['mon'], timezone: 'contact' } },
        email('hello'),
        { type: 'wait_until', stepId: 'date', until: { property: 'contactProperties.renewsAt', offset } },
        email('renew'),
      ],
    });
    const page = await suite.open(`/automations/${id}?step=morning`);
    const graph = page.getByRole('group', { name: 'Steps', exact: true });
    await graph.getByRole('link', { name: /^Wait until 3 days before/ }).waitFor();
    await page.getByRole('heading', { name: 'Wait until 09:00, Mon' }).waitFor();
    await page.getByText('In the zone of each person').waitFor();
    await page.getByText('Without a zone of their own').waitFor();
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByRole('slider').waitFor();
    await page.getByText(/in the zone of the project, for want of their own$/).waitFor();
    await page.getByText('no date to wait for').waitFor();
    await expectAccessible(page);
    await shoot(page, 'automation-wait-until');
  });

  it('shows what runs and the draft with their differences, simulates the draft, publishes and discards it', async () => {
    const { client } = suite.own;
    const two = [
      wait(3, 'days', { stepId: 'first' }),
      email('hello'),
      wait(1, 'days', { stepId: 'gone' }),
      email('more'),
    ];
    const { id } = await activeAutomation(client, { name: 'Drafted', steps: two });
    await peopleInside(suite, id, 3, { stepId: 'first', started: true });
    await peopleInside(suite, id, 2, { stepId: 'gone', started: true });
    const steps = [
      wait(2, 'days', { stepId: 'first' }),
      email('hello'),
      wait(4, 'days', { stepId: 'new' }),
      email('more'),
    ];
    const save = (body: object) => client.patch(`/automations/${id}`, { draft: true, ...body });
    await save({ steps, tags: ['spring'] });

    const page = await suite.open(`/automations/${id}`);
    await page.getByText('1 step added, 1 changed, 1 removed; tags changed').waitFor();
    const graph = page.getByRole('group', { name: 'Steps', exact: true });
    await graph.getByRole('link', { name: /^Wait 1 day .*removed/ }).waitFor();
    await shoot(page, 'automation-running');
    await page.getByRole('radio', { name: 'Draft' }).check();
    await graph.getByRole('link', { name: /^Wait 4 days .*added/ }).waitFor();
    await graph.getByRole('link', { name: /^Wait 2 days .*changed/ }).click();
    await page.getByRole('heading', { name: 'Wait 2 days' }).waitFor();
    expect(await graph.getByRole('link', { name: /^Wait 1 day / }).count()).to.equal(0);
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByText('Wait 4 days').nth(1).waitFor();
    await expectAccessible(page);
    await shoot(page, 'automation-draft');

    const author = await suite.open(`/automations/${id}?show=draft`, { role: 'author' });
    const refused = author.getByRole('button', { name: 'Publish…', disabled: true });
    await refused.waitFor();
    expect(await refused.getAttribute('title')).to.contain('Your role is author');
    expect(await author.getByRole('button', { name: 'Discard…', disabled: false }).count()).to.equal(1);

    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog.getByText('5 people go on in the version they have').waitFor();
    await dialog.getByText('3 people go on in version 2. 2 people leave, since their step is gone.').waitFor();
    const changes = dialog.getByRole('list', { name: 'Changes' }).getByRole('listitem');
    expect(await changes.allTextContents()).to.deep.equal([
      'added Wait 4 days',
      'changed Wait 2 days: how long',
      'removed Wait 1 day',
    ]);
    expect(await dialog.locator('.node.added').count()).to.equal(1);
    expect(await dialog.locator('.node.removed').count()).to.equal(1);
    expect(await dialog.locator('.node.changed').count()).to.equal(2);
    await expectAccessible(page);
    await shoot(page, 'automation-publish');
    await dialog.getByLabel('Move to the new one').check();
    await save({ name: 'Saved by another' });
    await dialog.getByRole('button', { name: 'Publish version 2' }).click();
    await page.getByText('Drafted was saved meanwhile').waitFor();
    await page.getByText('1 step added, 1 changed, 1 removed; name and tags changed').waitFor();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog.getByLabel('Move to the new one').check();
    await dialog.getByRole('button', { name: 'Publish version 2' }).click();
    await page.getByRole('heading', { name: 'Saved by another' }).waitFor();
    await page.getByText('Version 2, active since').waitFor();
    expect((await client.get(`/automations/${id}`)).body.data).to.include({ version: 2, draft: null });

    await save({ tags: [] });
    await page.reload();
    await page.getByRole('button', { name: 'Discard…' }).click();
    await dialog.getByRole('button', { name: 'Discard it' }).click();
    await page.getByText('is discarded').waitFor();
    await page.getByRole('button', { name: 'Publish…' }).waitFor({ state: 'detached' });
    expect((await client.get(`/automations/${id}`)).body.data).to.include({ draft: null });
  });

  it('asks with the number of people of this moment before it is paused or published', async () => {
    const { client } = suite.own;
    const steps = [wait(3, 'days', { stepId: 'first' }), email('hello')];
    const { id } = await activeAutomation(client, { name: 'Growing', steps });
    await client.patch(`/automations/${id}`, { draft: true, tags: ['spring'] });
    const page = await suite.open(`/automations/${id}`);
    await page.getByText('tags changed').waitFor();
    await peopleInside(suite, id, 3, { stepId: 'first', started: true });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Pause…' }).click();
    await dialog.getByRole('button', { name: 'Pause for 3 people' }).waitFor();
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog.getByText('3 people on the way').waitFor();
    await shoot(page, 'automation-publish-now');
  });

  it('leads from the figure of a step to the people on it, and fits a telephone', async () => {
    const { id: automationId } = await activeAutomation(suite.own.client, {
      steps: [wait(3, 'days', { stepId: 'first-wait' }), email('welcome')],
    });
    const inWait = { stepId: 'first-wait', started: true };
    const [ada] = await peopleInside(suite, automationId, 2, inWait);
    await peopleInside(suite, automationId, 1, { stepId: 'welcome', started: true });
    const contacts = { projectId: suite.own.project._id };
    await suite.deps.db.contacts.updateOne(
      { ...contacts, _id: ada?.contactId },
      { $set: { email: 'ada@harbour.example' } },
    );
    const page = await suite.open(`/automations/${automationId}`);
    await page.getByRole('link', { name: /^2 people on Wait 3 days/ }).click();
    await page.getByRole('link', { name: 'ada@harbour.example' }).waitFor();
    expect(new URL(page.url()).searchParams.get('at')).to.equal('first-wait');
    expect(await page.locator('tbody tr').count()).to.equal(2);
    await page.getByRole('button', { name: 'History of ada@harbour.example' }).click();
    await page.getByRole('dialog').getByText('Entered').waitFor();
    await page.keyboard.press('Escape');
    await shoot(page, 'automation-people');
    await page.getByRole('button', { name: 'Remove ada@harbour.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('link', { name: 'ada@harbour.example' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Links' }).click();
    await page.getByText('The mails have no links').waitFor();
    await expectAccessible(page);

    const parts = page.getByRole('navigation', { name: 'Parts of the automation' });
    await parts.getByRole('link', { name: 'Mails' }).click();
    await page.getByText('No mail in the last 30 days').waitFor();
    await ensureState(suite.deps, suite.own.project._id);
    const others = await activeAutomation(suite.own.client, { steps: [wait(1, 'days'), email('other')] });
    await countHappened(suite, suite.own, { sent: 7, automationId: others.id, hoursAgo: 30 });
    await countHappened(suite, suite.own, { sent: 40, bounced: 2, opened: 10, automationId, hoursAgo: 30 });
    await page.reload();
    await page.getByRole('img', { name: /^Mail by day: 40 sent, 0 deferred, 2 bounced/ }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'automation-mails');
    await page.getByRole('link', { name: 'Report', exact: true }).click();
    await page.waitForURL(/\/reports\?/);
    await page.getByRole('img', { name: /^Mail by (day|hour): 40 sent/ }).waitFor();

    const phone = await suite.open(`/automations/${automationId}`, { width: 375, role: 'viewer' });
    await phone.getByRole('link', { name: /^Wait 3 days/ }).waitFor();
    expect(await phone.evaluate('document.documentElement.scrollWidth')).to.equal(375);
    expect(await phone.getByRole('button', { name: 'Pause…' }).getAttribute('aria-disabled')).to.equal('true');
  });

  it('says why an automation cannot start, and who may start it', async () => {
    const list = await created(suite.other.client, '/automations', {
      name: 'No sender',
      steps: [
        { type: 'wait', delay: { value: 1, unit: 'days' } },
        { type: 'email', email: { subject: 'Hello', htmlTemplate: '<a href="{{unsubscribe}}">x</a>' } },
      ],
    });
    const others = await suite.open(`/automations/${list.id}`, { tenant: suite.other });
    await others.getByRole('button', { name: 'Activate…' }).click();
    await others.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    await others.getByText('the project has no sender', { exact: false }).waitFor();
  });

  it('draws a step that changes the person, and simulates what it changes', async () => {
    const { client } = suite.own;
    const { id: listId } = await created(client, '/contact-lists', { name: 'Regulars' });
    const changes = {
      contactProperties: { greeting: 'Hello {{email}}', trial_end: null },
      addListIds: [listId],
    };
    const { id } = await created(client, '/automations', {
      name: 'Keeps notes',
      steps: [
        { type: 'update_contact', stepId: 'note', update: changes },
        { type: 'update_contact', stepId: 'renew', update: { contactProperties: { end_date: 'soon' } } },
      ],
    });
    // Declared later, so that the stored text does not fit any more.
    await created(client, '/custom-fields', { fieldName: 'end_date', fieldType: 'date' });
    const page = await suite.open(`/automations/${id}?step=note`);
    const graph = page.getByRole('group', { name: 'Steps', exact: true });
    await graph.getByRole('link', { name: /^Set 2 fields, add to a l/ }).waitFor();
    await page.getByRole('heading', { name: 'Set 2 fields, add to a list' }).waitFor();
    await page.getByText('Hello {{email}}').waitFor();
    await page.getByText('Could not be changed').waitFor();
    await page.getByRole('definition').getByText('Regulars').waitFor();
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page
      .getByText('greeting: Hello somebody@example.com, trial_end: is removed, joins: Regulars', { exact: true })
      .waitFor();
    await page.getByText('contactProperties/end_date: must be a date').waitFor();
    await expectAccessible(page);
    await shoot(page, 'automation-update');
  });
});
