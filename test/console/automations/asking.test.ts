import { expect } from 'chai';
import { created, email, wait } from '../../automations/support.ts';
import { expectAccessible, pickFound, shoot, useConsole } from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';
import { editorOf, stored } from './kit.ts';

interface Step {
  stepId: string;
  type: string;
  timeoutStepId?: string;
  waitEvent?: object;
  branches?: Array<{ filterCriteria: { groups: object[] } }>;
}

describe('Questions of an automation about its mails', () => {
  const suite = useConsole();
  const savedStep = (id: string, type: string) =>
    until(
      async () => ((await stored(suite, `/automations/${id}`)).steps as Step[]).find((one) => one.type === type),
      (step) => step !== undefined,
    );

  it('splits those who open the mail before from the rest, with a reminder for these alone', async () => {
    const { id } = await created(suite.own.client, '/automations', {
      name: 'Reminded',
      steps: [wait(0, 'minutes'), email('first'), wait(2), email('second')],
    });
    const page = await suite.open(`/automations/${id}/edit`);
    const { panel, node, plus, item, saved } = editorOf(page);
    await plus('after second').click();
    await item('Opened or not').click();
    await node(/^Wait for an open/).waitFor();
    expect(await panel.getByLabel('Mail', { exact: true }).locator('option').allTextContents()).to.deep.equal([
      ...['Choose a mail', '4. second', '2. first'],
    ]);
    await plus('on not in time of Wait for an open').click();
    await item('Mail').click();
    await panel.getByLabel('Subject').fill('A reminder');
    await node(/^Leave/).waitFor();
    await saved();
    await expectAccessible(page);
    await shoot(page, 'editor-opened-or-not');
    const { waitEvent, timeoutStepId } = (await savedStep(id, 'wait_event'))!;
    expect(waitEvent).to.deep.equal({
      ...{ eventName: 'email.opened', emailStepId: 'second', since: 'entry', timeout: { value: 3, unit: 'days' } },
    });
    const steps = (await stored(suite, `/automations/${id}`)).steps;
    expect(steps.find((one: Step) => one.stepId === timeoutStepId).email.subject).to.equal('A reminder');

    await plus('at the beginning').click();
    await item('Opened or not').click();
    await page.getByText('No mail comes before it').waitFor();
  });

  it('asks in a branch for the mail of one automation, and keeps that when it is opened again', async () => {
    const { client } = suite.own;
    await client.post('/campaigns', { name: 'Letter of May', subject: 'May', htmlTemplate: '<p>May</p>' });
    const { id } = await created(client, '/automations', { name: 'Asked', steps: [wait(1), email('first')] });
    const page = await suite.open(`/automations/${id}/edit`);
    const { panel, plus, item, saved } = editorOf(page);
    await plus('after first').click();
    await item('Branch').click();
    const choice = panel.getByLabel('Condition 1: of campaign or automation');
    await pickFound(choice, 'Letter of May');
    await until(
      async () => (await savedStep(id, 'branch'))?.branches?.[0]?.filterCriteria.groups[0],
      (group) => group !== undefined && 'campaignId' in group,
    );
    await pickFound(choice, 'Asked');
    const asked = await until(
      async () => (await savedStep(id, 'branch'))?.branches?.[0]?.filterCriteria.groups[0],
      (group) => group !== undefined && 'automationId' in group,
    );
    expect(asked).to.deep.include({ behaviour: 'humanOpened', automationId: id }).and.not.have.property('campaignId');
    await saved();
    await page.reload();
    await until(
      () => panel.getByLabel('Condition 1: of campaign or automation').inputValue(),
      (text) => text === 'Asked, an automation',
    );
    await expectAccessible(page);
  });
});
