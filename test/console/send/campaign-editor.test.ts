import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { planOf } from '../../../console/pages/campaigns/editor/draft.ts';
import { quotaOfDay } from '../../../core/campaigns/run/gradual.ts';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import type { ContactList } from '../../../core/people/model.ts';
import { SENDER } from '../../delivery/support.ts';
import { expectAccessible, holdCall, pickFound, shoot, useConsole } from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';

describe('The campaign editor', () => {
  const suite = useConsole();
  let listId: string;
  before(async () => {
    const { client, project } = suite.own;
    await seedVerifiedDomain(suite.deps, project, 'mail.example.com', new ObjectId());
    const list = await client.post('/contact-lists', { name: 'Newsletter' });
    listId = list.body.data.id;
    for (const name of ['ada', 'bo', 'cleo'])
      await client.post('/contacts', { email: `${name}@in.test`, firstName: name, listIds: [listId] });
    await client.post('/suppression-groups/emails/suppress', { emails: ['cleo@in.test'], isGlobal: true });
    await client.post('/templates', {
      ...{ templateName: 'Winter', templateType: 'marketing' },
      emailTemplate: '<h1>Hello {{firstName}}</h1><a href="{{unsubscribe}}">Unsubscribe</a>',
    });
  });

  it('takes templates of campaigns alone, and has UTM, tracking and the thresholds that pause it', async () => {
    const { client } = suite.own;
    const emailTemplate = '<p>Your order</p>';
    await client.post('/templates', { templateName: 'Winter order', templateType: 'transactional', emailTemplate });
    const page = await suite.open('/campaigns/new');
    await page.getByLabel('Template').fill('Winter');
    await page.getByRole('option', { name: 'Winter', exact: true }).waitFor();
    expect(await page.getByRole('option', { name: 'Winter order' }).count()).to.equal(0);
    await page.getByRole('option', { name: 'Winter', exact: true }).click();
    await page.getByLabel('Name of the campaign').fill('Measured');
    await page.getByLabel('Subject').fill('Winter is here');
    await page.getByLabel('It pauses by itself').selectOption('conservative');
    await page.getByLabel('Clicks').selectOption('no');
    await page.getByLabel('Source').fill('x'.repeat(201));
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.locator('[name="utm/source"][aria-invalid]').waitFor();
    await page.getByLabel('Source').fill('news letter');
    await page.getByLabel('Source').scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await shoot(page, 'campaign-measuring');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}\/edit/);
    const saved = async () => (await client.get('/campaigns?search=Measured')).body.data.campaigns[0];
    expect(await saved()).to.deep.include({
      ...{ utm: { source: 'news letter' }, thresholdPreset: 'conservative', trackingClick: false, trackingOpen: true },
    });
    await page.reload();
    expect(await page.getByLabel('Source').inputValue()).to.equal('news letter');
    expect(await page.getByLabel('Clicks').inputValue()).to.equal('no');
    await page.getByLabel('Source').fill('');
    await page.getByRole('button', { name: 'Save draft' }).click();
    const { trackingClick } = await until(saved, ({ utm }) => utm === null);
    expect(trackingClick).to.equal(false);
  });

  it('keeps what is typed while a new campaign is made', async () => {
    const page = await suite.open('/campaigns/new');
    await page.getByLabel('Name of the campaign').fill('Typed on');
    await page.getByLabel('Subject').fill('Winter');
    await pickFound(page.getByLabel('Template'), 'Winter');
    const { isHeld, release } = await holdCall(page, 'POST', /\/campaigns$/);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await isHeld;
    await page.getByLabel('Subject').fill('Winter is here');
    release();
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}\/edit/);
    await page.getByText(/^What you typed .* was not saved, and is here again$/).waitFor();
    expect(await page.getByLabel('Subject').inputValue()).to.equal('Winter is here');
    await until(
      async () => (await suite.own.client.get('/campaigns?search=Typed')).body.data.campaigns[0],
      ({ subject }) => subject === 'Winter is here',
    );
  });

  it('keeps the name of a sender without an address, and an address that is taken out stays out', async () => {
    const { client } = suite.own;
    const fields = { name: 'Senders', subject: 'Winter', htmlTemplate: '<p>Snow</p>', from: { email: SENDER } };
    const { id } = (await client.post('/campaigns', fields)).body.data;
    const page = await suite.open(`/campaigns/${id}/edit`);
    const from = page.getByLabel('From', { exact: true });
    await from.fill('');
    await page.getByLabel('Name shown').fill('Harbour');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Saved Senders').waitFor();
    expect((await client.get(`/campaigns/${id}`)).body.data.from).to.deep.equal({ email: '', name: 'Harbour' });
    await page.reload();
    await from.waitFor();
    expect(await from.inputValue()).to.equal('');
    expect(await page.getByLabel('Name shown').inputValue()).to.equal('Harbour');
  });

  it('says what is missing, counts the audience, shows the mail and publishes with the number of people', async () => {
    const page = await suite.open('/campaigns/new');
    const publish = page.getByRole('button', { name: 'Publish…' });
    await page.getByText('Choose who gets it', { exact: true }).waitFor();
    expect(await publish.getAttribute('title')).to.equal('Choose who gets it. Then you can publish.');
    await page.getByLabel('Name of the campaign').fill('Winter letter');
    await pickFound(page.getByLabel('Add a list or a segment'), 'Newsletter');
    await page.locator('.figure', { hasText: '2 people get this mail' }).waitFor();
    await page.getByLabel('From', { exact: true }).fill('nobody');
    await page.getByLabel('Subject').fill('Winter is here');
    await pickFound(page.getByLabel('Template'), 'Winter');
    await page.getByRole('searchbox', { name: 'Shown with the data of' }).fill('ada@in.test');
    await page.frameLocator('iframe[title="Preview at 320 px"]').getByText('Hello ada').waitFor();

    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.locator('[name="fromEmail"][aria-invalid]:focus').waitFor();
    expect(await page.getByLabel('Subject').inputValue()).to.equal('Winter is here');
    await page.getByLabel('From', { exact: true }).fill(SENDER);
    await page.getByRole('radio', { name: 'Gradually' }).check();
    await page.getByLabel('People on the first day').fill('1');
    const zone = page.getByLabel('Days begin in');
    expect(await zone.inputValue()).to.equal('Europe/Berlin');
    await zone.selectOption('Asia/Tokyo');
    await page.getByLabel('Tags').fill('season');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.locator('[name="tags"][aria-invalid]').waitFor();
    await page.getByLabel('Tags').fill('season:winter, kind:letter');
    await page.getByText('2 days, the last with 1 person, days of Asia/Tokyo').waitFor();
    await expectAccessible(page);
    await shoot(page, 'campaign-editor');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}\/edit/);
    const [draft] = (await suite.own.client.get('/campaigns')).body.data.campaigns;
    expect(draft.gradual).to.include({ emailsPerDay: 1, timezone: 'Asia/Tokyo' });
    expect(draft.tags).to.deep.equal([
      { name: 'season', value: 'winter' },
      { name: 'kind', value: 'letter' },
    ]);
    await page.reload();
    await page.getByText('days of Asia/Tokyo').waitFor();
    expect(await zone.inputValue()).to.equal('Asia/Tokyo');
    expect(await page.getByLabel('Tags').inputValue()).to.equal('season:winter, kind:letter');
    await page.getByLabel('Tags').fill('season:winter');

    await page.getByRole('radio', { name: 'At once' }).check();
    await publish.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send to 2 people' }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f]{24}$/);
    const { body } = await suite.own.client.get('/campaigns');
    expect(body.data.campaigns[0]).to.include({ name: 'Winter letter', status: 'scheduled', source: 'dashboard' });
    await page.getByRole('link', { name: 'season: winter' }).waitFor();
    expect(await page.getByRole('link', { name: 'kind: letter' }).count()).to.equal(0);
  });

  it('finds a segment among 10,000 lists by keyboard, shows it by its name, and offers everybody', async () => {
    const { deps, own } = suite;
    const projectId = own.project._id;
    const filterCriteria = { groups: [{ field: 'firstName', operator: 'equals', value: 'ada' }] };
    const made = await own.client.post('/contact-lists', { name: 'Buyers of lamps', type: 'segment', filterCriteria });
    const stored = await deps.db.contactLists.findOne({ _id: new ObjectId(listId), projectId });
    const many = Array.from({ length: 10_000 }, (_, index) => ({ ...stored, _id: new ObjectId(), name: `L ${index}` }));
    await deps.db.contactLists.insertMany(many as ContactList[]);
    try {
      const page = await suite.open('/campaigns/new');
      const choice = page.getByRole('combobox', { name: 'Add a list or a segment' });
      await choice.click();
      await page.getByRole('option', { name: /^Everybody/ }).waitFor();
      await page.getByRole('option', { name: /^L 9999/ }).waitFor();
      await page.getByRole('option', { name: 'Make a list' }).waitFor();
      await shoot(page, 'campaign-choice');
      await expectAccessible(page);
      await choice.pressSequentially('lamps');
      await page.getByRole('option', { name: /^Everybody/ }).waitFor({ state: 'detached' });
      await page.getByRole('option', { name: /^Buyers of lamps/ }).waitFor();
      await page.keyboard.press('Enter');
      const chip = page.locator('.chip', { hasText: 'Buyers of lamps' });
      await chip.waitFor();
      await choice.fill('nothing is called so');
      await page.getByText('Nothing has this name.').waitFor();
      await page.keyboard.press('Escape');
      expect(await page.getByRole('listbox').count()).to.equal(0);
      await page.getByLabel('Name of the campaign').fill('For buyers');
      await page.getByLabel('Subject').fill('Lamps');
      await pickFound(page.getByLabel('Template'), 'Winter');
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.waitForURL(/\/edit/);
      await page.reload();
      await chip.waitFor();
      const { campaigns } = (await own.client.get('/campaigns?search=buyers')).body.data;
      expect(campaigns[0].toLists.map(({ id }: { id: string }) => id)).to.deep.equal([made.body.data.id]);
    } finally {
      await deps.db.contactLists.deleteMany({ projectId, _id: { $in: many.map(({ _id }) => _id) } });
    }
  });

  it('lets an author prepare and save, but not publish', async () => {
    const page = await suite.open('/campaigns/new', { role: 'author' });
    await page.getByLabel('Name of the campaign').fill('Spring letter');
    await page.getByLabel('Subject').fill('Spring is here');
    await pickFound(page.getByLabel('Template'), 'Winter');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.waitForURL(/\/edit/);
    const publish = page.getByRole('button', { name: 'Publish…' });
    expect(await publish.getAttribute('title')).to.match(/Your role is author/);
  });
});

describe('The plan of the campaign editor', () => {
  it('has the days of the gradual release', () => {
    const plan = fc.record({
      emailsPerDay: fc.integer({ min: 1, max: 5_000 }),
      growth: fc.constantFrom('fixed', '1.25x', '1.5x', '1.75x', '2x'),
    });
    fc.assert(
      fc.property(plan, fc.integer({ min: 0, max: 100_000 }), ({ emailsPerDay, growth }, people) => {
        const days = planOf({ emailsPerDay: String(emailsPerDay), growth }, people);
        const isWhole = days.length < 366;
        if (isWhole) expect(days.reduce((sum, n) => sum + n, 0)).to.equal(people);
        for (const [index, n] of days.slice(0, isWhole ? -1 : undefined).entries())
          expect(n).to.equal(quotaOfDay({ emailsPerDay, growth }, index + 1));
      }),
    );
  });
});
