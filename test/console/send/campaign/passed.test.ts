import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { shoot, useConsole } from '../../../support/browser/console.ts';
import { made } from '../../../support/client.ts';

const YESTERDAY = new Date(Date.now() - 24 * 3_600_000);
const LONG_AGO = { date: '2020-01-05', time: '09:00', fallbackTimezone: 'Europe/Berlin', late: 'next_day' } as const;

describe('A draft whose time has passed', () => {
  const suite = useConsole();

  for (const [what, time] of [
    ['a time', { sendMode: 'scheduled', scheduledAt: YESTERDAY }],
    ['a local time', { sendMode: 'scheduled', localTime: LONG_AGO }],
  ] as const)
    it(`is saved without ${what}, and says so`, async () => {
      const { client } = suite.own;
      const mail = { name: 'Winter letter', subject: 'Winter', htmlTemplate: '<p>Snow</p>', publish: false };
      const { id } = await made(client, '/campaigns', mail);
      await suite.deps.db.campaigns.updateOne({ _id: new ObjectId(id as string) }, { $set: time as object });
      const page = await suite.open(`/campaigns/${id}/edit`);
      await page.getByText('This time has passed', { exact: true }).waitFor();
      await page.getByRole('textbox', { name: 'Subject', exact: true }).fill('Winter is here');
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByText(/^Saved \d\d:.*, without its time$/).waitFor();
      await shoot(page, 'without-its-time');
      expect((await client.get(`/campaigns/${id}`)).body.data).to.include({
        status: 'draft',
        subject: 'Winter is here',
      });
      await page.getByRole('button', { name: 'Send a test…' }).click();
      await page.getByRole('dialog').waitFor();
    });

  it('has the focus in the field that a save by hand was refused for, and no other save moves it', async () => {
    const { client } = suite.own;
    const mail = { name: 'Winter letter', subject: 'Winter', htmlTemplate: '<p>Snow</p>', publish: false };
    const { id } = await made(client, '/campaigns', { ...mail, from: { email: 'post@mail.example.com' } });
    const page = await suite.open(`/campaigns/${id}/edit`);
    await page.getByRole('radio', { name: 'Gradually' }).check();
    const perDay = page.getByLabel('People on the first day');
    await perDay.fill('few');
    const subject = page.getByRole('textbox', { name: 'Subject', exact: true });
    await subject.focus();
    const refused = page.locator('[name="emailsPerDay"][aria-invalid]');
    await refused.waitFor();
    expect(await page.evaluate('document.activeElement.name')).to.equal('subject');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.locator('[name="emailsPerDay"][aria-invalid]:focus').waitFor();
    await shoot(page, 'refused-far-away');
    expect(await page.getByText('gradual/emailsPerDay').count()).to.equal(0);
  });
});
