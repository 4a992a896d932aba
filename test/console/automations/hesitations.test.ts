import { expect } from 'chai';
import { created, email, makeSending, wait } from '../../automations/support.ts';
import { expectAccessible, pickFound, shoot, useConsole } from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';
import { editorOf, stored } from './kit.ts';

describe('Things that made people hesitate in the editor of automations', () => {
  const suite = useConsole();
  before(() => makeSending(suite.deps, suite.own));

  it('leads back from a template to its step, and shows nothing red before a template is chosen', async () => {
    const { client } = suite.own;
    const more = { templateType: 'marketing', emailTemplate: '<p>Hello</p><a href="{{unsubscribe}}">Leave</a>' };
    await created(client, '/templates', { templateName: 'Letter of June', subject: 'June', draft: true, ...more });
    const { id } = await created(client, '/automations', { name: 'By template', steps: [wait(1), email('first')] });
    const page = await suite.open(`/automations/${id}/edit?step=first`);
    const { panel, board, node, saved } = editorOf(page);
    await panel.getByRole('radio', { name: 'A template' }).check();
    await panel.getByText('Until one is chosen, the mail stays as it was written.').waitFor();
    await panel.getByLabel('Preview text').fill('Typed before it');
    await until(
      async () => (await stored(suite, `/automations/${id}`)).steps[1].email.previewText,
      (text) => text === 'Typed before it',
    );
    await saved();
    expect(await board.getByText('to mend').count()).to.equal(0);
    expect((await stored(suite, `/automations/${id}`)).steps[1].email.htmlTemplate).to.contain('first');
    await pickFound(panel.getByLabel('Template', { exact: true }), 'Letter of June');
    await node(/^Letter of June/).waitFor();
    await saved();
    await panel.getByRole('link', { name: 'Open the template' }).click();
    await page.getByRole('heading', { name: 'Letter of June' }).waitFor();
    await shoot(page, 'template-of-a-step');
    await page.getByRole('button', { name: 'Publish' }).first().click();
    await page.getByText('Published', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Back to the automation' }).click();
    await panel.getByRole('heading', { name: 'Letter of June' }).waitFor();
    expect(page.url()).to.contain(`/automations/${id}/edit?step=first`);
  });

  it('leads to the mail that keeps it from being activated', async () => {
    const steps = [wait(1), email('ready'), wait(1), email('first')];
    steps[1]!.email = { subject: 'ready', htmlTemplate: '<a href="{{unsubscribe}}">Leave</a>' };
    const { id } = await created(suite.own.client, '/automations', { name: 'Not ready', steps });
    const page = await suite.open(`/automations/${id}/edit`);
    const { panel, node } = editorOf(page);
    await node(/^first/).waitFor();
    await page.getByRole('button', { name: 'Activate…' }).click();
    await page.getByText('Not ready cannot start: 1 mail of it must be changed first.').waitFor();
    await panel.getByRole('heading', { name: 'first' }).waitFor();
  });

  it('names the list that is not chosen yet where a person is simulated', async () => {
    const entryCriteria = { type: 'contact_added_to_list' };
    const steps = [wait(1), email('first')];
    const { id } = await created(suite.own.client, '/automations', { name: 'Of no list', entryCriteria, steps });
    const page = await suite.open(`/automations/${id}/edit`);
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByText('Choose under “Who enters” which list people join.').waitFor();
    await page.getByText('Its values do not meet the entry criteria.').waitFor({ state: 'detached' });
  });

  it('makes a list in place, in the editor and in the dialog of a new automation', async () => {
    const { client } = suite.own;
    const entryCriteria = { type: 'contact_added_to_list' };
    const { id } = await created(client, '/automations', {
      ...{ name: 'By list', entryCriteria, steps: [wait(1), email('first')] },
    });
    const page = await suite.open(`/automations/${id}/edit?step=entry`);
    const { panel, node, saved } = editorOf(page);
    const dialog = page.getByRole('dialog', { name: 'New list' });
    await panel.getByLabel('List or segment').fill('Bakery');
    await page.getByRole('option', { name: 'Make the list “Bakery”' }).click();
    await expectAccessible(page);
    await shoot(page, 'editor-make-list');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await panel.getByLabel('List or segment').fill('Bakery');
    await page.getByRole('option', { name: 'Make the list “Bakery”' }).click();
    await dialog.getByRole('button', { name: 'Make list' }).click();
    await node(/^Joins Bakery/).waitFor();
    await saved();
    const { listId } = (await stored(suite, `/automations/${id}`)).entryCriteria;
    expect((await stored(suite, `/contact-lists/${listId}`)).name).to.equal('Bakery');

    await page.getByRole('link', { name: 'Automations', exact: true }).first().click();
    await page.getByRole('button', { name: 'New automation' }).first().click();
    const made = page.getByRole('dialog', { name: 'New automation' });
    await made.getByLabel('Name', { exact: true }).fill('A course');
    await made.getByRole('radio', { name: /^Course/ }).check();
    await made.getByLabel('List or segment').fill('Learners');
    await page.getByRole('option', { name: 'Make the list “Learners”' }).click();
    await dialog.getByRole('button', { name: 'Make list' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await made.getByLabel('Name', { exact: true }).inputValue()).to.equal('A course');
    await until(
      () => made.getByLabel('List or segment').inputValue(),
      (text) => text === 'Learners',
    );
    await made.getByRole('button', { name: 'Create draft' }).click();
    await node(/^Joins Learners/).waitFor();
  });

  it('stays at the place of a step that is removed, and names mails in words', async () => {
    const { client } = suite.own;
    const steps = Array.from({ length: 12 }, (_, n) => [wait(1, 'days', { stepId: `w${n}` }), email(`letter-${n}`)]);
    const { id } = await created(client, '/automations', { name: 'Long', steps: steps.flat() });
    const page = await suite.open(`/automations/${id}/edit`);
    const { panel, node, saved } = editorOf(page);
    await node(/^letter-9/).click();
    await panel.getByLabel('Subject').fill('For you, {{firstName default="friend"}}: {{contactProperties.planName}}');
    await node(/^For you, \[first name\]/).waitFor();
    await panel.getByRole('heading', { name: 'For you, [first name]: [plan name]' }).waitFor();
    await panel.getByLabel('Name for answers').fill('The bakery');
    await panel.getByLabel('Answers go to').fill('desk@harbour.example');
    await saved();
    const mail = await until(
      async () => (await stored(suite, `/automations/${id}`)).steps[19].email,
      (one) => one.senderReplyToEmail !== undefined,
    );
    expect(mail.senderReplyToName).to.equal('The bakery');
    await panel.getByRole('button', { name: 'Remove the step' }).click();
    // The mail went with its wait, so the mail before them is the nearest.
    await panel.getByRole('heading', { name: 'letter-8' }).waitFor();
    const focused = () => page.evaluate('document.activeElement?.getAttribute("data-node")');
    await until(focused, (id) => id === 'letter-8');
    const box = await node(/^letter-8/).boundingBox();
    expect(box?.y).to.be.within(0, 1000);
    await page.getByRole('status').getByText('letter-8 is before it.', { exact: false }).waitFor({ state: 'attached' });
  });

  it('simulates an entry by a segment, into which people are not put', async () => {
    const { client } = suite.own;
    const filterCriteria = { groups: [{ field: 'firstName', operator: 'equals', value: 'Ada' }] };
    const segment = await created(client, '/contact-lists', { name: 'Adas', type: 'segment', filterCriteria });
    for (const type of ['contact_added_to_list', 'list_left']) {
      const { id } = await created(client, '/automations', {
        ...{ name: `By ${type}`, entryCriteria: { type, listId: segment.id }, steps: [wait(1), email('first')] },
      });
      for (const path of [`/automations/${id}`, `/automations/${id}/edit?panel=simulate`] as const) {
        const page = await suite.open(path);
        await page.getByRole('button', { name: 'Simulate', exact: true }).last().click();
        await page.getByText('Mail: first').waitFor();
      }
    }
  });
});
