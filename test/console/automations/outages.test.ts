import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { created, email, makeSending, wait } from '../../automations/support.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { startApi, stopApi } from '../../support/outage.ts';
import { until } from '../../support/wait.ts';
import { editorOf as mailOf } from '../mail-editor/kit.ts';
import { editorOf } from './kit.ts';

describe('The editor of automations, while the server is stopped', () => {
  const suite = useConsole();
  before(() => makeSending(suite.deps, suite.own));
  // A test that failed leaves none behind without a server.
  afterEach(async () => {
    if (suite.app && !suite.app.server.listening) await startApi(suite);
  });
  const made = async (name: string): Promise<string> =>
    (await created(suite.own.client, '/automations', { name, steps: [wait(1), email('first')] })).id;
  /** Asked of the database: the interface does not answer. */
  const subjectsOf = async (id: string) => {
    const found = await suite.deps.db.automations.findOne({ _id: new ObjectId(id), projectId: suite.own.project._id });
    return (found?.steps ?? []).flatMap((step) => (step.type === 'email' ? [step.email.subject] : []));
  };
  const holds = (id: string, subject: string) =>
    until(
      () => subjectsOf(id),
      (found) => found.includes(subject),
    );
  const isLost = async (page: Page) => {
    await page.getByText('Not saved: kept in this browser').waitFor();
    await page.getByText('The API cannot be reached', { exact: true }).waitFor();
  };

  it('keeps what is added, written and taken back, says so, and saves it by itself once it is started', async () => {
    const id = await made('Cut off');
    const page = await suite.open(`/automations/${id}/edit`);
    const { panel, node, plus, item, saved } = editorOf(page);
    const dialog = page.getByRole('dialog');
    await node(/^first/).waitFor();
    await stopApi(suite);
    await plus('after first').click();
    await item('Mail').click();
    await panel.getByLabel('Subject').fill('Written without a server');
    await node(/^Written without a server/).waitFor();
    await isLost(page);
    // Undo needs no server.
    await panel.getByRole('button', { name: 'Remove the step' }).click();
    await node(/^Written without a server/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await node(/^Written without a server/).waitFor();
    await expectAccessible(page);
    await shoot(page, 'editor-cut-off');
    // The script of the mail was not loaded before.
    await node(/^Written without a server/).click();
    await panel.getByRole('button', { name: 'Write the mail' }).click();
    await dialog.getByText('cannot be reached', { exact: false }).waitFor();
    await shoot(page, 'editor-cut-off-mail');
    expect(await subjectsOf(id)).to.deep.equal(['first']);
    await startApi(suite);
    await mailOf(page).mail.waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await holds(id, 'Written without a server');
    await saved();
    await page.getByText('The API cannot be reached', { exact: true }).waitFor({ state: 'detached' });
    // The script of the editor of code had failed too: this mail is HTML.
    await node(/^first/).click();
    await panel.locator('.cm-editor').waitFor();
  });

  it('keeps what is written into a mail that is open', async () => {
    const id = await made('In the mail');
    const page = await suite.open(`/automations/${id}/edit`);
    const { panel, plus, item, node, saved } = editorOf(page);
    const { block } = mailOf(page);
    await plus('after first').click();
    await item('Mail').click();
    await node(/^New mail/).waitFor();
    await saved();
    await panel.getByRole('button', { name: 'Write the mail' }).click();
    await block('words').waitFor();
    await stopApi(suite);
    await block('words').locator('p').click({ clickCount: 3 });
    await page.keyboard.type('One loaf a week.');
    await page.getByRole('button', { name: 'Done' }).click();
    await isLost(page);
    await startApi(suite);
    await saved();
    const found = await suite.deps.db.automations.findOne({ _id: new ObjectId(id), projectId: suite.own.project._id });
    expect(JSON.stringify(found?.steps)).to.contain('One loaf a week.');
  });

  it('has it again in the next tab, where the first one was closed in between', async () => {
    const id = await made('Closed');
    const page = await suite.open(`/automations/${id}/edit?step=first`);
    const next = await suite.open('/automations', { besides: page });
    await next.getByRole('link', { name: 'Closed' }).waitFor();
    const { panel } = editorOf(page);
    await panel.getByLabel('Subject').waitFor();
    await stopApi(suite);
    await panel.getByLabel('Subject').fill('Typed and left');
    await isLost(page);
    await page.close();
    await startApi(suite);
    await next.goto(`/console/automations/${id}/edit`);
    await next.getByText(/^What you typed .* was not saved, and is here again$/).waitFor();
    await editorOf(next)
      .node(/^Typed and left/)
      .waitFor();
    await holds(id, 'Typed and left');
  });

  it('returns to what is saved in the panel too, when the kept text is dropped', async () => {
    const id = await made('Dropped');
    const page = await suite.open(`/automations/${id}/edit?step=first`);
    const subject = editorOf(page).panel.getByLabel('Subject');
    await page.route(
      (url) => url.pathname.endsWith(id),
      (route) => (route.request().method() === 'PATCH' ? route.abort() : route.fallback()),
    );
    await subject.fill('Typed and dropped');
    await until(
      () => page.evaluate('JSON.stringify(localStorage)'),
      (kept) => String(kept).includes('Typed and dropped'),
    );
    page.on('dialog', (dialog) => dialog.accept());
    await page.reload();
    await page.getByText(/^What you typed .* was not saved, and is here again$/).waitFor();
    expect(await subject.inputValue()).to.equal('Typed and dropped');
    await page.getByRole('button', { name: 'Show what is saved' }).click();
    await editorOf(page)
      .node(/^first/)
      .waitFor();
    expect(await subject.inputValue()).to.equal('first');
    await page.unrouteAll();
    await subject.press('End');
    await subject.pressSequentially(' of all');
    await holds(id, 'first of all');
  });

  it('of two tabs that both wrote saves one, and shows both texts in the other', async () => {
    const id = await made('Two of them');
    const one = await suite.open(`/automations/${id}/edit?step=first`);
    const two = await suite.open(`/automations/${id}/edit?step=first`, { besides: one });
    const tabs = [one, two] as const;
    const subjectIn = (page: Page) => editorOf(page).panel.getByLabel('Subject');
    for (const page of tabs) await subjectIn(page).waitFor();
    await stopApi(suite);
    for (const [index, page] of tabs.entries()) {
      await page.bringToFront();
      await subjectIn(page).fill(`From tab ${index + 1}`);
      await isLost(page);
    }
    await startApi(suite);
    const won = await until(
      async () => /From tab (\d)/.exec((await subjectsOf(id)).join())?.[1],
      (number) => number !== undefined,
    );
    const late = won === '1' ? two : one;
    await late.bringToFront();
    await late.getByText('Another version was saved elsewhere while you typed').waitFor();
    const mine = won === '1' ? 'From tab 2' : 'From tab 1';
    expect(await subjectIn(late).inputValue()).to.equal(mine);
    await shoot(late, 'editor-two-tabs-cut-off');
    await late.getByRole('button', { name: 'Keep mine' }).click();
    await holds(id, mine);
  });
});
