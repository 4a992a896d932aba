import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { SENDER } from '../../delivery/support.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';

describe('The page of emails', () => {
  const suite = useConsole();
  before(() => seedVerifiedDomain(suite.deps, suite.own.project, 'mail.example.com', new ObjectId()));

  async function send(email: string, subject: string, fields: object = {}): Promise<ObjectId> {
    const mail = { to: { email }, from: { email: SENDER }, subject, html: '<p>Hello</p>', ...fields };
    const { body } = await suite.own.client.post('/mails/send', mail);
    return new ObjectId(body.data.emailId as string);
  }

  it('finds a mail by its address and shows its history with the words of the relay', async () => {
    await send('bo@in.test', 'Your order is on its way');
    const _id = await send('ada@in.test', 'Confirm your address');
    const at = new Date();
    const reply = { code: 550, enhanced: '5.1.1', text: 'no such user here' };
    await suite.deps.db.messages.updateOne(
      { _id, projectId: suite.own.project._id },
      { $set: { state: 'bounced', reply, endedAt: at }, $push: { timeline: { type: 'bounced', at, reply } } },
    );

    const page = await suite.open('/emails');
    await page.getByRole('link', { name: 'bo@in.test' }).waitFor();
    await page.getByRole('searchbox', { name: 'Address, whole' }).fill('Ada@in.test');
    await page.getByRole('link', { name: 'bo@in.test' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'ada@in.test' }).click();
    const drawer = page.getByRole('complementary', { name: 'Confirm your address' });
    await drawer.getByText('Taken and stored').waitFor();
    expect(await drawer.textContent()).to.match(/550 5\.1\.1 no such user here/);
    expect(new URL(page.url()).search).to.include('address=Ada');
    await drawer.getByRole('link', { name: 'The mail' }).click();
    await page.frameLocator('iframe[title="The mail"]').getByText('Hello').waitFor();
    await drawer.getByRole('radio', { name: 'Text' }).check();
    await drawer.getByRole('region', { name: 'The mail as text' }).getByText('Hello').waitFor();
    await expectAccessible(page);
    await drawer.getByRole('link', { name: 'What happened' }).click();
    await drawer.getByText('Taken and stored').waitFor();
    await expectAccessible(page);
    await shoot(page, 'emails');

    await page.keyboard.press('Escape');
    await page.getByLabel('State').selectOption('Sent');
    await page.getByText('No mail fits').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('link', { name: 'bo@in.test' }).waitFor();
  });

  it('moves a scheduled mail to another time and cancels it, and says what it may not', async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const _id = await send('late@in.test', 'A word for tomorrow', { scheduledAt });
    const read = () => suite.deps.db.messages.findOne({ _id, projectId: suite.own.project._id });

    const page = await suite.open(`/emails?email=${_id.toHexString()}`);
    const drawer = page.getByRole('complementary', { name: 'A word for tomorrow' });
    await drawer.getByRole('button', { name: 'Send at another time' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send at another time' });
    await dialog.getByLabel('Time').fill('2020-01-01T10:00');
    await dialog.getByRole('button', { name: 'Change the time' }).click();
    await dialog.getByText('is more than a minute in the past').waitFor();
    const inTwoHours = new Date(Date.now() + 2 * 3_600_000);
    inTwoHours.setSeconds(0, 0);
    await dialog.getByLabel('Time').fill(await localTime(page, inTwoHours));
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Change the time' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await read())?.scheduledAt).to.deep.equal(inTwoHours);
    await shoot(page, 'emails-scheduled');

    await drawer.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the mail' }).click();
    await drawer.getByText('Cancelled').first().waitFor();
    await drawer.getByRole('button', { name: 'Cancel…' }).waitFor({ state: 'detached' });
    expect((await read())?.state).to.equal('cancelled');
    await page.getByLabel('State').selectOption('Cancelled');
    await page.getByRole('link', { name: 'late@in.test' }).waitFor();
    await page.getByRole('link', { name: 'bo@in.test' }).waitFor({ state: 'detached' });
  });

  it('shows the buttons disabled to those who may only read', async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const _id = await send('viewed@in.test', 'Only looked at', { scheduledAt });
    const page = await suite.open(`/emails?email=${_id.toHexString()}`, { role: 'viewer' });
    const button = page.getByRole('button', { name: 'Cancel…' });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).to.equal('true');
  });

  it('finds mails by a tag, which each of them shows', async () => {
    await send('cy@in.test', 'Invoice 7', { tags: [{ name: 'kind', value: 'invoice' }] });
    await send('di@in.test', 'Invoice 8', { tags: [{ name: 'kind', value: 'invoice' }] });
    await send('el@in.test', 'Welcome', { tags: [{ name: 'kind', value: 'welcome' }] });
    const page = await suite.open('/emails');
    await page.getByRole('link', { name: 'cy@in.test' }).click();
    await page.getByRole('complementary').getByRole('link', { name: 'kind: invoice' }).click();
    await page.getByRole('link', { name: 'el@in.test' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'di@in.test' }).waitFor();
    expect(await page.getByRole('searchbox', { name: 'Tag' }).inputValue()).to.equal('kind:invoice');
    await page.getByRole('searchbox', { name: 'Tag' }).fill('kind:none');
    await page.getByText('No mail fits').waitFor();
    await page.getByRole('searchbox', { name: 'Tag' }).fill('no colon');
    await page.getByText('tag:').waitFor();
  });
});

/** The text of a field of the page, in the zone of its browser. */
function localTime(page: Page, at: Date): Promise<string> {
  return page.evaluate((ms) => {
    const offsetMs = new Date(ms).getTimezoneOffset() * 60_000;
    return new Date(ms - offsetMs).toISOString().slice(0, 16);
  }, at.getTime());
}
