import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { expectAccessible, shoot, untilQuiet, useConsole } from '../../support/browser/console.ts';
import { made } from '../../support/client.ts';

const HOUR_MS = 3_600_000;
/** Keys are pressed forty times here. */
const QUIET_MS = 200;

describe('The palette', () => {
  const suite = useConsole();
  const ids: Record<string, string> = {};
  const palette = (page: Page) => page.getByRole('dialog', { name: 'Find or do' });
  const option = (page: Page, name: string | RegExp) => palette(page).getByRole('option', { name });
  const chosen = (page: Page) => palette(page).locator('[aria-selected="true"]').textContent();

  async function type(page: Page, text: string): Promise<void> {
    await page.getByRole('heading', { level: 1 }).waitFor();
    // The keys would close one that is not gone yet, and a page that is being loaded may take the focus.
    await palette(page).waitFor({ state: 'detached' });
    await untilQuiet(page, QUIET_MS);
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    await page.keyboard.type(text);
  }

  before(async () => {
    const { client, project } = suite.own;
    await seedVerifiedDomain(suite.deps, project, 'mail.example.com', new ObjectId());
    const list = await made(client, '/contact-lists', { name: 'Harbour news' });
    const filter = { field: 'email', fieldType: 'string', operator: 'contains', value: 'harbour' };
    const segment = await made(client, '/contact-lists', {
      ...{ name: 'Near the harbour', type: 'segment' },
      filterCriteria: { logicalOperator: 'AND', groups: [filter] },
    });
    const mail = { from: { email: 'post@mail.example.com' }, subject: 'Prices', htmlTemplate: '<p>Cold</p>' };
    const campaign = await made(client, '/campaigns', { ...mail, name: 'Harbour sale', toLists: [list.id] });
    const { templateId } = await made(client, '/templates', {
      templateName: 'Harbour letter',
      emailTemplate: '<p>Hello</p>',
    });
    const ada = await made(client, '/contacts', { email: 'ada@harbour.example', firstName: 'Ada', lastName: 'Moreau' });
    await made(client, '/senders', { email: mail.from.email });
    const email = { htmlTemplate: '<p>Hello</p>', subject: 'Hello', senderEmail: mail.from.email };
    const automation = await made(client, '/automations', {
      ...{ name: 'Harbour welcome', entryCriteria: { type: 'contact_added_to_list', listId: list.id } },
      steps: [
        { type: 'wait', delay: { value: 1, unit: 'days' } },
        { type: 'email', email },
      ],
    });
    Object.assign(ids, { list: list.id, segment: segment.id, campaign: campaign.id, ada: ada.id });
    Object.assign(ids, { automation: automation.id, template: templateId });
  });

  it('finds campaigns, lists, segments, templates, automations and people by name, in groups, and opens them by keyboard', async () => {
    const page = await suite.open('/suppressions');
    await type(page, 'HARB');
    const group = (name: string) => palette(page).getByRole('group', { name, exact: true });
    await group('Campaigns').getByRole('option', { name: 'Harbour sale' }).waitFor();
    await group('Lists and segments')
      .getByRole('option', { name: /^Harbour news ?List, 0 people/ })
      .waitFor();
    await group('People').waitFor();
    await option(page, /^Near the harbour ?Segment, 1 person/).waitFor();
    await option(page, /^ada@harbour.example ?Ada Moreau/).waitFor();
    // The template of the campaign, which has its name, is not offered.
    const templates = group('Templates').getByRole('option');
    expect(await templates.allTextContents()).to.deep.equal(['Harbour letterSingle mail']);
    await expectAccessible(page);
    await shoot(page, 'palette-found');
    const opens = [
      ['Harbour sale', `/campaigns/${ids.campaign}`],
      ['Harbour news', `/lists/${ids.list}`],
      ['Near the harbour', `/lists/${ids.segment}`],
      ['Harbour letter', `/templates/${ids.template}`],
      ['Harbour welcome', `/automations/${ids.automation}`],
      ['ada@harbour.example', `/contacts?person=${ids.ada}`],
    ] as const;
    await page.keyboard.press('Escape');
    for (const [name, path] of opens) {
      await type(page, 'harb');
      await option(page, new RegExp(`^${name}`)).waitFor();
      for (let step = 0; step < opens.length && !(await chosen(page))?.startsWith(name); step += 1)
        await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.href.endsWith(path));
      await palette(page).waitFor({ state: 'detached' });
    }
  });

  it('takes Ctrl K and the keys behind it while the session is asked for', async () => {
    const page = await suite.open('/suppressions');
    await page.getByRole('heading', { level: 1, name: 'Suppressions' }).waitFor();
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const isAsked = page.waitForRequest(/\/v1\/session$/);
    await page.route(/\/v1\/session$/, (route) => isAnswered.then(() => route.continue()));
    await page.reload({ waitUntil: 'commit' });
    await isAsked;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('harb');
    await page.keyboard.press('Backspace');
    answer();
    await option(page, 'Harbour sale').waitFor();
    expect(await palette(page).getByRole('combobox').inputValue()).to.equal('har');
    await page.keyboard.type('zzz');
    await palette(page).getByText('Nothing fits “harzzz”').waitFor();
  });

  it('opens again at once behind Escape, and gives the focus back', async () => {
    const page = await suite.open('/suppressions');
    const search = page.getByRole('searchbox').first();
    await search.focus();
    const isOpen = await page.evaluate(`(async () => {
      const press = async (key, ctrlKey) => {
        const { activeElement } = document;
        activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }));
        // Time to draw, and none for what the browser says later.
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
        return document.querySelector('dialog.palette[open]') !== null;
      };
      return [await press('k', true), await press('Escape', false), await press('k', true)];
    })()`);
    expect(isOpen).to.deep.equal([true, false, true]);
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
    expect(await page.locator('search input:focus').count()).to.equal(1);
  });

  it('says when nothing fits, and when something could not be searched', async () => {
    const page = await suite.open('/suppressions');
    await type(page, 'zebra');
    await palette(page).getByText('Nothing fits “zebra”').waitFor();
    await page.keyboard.press('Enter');
    expect(await palette(page).count()).to.equal(1);
    await page.route(/\/v1\/contact-lists\?/, (route) => route.fulfill({ status: 403, json: { success: false } }));
    await palette(page).getByRole('combobox').fill('ada@');
    await palette(page).getByText('Could not be searched: Lists and segments.').waitFor();
    await option(page, /^ada@harbour.example/).waitFor();
  });

  it('begins whatever an owner may do, in the dialog or on the page for it', async () => {
    const page = await suite.open('/suppressions', { tenant: suite.other });
    await type(page, '');
    const all = palette(page).getByRole('group', { name: 'Do' }).getByRole('option');
    await expectAccessible(page);
    await shoot(page, 'palette-acts');
    const labels = (await all.allTextContents()).filter((label) => !/theme|system|Sign out/.test(label));
    expect(labels).to.have.length(18);
    await page.keyboard.press('Escape');
    for (const label of labels) {
      await type(page, label);
      await option(page, label).waitFor();
      expect(await chosen(page)).to.equal(label);
      await page.keyboard.press('Enter');
      await palette(page).waitFor({ state: 'detached' });
      if (/campaign|segment|form/.test(label)) {
        await page.waitForURL(/\/new$/);
        continue;
      }
      await page.locator('dialog:modal').waitFor();
      expect(new URL(page.url()).search, label).to.equal('');
      await page.keyboard.press('Escape');
      await page.locator('dialog:modal').waitFor({ state: 'detached' });
    }
  });

  it('pauses and resumes a campaign that is under way, from any page', async () => {
    const tenant = await suite.newTenant('Pausing');
    await seedVerifiedDomain(suite.deps, tenant.project, 'spring.example.com', new ObjectId());
    await made(tenant.client, '/contacts', { email: 'bo@harbour.example' });
    const { id } = await made(tenant.client, '/campaigns', {
      ...{ name: 'Spring letter', from: { email: 'post@spring.example.com' }, subject: 'Spring' },
      ...{ htmlTemplate: '<p>Green</p>', sendToGlobalList: true },
      scheduledAt: new Date(Date.now() + HOUR_MS).toISOString(),
    });
    await made(tenant.client, `/campaigns/${id}/pause`, {});
    const own = { _id: new ObjectId(id as string), projectId: tenant.project._id };
    const status = async () => (await tenant.client.get(`/campaigns/${id}`)).body.data.status;
    const take = async (act: 'Pause' | 'Resume') => {
      const page = await suite.open('/suppressions', { tenant, role: 'editor' });
      await type(page, `${act.toLowerCase()} spr`);
      await option(page, `${act} Spring letter`).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText(new RegExp(`^${act}d Spring letter`)).waitFor();
    };
    await take('Resume');
    expect(await status()).to.equal('scheduled');
    // As the worker that begins to send leaves it.
    await suite.deps.db.campaigns.updateOne(own, { $set: { status: 'sending' } });
    // Figures that have not changed are published once: the way to another page keeps them.
    const other = await suite.open('/suppressions', { tenant, role: 'editor' });
    const running = other.getByRole('link', { name: /^Campaigns.*1 running/ });
    await running.waitFor();
    await other.getByRole('link', { name: 'Templates', exact: true }).click();
    await other.waitForURL(/\/templates$/);
    await other.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
    await running.waitFor();
    await take('Pause');
    expect(await status()).to.equal('paused');
    const reader = await suite.open('/suppressions', { tenant, role: 'author' });
    await type(reader, 'spring');
    await option(reader, /^Spring letter/).waitFor();
    expect(await option(reader, /^Resume/).count()).to.equal(0);
  });

  it('offers a role only what it may do, whatever the address asks for', async () => {
    const acts = async (page: Page) => {
      await type(page, '');
      return palette(page).getByRole('group', { name: 'Do' }).getByRole('option').allTextContents();
    };
    const viewer = await suite.open('/contacts?do=contacts.create', { role: 'viewer' });
    await viewer.waitForURL((url) => url.search === '');
    await viewer.getByRole('table', { name: 'Contacts' }).waitFor();
    expect(await viewer.getByRole('dialog').count()).to.equal(0);
    expect(await acts(viewer)).to.deep.equal(['Use the light theme', 'Use the dark theme', 'Sign out']);
    await palette(viewer).getByRole('combobox').fill('add a domain');
    await palette(viewer).getByText('Nothing fits').waitFor();
    const author = await suite.open('/contacts', { role: 'author' });
    const offered = await acts(author);
    expect(offered).to.include.members(['New campaign', 'New template', 'New segment', 'Import a file']);
    expect(offered).to.not.include.members(['Add a person', 'New form', 'Add a domain', 'Invite a member']);
  });
});
