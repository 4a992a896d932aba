import type { Page } from 'playwright-core';
import { activeAutomation, created, email, makeSending, wait } from '../../automations/support.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { editorOf } from './kit.ts';

const LEAVE = '<a href="{{unsubscribe}}">Unsubscribe</a>';
const WIDTHS = [1400, 375] as const;

describe('The editor of automations in the dark', () => {
  const suite = useConsole();
  before(() => makeSending(suite.deps, suite.own));
  const both = async (
    path: string,
    name: string,
    { look, ...options }: { look: (page: Page) => Promise<unknown> } & Parameters<typeof suite.open>[1],
  ) => {
    for (const width of WIDTHS) {
      const page = await suite.open(path, { theme: 'dark', width, ...options });
      await look(page);
      await expectAccessible(page);
      await shoot(page, `dark-${name}-${width}`);
      await page.close();
    }
  };
  const panelOf = (page: Page) => editorOf(page).panel;

  it('is readable where there is nothing yet, and in the dialog of the shapes', async () => {
    await both('/automations', 'empty', {
      tenant: suite.other,
      look: async (page) => {
        await page.getByText('No automation yet').waitFor();
        await page.getByRole('button', { name: 'New automation' }).first().click();
        await page.getByRole('dialog').getByLabel('Name', { exact: true }).waitFor();
      },
    });
  });

  it('is readable with 200 steps', async () => {
    const steps = Array.from({ length: 100 }, (_, n) => [wait(1), email(`letter-${n}`)]).flat();
    const { id } = await created(suite.own.client, '/automations', { name: 'Two hundred', steps });
    await both(`/automations/${id}/edit?step=letter-1`, '200', {
      look: (page) => panelOf(page).getByLabel('Subject').waitFor(),
    });
  });

  it('is readable with long names and lines to mend', async () => {
    const name = `🎂${'N'.repeat(80)}`;
    const { id } = await created(suite.other.client, '/automations', {
      ...{ name, entryCriteria: { type: 'contact_added_to_list' } },
      steps: [wait(1), { type: 'email', stepId: 'mail', email: { subject: name, htmlTemplate: LEAVE } }],
    });
    await both(`/automations/${id}/edit?step=mail`, 'to-mend', {
      tenant: suite.other,
      look: async (page) => {
        await panelOf(page).getByLabel('Subject').waitFor();
        if (page.viewportSize()?.width === 375) await page.getByRole('button', { name: 'Close' }).click();
        await page.getByRole('button', { name: 'Activate…' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
        await page.getByText('is required', { exact: false }).first().waitFor();
      },
    });
  });

  it('is readable while it is simulated', async () => {
    const steps = [wait(0, 'minutes'), email('first'), wait(2), email('second')];
    const { id } = await created(suite.own.client, '/automations', { name: 'Walked', steps });
    await both(`/automations/${id}/edit?panel=simulate`, 'simulation', {
      look: async (page) => {
        const simulation = page.getByRole('complementary', { name: 'Simulation' });
        await simulation.getByRole('button', { name: 'Simulate', exact: true }).click();
        await simulation.getByRole('button', { name: /^Look at it.*first/ }).click();
        await simulation.getByTitle('The mail as the person sees it').waitFor();
      },
    });
  });

  it('is readable where two versions are compared', async () => {
    const { id } = await activeAutomation(suite.own.client, { name: 'Compared', steps: [wait(1), email('old')] });
    const steps = [wait(2), email('old'), wait(1), email('new')];
    await suite.own.client.patch(`/automations/${id}`, { draft: true, steps });
    await both(`/automations/${id}/edit`, 'versions', {
      look: async (page) => {
        await page.getByRole('button', { name: 'Publish…' }).click();
        await page.getByRole('dialog').getByText('0 people on the way').waitFor();
      },
    });
  });

  it('is readable for each role', async () => {
    const { id } = await created(suite.own.client, '/automations', { name: 'By role', steps: [wait(1), email('one')] });
    for (const role of ['owner', 'editor', 'author', 'viewer'] as const)
      await both(`/automations/${id}/edit?step=one`, role, {
        role,
        look: (page) => panelOf(page).getByLabel('Subject').waitFor(),
      });
  });
});
