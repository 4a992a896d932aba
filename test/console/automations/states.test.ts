import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { created, email, makeSending, wait } from '../../automations/support.ts';
import {
  expectAccessible,
  holdCall,
  measureShifts,
  SHIFT_MAX,
  shiftsOf,
  shoot,
  useConsole,
} from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';
import { editorOf, stored } from './kit.ts';

const overflow = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
  scrollWidth - clientWidth;

describe('States of the editor of automations', () => {
  const suite = useConsole();
  before(() => makeSending(suite.deps, suite.own));
  const widthOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth');

  it('fits names of eighty letters without a space, and pictures among the letters', async () => {
    const { client } = suite.own;
    const long = (letter: string) => `🎂👩‍🚀${letter.repeat(80)}`;
    const list = await created(client, '/contact-lists', { name: long('L') });
    const wish = { groups: [{ field: 'firstName', operator: 'equals', value: long('V') }] };
    const { id } = await created(client, '/automations', {
      name: long('A'),
      entryCriteria: { type: 'contact_added_to_list', listId: list.id },
      steps: [
        wait(1),
        { type: 'email', stepId: 'mail', email: { subject: long('M'), htmlTemplate: `<p>${long('P')}</p>` } },
        {
          ...{ type: 'branch', stepId: 'fork', nextStepId: null },
          branches: [{ branchId: 'yes', label: long('B'), filterCriteria: wish }],
        },
        { type: 'exit', parentBranchStepId: 'fork', parentBranchId: 'yes' },
      ],
    });
    for (const width of [1400, 375])
      for (const step of ['entry', 'mail', 'fork']) {
        const page = await suite.open(`/automations/${id}/edit?step=${step}`, { width });
        await measureShifts(page);
        await page.reload();
        const panel = page.getByRole('complementary', { name: 'Step' });
        await panel.locator('.fields .in').first().waitFor();
        expect(await widthOf(page), `${step} at ${width}`).to.equal(width);
        expect(await panel.evaluate(overflow), `the panel of ${step} at ${width}`).to.equal(0);
        if (width === 1400) await expectAccessible(page);
        await shoot(page, `editor-long-${step}-${width}`);
        expect((await shiftsOf(page)).worst, `${step} at ${width}`).to.be.at.most(SHIFT_MAX);
        await page.close();
      }
    const overview = await suite.open(`/automations/${id}`, { width: 375 });
    await overview.getByRole('group', { name: 'Steps', exact: true }).waitFor();
    expect(await widthOf(overview)).to.equal(375);
  });

  it('keeps what is typed while it is activated and while it is published, and saves it into the next draft', async () => {
    const mail = { subject: 'first', htmlTemplate: '<a href="{{unsubscribe}}">Leave</a>' };
    const steps = [wait(1), email('first', { email: mail })];
    const { id } = await created(suite.own.client, '/automations', { name: 'Typed on', steps });
    const page = await suite.open(`/automations/${id}/edit?step=first`);
    const { panel } = editorOf(page);
    const subject = panel.getByLabel('Subject');
    await subject.waitFor();
    for (const [ask, act, typed] of [
      ['Activate…', 'Activate', 'Typed while it is activated'],
      ['Publish…', 'Publish version 2', 'Typed while it is published'],
    ] as const) {
      await page.getByRole('button', { name: ask }).click();
      const button = page.getByRole('dialog').getByRole('button', { name: act });
      await button.waitFor();
      // The page asks what is stored once it is done.
      const { isHeld, release } = await holdCall(page, 'GET', new RegExp(`/automations/${id}$`));
      await button.click();
      await isHeld;
      await button.waitFor({ state: 'detached' });
      await subject.fill(typed);
      // Longer than the pause after which a draft is saved.
      await sleep(1_000);
      release();
      await until(
        async () => (await stored(suite, `/automations/${id}?version=draft`)).steps.at(-1).email.subject,
        (found) => found === typed,
      );
      expect(await subject.inputValue()).to.equal(typed);
      await page.getByText(/^draft of version \d+$/).waitFor();
      await page.unrouteAll();
    }
    expect(await page.getByText('Another version was saved elsewhere').count()).to.equal(0);
  });

  it('has a way on where there is nothing at all: no automation, no list, no sender, no domain', async () => {
    const page = await suite.open('/automations', { tenant: suite.other });
    await page.getByText('No automation yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New automation' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New automation' });
    await dialog.getByRole('radio', { name: /^Course/ }).check();
    await dialog.getByRole('button', { name: 'Create draft' }).click();
    const { panel, node } = editorOf(page);
    await node(/^Joins a list/).click();
    await panel.getByLabel('List or segment').click();
    await page.getByText('There is no list or segment yet.').waitFor();
    await page.getByRole('option', { name: 'Make the list…' }).waitFor();
    await page.keyboard.press('Escape');
    await node(/^Lesson 1 of 3/).click();
    await panel.getByLabel('Sender', { exact: true }).click();
    await page.getByText('There is no sender yet.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Activate…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    const lines = page.getByRole('region', { name: 'To mend' });
    await lines.getByText('entryCriteria/listId: is required', { exact: false }).waitFor();
    // The first of them is shown, as the list of them may be far below.
    await panel.getByRole('heading', { name: 'Who enters' }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'editor-nothing');
  });

  it('is edited by list and keys alone on a telephone', async () => {
    const { client } = suite.own;
    const { id } = await created(client, '/automations', { name: 'By list', steps: [wait(1), email('first')] });
    const page = await suite.open(`/automations/${id}/edit`, { width: 375 });
    const { panel } = editorOf(page);
    const list = page.getByRole('list', { name: 'Steps' });
    const focused = (text: RegExp) =>
      until(
        () => page.evaluate('document.activeElement?.textContent ?? ""') as Promise<string>,
        (found) => text.test(found),
      );
    await list.getByRole('button', { name: 'Add a step after first' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Opened or not' }).waitFor();
    await page.keyboard.press('o');
    await page.keyboard.press('Enter');
    await panel.getByRole('heading', { name: 'Wait for an open' }).waitFor();
    await page.keyboard.press('Escape');
    await focused(/^Wait for an open/);
    await list.getByRole('button', { name: /^Add a step on not in time/ }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('m');
    await page.keyboard.press('Enter');
    await panel.getByRole('heading', { name: 'New mail' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await focused(/^New mail/);
    await page.keyboard.press('Delete');
    await list.getByRole('button', { name: /^New mail/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await focused(/^(Leave|Wait for an open)/);
    await shoot(page, 'editor-by-list');
    expect(await widthOf(page)).to.equal(375);
  });

  it('is edited and activated by editors, edited by authors, and read by viewers', async () => {
    const { client } = suite.own;
    const { id } = await created(client, '/automations', { name: 'By role', steps: [wait(1), email('first')] });
    const may = { owner: [true, true], editor: [true, true], author: [true, false], viewer: [false, false] } as const;
    for (const [role, [mayEdit, mayActivate]] of Object.entries(may)) {
      const page = await suite.open(`/automations/${id}/edit?step=first`, { role: role as keyof typeof may });
      const { panel, board, node } = editorOf(page);
      await node(/^first/).waitFor();
      await panel.getByLabel('Subject').waitFor();
      expect(await board.getByRole('button', { name: /^Add a step/ }).count(), role).to.equal(mayEdit ? 3 : 0);
      expect(await panel.getByLabel('Subject').isEditable(), role).to.equal(mayEdit);
      const isShut = await page.getByRole('button', { name: 'Activate…' }).getAttribute('aria-disabled');
      expect(isShut !== 'true', role).to.equal(mayActivate);
      if (role === 'viewer') await node(/^first/).press('Delete');
      await node(/^first/).waitFor();
      await expectAccessible(page);
      await page.close();
    }
  });
});
