import { expect } from 'chai';
import { useConsole } from '../../../support/browser/console.ts';
import { made } from '../../../support/client.ts';

/** As the browser, in Berlin, shows it, and as the interface has it. */
const BEGIN = '2098-01-05T12:00';
const BEGIN_AT = '2098-01-05T11:00:00.000Z';
const TIME = '2099-01-05T12:00';
const TIME_AT = '2099-01-05T11:00:00.000Z';
const gradual = { emailsPerDay: 10, growth: 'fixed', timezone: 'Europe/Berlin' };

describe('A field of a campaign that is emptied', () => {
  const suite = useConsole();

  async function openDraft(fields: object) {
    const { client } = suite.own;
    const mail = { name: 'Winter letter', subject: 'Winter', htmlTemplate: '<p>Snow</p>', publish: false };
    const { id } = await made(client, '/campaigns', { ...mail, ...fields });
    const page = await suite.open(`/campaigns/${id}/edit`);
    const stored = async () => (await client.get(`/campaigns/${id}`)).body.data;
    /** Saves, and loads the page again. */
    const save = async () => {
      const answer = page.waitForResponse((found) => found.request().method() === 'PATCH');
      await page.getByRole('button', { name: 'Save draft' }).click();
      expect((await answer).status()).to.equal(200);
      await page.getByText(/^Saved \d\d:/).waitFor();
      await page.reload();
    };
    return { page, save, stored };
  }

  it('is empty on the server too: the begin of a gradual campaign, which is shown before', async () => {
    const { page, save, stored } = await openDraft({ sendMode: 'gradual', gradual: { ...gradual, startAt: BEGIN_AT } });
    const begin = page.getByLabel('Begin (empty: when published)');
    await begin.waitFor();
    expect(await begin.inputValue()).to.equal(BEGIN);
    await save();
    expect((await stored()).gradual.startAt).to.equal(BEGIN_AT);
    await begin.fill('');
    await save();
    expect((await stored()).gradual.startAt).to.equal(null);
    await begin.waitFor();
    expect(await begin.inputValue()).to.equal('');
  });

  it('is empty on the server too: the time, of a gradual campaign that had one as well', async () => {
    const { page, save, stored } = await openDraft({ sendMode: 'scheduled', scheduledAt: TIME_AT });
    const time = page.getByRole('textbox', { name: 'Time', exact: true });
    await time.fill('');
    await save();
    expect(await stored()).to.include({ sendMode: 'scheduled', scheduledAt: null });
    await time.fill(TIME);
    await save();
    expect((await stored()).scheduledAt).to.equal(TIME_AT);
    await page.getByRole('radio', { name: 'Gradually' }).check();
    await page.getByLabel('Begin (empty: when published)').fill('');
    await save();
    const { scheduledAt, gradual: plan } = await stored();
    expect([scheduledAt, plan.startAt]).to.deep.equal([null, null]);
  });

  it('is empty on the server too: the name shown', async () => {
    const { page, save, stored } = await openDraft({ from: { email: 'post@mail.example.com', name: 'Harbour' } });
    const name = page.getByLabel('Name shown');
    await page.getByLabel('From', { exact: true }).fill('new@mail.example.com');
    await save();
    expect((await stored()).from).to.deep.equal({ email: 'new@mail.example.com', name: 'Harbour' });
    await name.fill('');
    await save();
    expect((await stored()).from).to.deep.equal({ email: 'new@mail.example.com', name: '' });
    await name.waitFor();
    expect(await name.inputValue()).to.equal('');
  });

  it('keeps the begin that a program gave to a gradual campaign that had a time before', async () => {
    const { page, save, stored } = await openDraft({
      ...{ sendMode: 'gradual', scheduledAt: TIME_AT, gradual: { ...gradual, startAt: BEGIN_AT } },
    });
    await page.getByLabel('Subject').fill('Winter is here');
    await save();
    expect((await stored()).gradual.startAt).to.equal(BEGIN_AT);
  });
});
