import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { endSessions, expectAccessible, shoot, signIn, useConsole } from '../support/browser/console.ts';
import { type Client, createClient, made } from '../support/client.ts';
import { until } from '../support/wait.ts';

interface Editor {
  noun: string;
  /** Its path in the console and in the interface, made new. */
  make(): Promise<{ page: string; path: string; client: Client }>;
  save: string;
  label: string;
  field: string;
}

describe('Two tabs with the same page', () => {
  const suite = useConsole();
  const editors: Editor[] = [
    {
      ...{ noun: 'campaign', save: 'Save draft', label: 'Name of the campaign', field: 'name' },
      make: async () => {
        const { client } = suite.own;
        const mail = { subject: 'News', htmlTemplate: '<p>Hello</p>' };
        const { id } = await made(client, '/campaigns', { name: 'News', ...mail });
        return { client, path: `/campaigns/${id}`, page: `/campaigns/${id}/edit` };
      },
    },
    {
      ...{ noun: 'form', save: 'Save', label: 'Name of the form', field: 'name' },
      make: async () => {
        const { client } = suite.own;
        const list = await made(client, '/contact-lists', { name: 'Readers' });
        const field = { name: 'firstName', label: 'First name', type: 'text' };
        const { id } = await made(client, '/forms', { name: 'News', listIds: [list.id], fields: [field] });
        return { client, path: `/forms/${id}`, page: `/forms/${id}` };
      },
    },
    {
      ...{ noun: 'template', save: 'Save draft', label: 'Name', field: 'templateName' },
      make: async () => {
        const { client } = suite.own;
        const { templateId } = await made(client, '/templates', { templateName: 'News', emailTemplate: '<p>One</p>' });
        return { client, path: `/templates/${templateId}`, page: `/templates/${templateId}` };
      },
    },
    {
      ...{ noun: 'segment', save: 'Save', label: 'Name', field: 'name' },
      make: async () => {
        const { client } = suite.own;
        const groups = [{ field: 'firstName', operator: 'equals', value: 'Ada' }];
        const filterCriteria = { logicalOperator: 'AND', groups };
        const { id } = await made(client, '/contact-lists', { name: 'News', filterCriteria });
        return { client, path: `/contact-lists/${id}`, page: `/lists/${id}` };
      },
    },
    {
      ...{ noun: 'settings', save: 'Save', label: 'Public name', field: 'publicName' },
      make: async () => ({
        client: createClient(suite.url, suite.own.adminKey),
        path: `/account/projects/${suite.own.project._id}`,
        page: '/settings',
      }),
    },
  ];

  for (const { noun, make, save, label, field } of editors)
    it(`shows both texts of the ${noun} when another save came in between, and keeps the one that is chosen`, async () => {
      const { client, path, page: address } = await make();
      const stored = async () => (await client.get(path)).body.data[field];
      const box = (page: Page) => page.getByRole('textbox', { name: label, exact: true });
      const both = (page: Page) => page.getByRole('region', { name: 'Two versions' });
      const change = async (page: Page, text: string) => {
        await box(page).fill(text);
        // A page that saves by itself may have found the other version already: then there is nothing to press.
        await page.getByRole('button', { name: save, exact: true }).dispatchEvent('click');
      };
      const mine = await suite.open(address);
      await box(mine).waitFor();
      const theirs = await suite.open(address, { besides: mine });
      await box(theirs).waitFor();

      await change(theirs, 'Theirs');
      await until(stored, (text) => text === 'Theirs');
      await change(mine, 'Mine');
      const texts = both(mine).locator('dl > div').filter({ hasText: label });
      await texts.getByText('Theirs', { exact: true }).waitFor();
      await texts.getByText('Mine', { exact: true }).waitFor();
      expect(await both(mine).locator('dl > div').count()).to.equal(1);
      expect(await stored()).to.equal('Theirs');
      if (noun === 'campaign') {
        await expectAccessible(mine);
        await shoot(mine, 'two-versions');
      }
      const takeTheirs = both(mine).getByRole('button', { name: 'Take theirs…' });
      const question = mine.getByRole('dialog');
      await takeTheirs.click();
      await question.getByText(`What you typed is gone then: ${label}.`).waitFor();
      if (noun === 'template') await shoot(mine, 'take-theirs');
      await question.getByRole('button', { name: 'Not now' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await box(mine).inputValue()).to.equal('Mine');
      await takeTheirs.click();
      await question.getByRole('button', { name: 'Discard what I typed' }).click();
      await both(mine).waitFor({ state: 'detached' });
      expect(await box(mine).inputValue()).to.equal('Theirs');

      await change(mine, 'Later');
      await until(stored, (text) => text === 'Later');
      await change(theirs, 'Last');
      await both(theirs).getByRole('button', { name: 'Keep mine' }).click();
      await both(theirs).waitFor({ state: 'detached' });
      expect(await stored()).to.equal('Last');
      expect(await box(theirs).inputValue()).to.equal('Last');
    });

  for (const noun of ['template', 'campaign'])
    it(`keep what is typed in the ${noun} when the session ends, and have it at the same place after signing in again`, async () => {
      const editor = editors.find((one) => one.noun === noun);
      if (!editor) throw new Error('There is one.');
      const { client, path, page: address } = await editor.make();
      const page = await suite.open(address, { role: 'editor' });
      const subjectOf = (of: Page) => of.getByRole('textbox', { name: 'Subject', exact: true });
      await subjectOf(page).fill('Typed in the session that ends');
      await endSessions(suite, page, /^ada\.editor@/);
      await page.getByRole('button', { name: editor.save, exact: true }).click();
      await page.getByText('Your session has ended').waitFor();
      await subjectOf(page).press('End');
      await subjectOf(page).pressSequentially(' and after it');
      // Kept a moment after the last key: before a person can have opened the mail with the link.
      await until(
        () => page.evaluate('JSON.stringify(localStorage)'),
        (kept) => String(kept).includes('Typed in the session that ends and after it'),
      );
      await shoot(page, `session-ended-${noun}`);

      // As the link of the mail does it: the console is opened in another tab, at its beginning.
      await signIn(suite, page.context(), suite.own, { role: 'editor', url: suite.url });
      const opened = await page.context().newPage();
      await opened.goto('/console');
      await opened.waitForURL((url) => url.pathname.endsWith(address));
      await opened.getByText(/^What you typed .* was not saved, and is here again$/).waitFor();
      expect(await subjectOf(opened).inputValue()).to.equal('Typed in the session that ends and after it');
      await opened.close();
      await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
      await page.getByText('Your session has ended').waitFor({ state: 'detached' });
      expect(await subjectOf(page).inputValue()).to.equal('Typed in the session that ends and after it');
      await page.getByRole('button', { name: editor.save, exact: true }).click();
      await until(
        async () => (await client.get(`${path}${noun === 'template' ? '?version=draft' : ''}`)).body.data.subject,
        (subject) => subject === 'Typed in the session that ends and after it',
      );
    });

  it('keep what is typed while the server is gone, and show both texts when another save came in between', async () => {
    const [campaign] = editors;
    if (!campaign) throw new Error('There is a campaign.');
    const { client, path, page: address } = await campaign.make();
    const page = await suite.open(address);
    const subject = page.getByRole('textbox', { name: 'Subject', exact: true });
    await subject.fill('');
    await subject.pressSequentially('Typed ');
    await page.route('**/v1/**', (route) => route.abort());
    await subject.pressSequentially('without a server');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page
      .getByText(/The API cannot be reached/)
      .first()
      .waitFor();
    expect(await subject.inputValue()).to.equal('Typed without a server');
    await client.patch(path, { subject: 'Saved by a program' });
    page.on('dialog', (dialog) => dialog.accept());
    await page.unroute('**/v1/**');
    await page.goto(`/console${address}`);
    const both = page.getByRole('region', { name: 'Two versions' });
    await both.getByText(/^What you typed .* is here again, and another version was saved since$/).waitFor();
    await both.getByText('Saved by a program', { exact: true }).waitFor();
    await both.getByText('Typed without a server', { exact: true }).waitFor();
    await both.getByRole('button', { name: 'Keep mine' }).click();
    await both.waitFor({ state: 'detached' });
    expect((await client.get(path)).body.data.subject).to.equal('Typed without a server');
  });
});
