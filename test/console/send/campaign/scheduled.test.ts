import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { seedVerifiedDomain } from '../../../../core/domains/domains.ts';
import { SENDER } from '../../../delivery/support.ts';
import { expectAccessible, shoot, untilQuiet, useConsole } from '../../../support/browser/console.ts';
import { made } from '../../../support/client.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

describe('A scheduled campaign in its editor', () => {
  const suite = useConsole();
  let listId: string;
  before(async () => {
    const { client, project } = suite.own;
    await seedVerifiedDomain(suite.deps, project, 'mail.example.com', new ObjectId());
    listId = (await made(client, '/contact-lists', { name: 'Newsletter' })).id;
    await made(client, '/contacts', { email: 'ada@in.test', listIds: [listId] });
  });

  async function openEditor(publish: boolean) {
    const { client } = suite.own;
    const { id } = await made(client, '/campaigns', {
      ...{ name: 'Winter letter', subject: 'Winter', from: { email: SENDER }, toLists: [listId], publish },
      ...{ htmlTemplate: '<p>Snow</p>', sendMode: 'scheduled', scheduledAt: new Date(Date.now() + WEEK_MS) },
    });
    const page = await suite.open(`/campaigns/${id}/edit`);
    await page.locator('.figure', { hasText: '1 person gets this mail' }).waitFor();
    const stored = async () => (await client.get(`/campaigns/${id}`)).body.data;
    return { page, stored, path: `/campaigns/${id}` };
  }

  const subjectOf = (page: Page) => page.getByRole('textbox', { name: 'Subject', exact: true });
  const question = (page: Page) => page.getByRole('dialog', { name: 'Take Winter letter back to a draft' });

  it('sends no test of what is not published, and one of what is', async () => {
    const { page, stored } = await openEditor(true);
    const test = page.getByRole('button', { name: 'Send a test…' });
    await subjectOf(page).fill('Winter is here');
    expect(await test.getAttribute('title')).to.equal('Publish the change first: a test sends what is saved.');
    await test.click({ force: true });
    await untilQuiet(page);
    expect(await stored()).to.include({ status: 'scheduled', subject: 'Winter' });
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('button', { name: 'Publish for 1 person' }).click();
    await page.locator('h1', { hasText: 'Winter letter' }).waitFor();
    await page.getByRole('button', { name: 'Publish…' }).waitFor({ state: 'detached' });
    expect(await stored()).to.include({ status: 'scheduled', subject: 'Winter is here' });
    await page.goBack();
    await test.click();
    await page.getByRole('dialog').waitFor();
    expect((await stored()).status).to.equal('scheduled');
  });

  it('becomes a draft after a question that names its time', async () => {
    const { page, stored } = await openEditor(true);
    await subjectOf(page).fill('Winter is here');
    const back = page.getByRole('button', { name: 'Back to a draft…' });
    await back.click();
    const time = (await page.getByRole('textbox', { name: 'Time', exact: true }).inputValue()).replace('T', ' ');
    await question(page).getByText(`It does not go out at ${time} unless it is published again.`).waitFor();
    await expectAccessible(page);
    await shoot(page, 'take-back');
    await question(page).getByRole('button', { name: 'Not now' }).click();
    await untilQuiet(page);
    expect(await stored()).to.include({ status: 'scheduled', subject: 'Winter' });
    await back.click();
    await question(page).getByRole('button', { name: 'Take it back and save' }).click();
    await page.locator('.badge', { hasText: 'Draft' }).waitFor();
    await page.getByRole('button', { name: 'Save draft' }).waitFor();
    expect(await stored()).to.include({ status: 'draft', subject: 'Winter is here' });
  });

  it('is not taken back by a text that was typed before it was published elsewhere', async () => {
    const { page, stored, path } = await openEditor(false);
    const { client } = suite.own;
    const answer = await client.patch(path, { publish: true });
    expect(answer.status).to.equal(200);
    await subjectOf(page).fill('Winter is here');
    const both = page.getByRole('region', { name: 'Two versions' });
    const keep = both.getByRole('button', { name: 'Keep mine' });
    await keep.click();
    await question(page).getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('button', { name: 'Send a test…' }).click({ force: true });
    await untilQuiet(page);
    expect(await stored()).to.include({ status: 'scheduled', subject: 'Winter' });
    await keep.click();
    await question(page).getByRole('button', { name: 'Take it back and save' }).click();
    await both.waitFor({ state: 'detached' });
    expect(await stored()).to.include({ status: 'draft', subject: 'Winter is here' });
  });
});
