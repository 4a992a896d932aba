import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import {
  expectAccessible,
  holdCall,
  pickFound,
  requestsDuring,
  shoot,
  untilQuiet,
  useConsole,
  WAIT_MS,
} from '../../support/browser/console.ts';
import { until } from '../../support/wait.ts';

const MANY = 250;
/** Made before all others, so no page of a hundred has it. */
const OLD = 'Oldest of the harbour';
const old = (kind: string) => `${OLD}, ${kind}`;

describe('The choices of the console', () => {
  const suite = useConsole();
  const ids: Record<'list' | 'template' | 'group' | 'sender', string> = {
    list: '',
    template: '',
    group: '',
    sender: '',
  };

  before(async () => {
    const { deps, own } = suite;
    const { client, project } = own;
    await seedVerifiedDomain(deps, project, 'mail.example.com', new ObjectId());
    const made = async (path: string, body: object) => {
      const answer = await client.post(path, body);
      expect(answer.status, answer.text).to.be.within(200, 201);
      return answer.body.data;
    };
    const emailTemplate = '<p>Hello</p><a href="{{unsubscribe}}">Leave</a>';
    ids.list = (await made('/contact-lists', { name: old('list') })).id;
    ids.group = (await made('/suppression-groups', { name: old('group') })).groupId;
    ids.sender = (await made('/senders', { name: old('sender'), email: 'old@mail.example.com' })).id;
    const template = { templateName: old('template'), subject: 'Old news', templateType: 'marketing', emailTemplate };
    ids.template = (await made('/templates', template)).templateId;
    await made('/templates', {
      ...template,
      templateName: `${old('template')} of receipts`,
      templateType: 'transactional',
    });
    await made('/contacts', { email: 'ada@in.test', listIds: [ids.list] });

    const { db } = deps;
    const projectId = project._id;
    const numbers = Array.from({ length: MANY }, (_, index) => index);
    const [list, group, sender, one] = await Promise.all([
      db.contactLists.findOne({ projectId, name: old('list') }),
      db.suppressionGroups.findOne({ projectId, name: old('group') }),
      db.senders.findOne({ projectId, name: old('sender') }),
      db.templates.findOne({ projectId, templateName: old('template') }),
    ]);
    if (!list || !group || !sender || !one) throw new Error('The old ones are there.');
    const later = (index: number) => ({ _id: new ObjectId(), createdAt: new Date(Date.now() + index) });
    await db.contactLists.insertMany(numbers.map((n) => ({ ...list, ...later(n), name: `List ${n}` })));
    await db.suppressionGroups.insertMany(
      numbers.map((n) => ({ ...group, ...later(n), name: `Group ${n}`, groupId: `G${String(n).padStart(5, '0')}` })),
    );
    await db.senders.insertMany(
      numbers.map((n) => ({ ...sender, ...later(n), name: `Sender ${n}`, email: `s${n}@mail.example.com` })),
    );
    await db.templates.insertMany(
      numbers.map((n) => ({
        ...{ ...one, ...later(n), templateName: `Template ${n}` },
        templateId: `A-${String(n).padStart(20, '0')}`,
      })),
    );
  });

  it('of a new automation are found by keyboard alone, and named by it afterwards', async () => {
    const page = await suite.open('/automations');
    const before = await requestsDuring(page, async () => {
      await page.getByRole('button', { name: 'New automation' }).first().click();
      await page.getByRole('dialog').waitFor();
      await untilQuiet(page);
    });
    expect(before.filter((one) => /templates|contact-lists/.test(one))).to.deep.equal([]);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('From the archive');
    await dialog.getByText('Course for a list').click();
    await dialog.getByRole('radio', { name: /^Course for a list/ }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.type('OLDEST of');
    await page.getByRole('option', { name: old('list') }).waitFor();
    await shoot(page, 'choose-in-dialog');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    expect(await dialog.getByLabel('List or segment').inputValue()).to.equal(old('list'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: `Template ${MANY - 1}` }).waitFor();
    await page.getByText('Type a part of the name to find others.').waitFor();
    // Closes the list alone.
    await page.keyboard.press('Escape');
    expect(await page.getByRole('listbox').count()).to.equal(0);
    await page.keyboard.type('harbour, t');
    await page.getByRole('option', { name: old('template'), exact: true }).waitFor();
    // Automations send marketing mail, as campaigns do.
    expect(await page.getByRole('option', { name: /of receipts/ }).count()).to.equal(0);
    await page.keyboard.press('Enter');
    expect(await dialog.getByLabel('Content of its mails').inputValue()).to.equal(old('template'));
    await dialog.getByRole('button', { name: 'Create draft' }).click();
    await page.getByRole('heading', { name: 'From the archive' }).waitFor();

    const loading = await requestsDuring(page, async () => {
      await page.reload();
      await page.getByRole('link', { name: `Joins ${old('list').slice(0, 15)}` }).waitFor();
      await untilQuiet(page);
    });
    expect(loading.filter((one) => /\/(templates|contact-lists)$/.test(one))).to.deep.equal([]);
    const { automations } = (await suite.own.client.get('/automations?search=archive')).body.data;
    expect(automations[0].entryCriteria.listId).to.equal(ids.list);
    expect(automations[0].steps[1].email.templateId).to.equal(ids.template);
  });

  it('take what is typed, and not what was found before, however soon Enter comes', async () => {
    const page = await suite.open('/campaigns/new');
    const field = page.getByRole('combobox', { name: 'Template' });
    await field.focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: `Template ${MANY - 1}` }).waitFor();
    const { isHeld, release } = await holdCall(page, 'GET', /\/templates$/);
    await page.keyboard.type('harbour, t');
    await page.keyboard.press('Enter');
    await isHeld;
    expect(await field.inputValue()).to.equal('harbour, t');
    release();
    await until(
      () => field.inputValue(),
      (chosen) => chosen === old('template'),
    );
  });

  it('begin a search with the first key after the list was closed, however soon it comes', async () => {
    const page = await suite.open('/contacts');
    const choice = page.getByRole('combobox', { name: 'List or segment' });
    await choice.click();
    await page.getByRole('option', { name: `List ${MANY - 1}` }).waitFor();
    await choice.press('End');
    // Looks before the next frame is drawn, where a quick key can come.
    const selected = await page.evaluate(`(async () => {
      const field = document.activeElement;
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      await Promise.resolve();
      return field.value.slice(field.selectionStart, field.selectionEnd);
    })()`);
    expect(selected).to.equal('Everybody');
  });

  it('of an import have a list beyond the first hundred, and a new one by its name', async () => {
    const page = await suite.open('/imports');
    await page.getByRole('button', { name: 'Import a file' }).click();
    const dialog = page.getByRole('dialog');
    const file = { name: 'few.csv', mimeType: 'text/csv', buffer: Buffer.from('email\nbo@in.test\n') };
    await dialog.getByLabel('File').setInputFiles(file);
    const choice = dialog.getByLabel('They join');
    expect(await choice.inputValue()).to.equal('No list');
    await choice.fill('Readers of March');
    await page.getByRole('option', { name: 'New list “Readers of March”' }).click();
    expect(await choice.inputValue()).to.equal('A new list');
    expect(await dialog.getByLabel('Name of the list').inputValue()).to.equal('Readers of March');
    await choice.click();
    await page.getByRole('option', { name: 'No list' }).click();
    expect(await dialog.getByLabel('Name of the list').count()).to.equal(0);
    await pickFound(choice, OLD);
    expect(await choice.inputValue()).to.equal(old('list'));
    const [request] = await Promise.all([
      page.waitForRequest(/\/contacts\/import/),
      dialog.getByRole('button', { name: 'Import', exact: true }).click(),
    ]);
    expect(request.url() + (request.postData() ?? '')).to.include(ids.list);
  });

  it('of the page of contacts keep their name when it is loaded again, and say when the thing was deleted', async () => {
    const { client } = suite.own;
    const page = await suite.open('/contacts');
    await pickFound(page.getByLabel('List or segment'), OLD);
    await page.waitForURL(/list=/);
    await page.getByRole('link', { name: 'ada@in.test' }).waitFor();
    await page.reload();
    await shown(page, 'List or segment', old('list'));
    await page.getByLabel('List or segment').click();
    await page.getByRole('option', { name: `List ${MANY - 1}` }).waitFor();
    await shoot(page, 'choose-in-tools');
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Add a person' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('cleo@in.test');
    await pickFound(dialog.getByLabel('List', { exact: true }), OLD);
    await dialog.getByRole('button', { name: 'Add person' }).click();
    const drawer = page.getByRole('complementary');
    await drawer.getByText(`joined ${old('list')}`).waitFor();
    await drawer.getByRole('link', { name: 'Fields' }).click();
    await drawer.getByRole('link', { name: old('list') }).waitFor();

    const { id } = (await client.post('/contact-lists', { name: 'Short-lived' })).body.data;
    await page.goto(`/console/contacts?list=${id}`);
    await shown(page, 'List or segment', 'Short-lived');
    await client.delete(`/contact-lists/${id}`);
    await page.reload();
    await shown(page, 'List or segment', 'Deleted list or segment');
    await page.getByLabel('List or segment').click();
    await page.getByRole('option', { name: 'Everybody' }).click();
    await page.getByRole('link', { name: 'ada@in.test' }).waitFor();
  });

  it('of a campaign are asked for when they are opened, and then by what is typed', async () => {
    const page = await suite.open('/campaigns/new');
    await untilQuiet(page);
    const loading = await requestsDuring(page, async () => {
      await page.reload();
      await page.getByLabel('Template').waitFor();
      await untilQuiet(page);
    });
    // One look for the only sender of a project is the page's own.
    expect(loading.filter((one) => /\/(templates|suppression-groups|contact-lists)$/.test(one))).to.deep.equal([]);
    expect(loading.filter((one) => /\/senders$/.test(one))).to.have.length(1);
    await page.getByLabel('Name of the campaign').fill('Old news');
    await pickFound(page.getByLabel('Add a list or a segment'), OLD);
    await pickFound(page.getByLabel('Unsubscribe group'), OLD);
    await pickFound(page.getByLabel('Saved sender'), 'Oldest');
    expect(await page.getByLabel('From', { exact: true }).inputValue()).to.equal('old@mail.example.com');
    await pickFound(page.getByLabel('Template'), OLD);
    expect(await page.getByLabel('Subject').inputValue()).to.equal('Old news');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.waitForURL(/\/edit/);
    await page.reload();
    await shown(page, 'Template', old('template'));
    await shown(page, 'Unsubscribe group', old('group'));
    await page.locator('.chip', { hasText: old('list') }).waitFor();
    await page.frameLocator('iframe[title="Preview at 320 px"]').getByText('Hello').waitFor();
    await expectAccessible(page);
  });

  it('of a segment, a form and the suppressions are found and named in the same way', async () => {
    const { client } = suite.own;
    const campaign = (await client.get('/campaigns?search=Old news')).body.data.campaigns[0];
    await client.post('/events', { eventName: 'basket_abandoned' });
    const page = await suite.open('/lists/new');
    const of = page.getByLabel(/: of campaign or automation$/);
    const loading = await requestsDuring(page, async () => {
      await page.getByRole('button', { name: 'What they did' }).click();
      await of.waitFor();
    });
    expect(loading.filter((one) => /\/(campaigns|events)$/.test(one))).to.deep.equal([]);
    expect(await of.inputValue()).to.equal('of any campaign or automation');
    await pickFound(of, 'Old news');
    await page.getByRole('button', { name: 'What they did' }).click();
    await page.getByLabel('Condition 3: what they did').selectOption('event');
    await pickFound(page.getByLabel('Condition 3: event'), 'basket');
    await page.getByRole('button', { name: 'Remove condition 1' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Reads old news');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Reads old news' }).waitFor();
    await page.reload();
    await shown(page, 'Condition 1: of campaign or automation', 'Old news, a campaign');
    await shown(page, 'Condition 2: event', 'basket_abandoned');
    await of.click();
    await page.getByRole('option', { name: 'Old news' }).waitFor();
    await shoot(page, 'choose-in-segment');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await client.delete(`/campaigns/${campaign.id}`);
    await page.reload();
    await shown(page, 'Condition 1: of campaign or automation', 'Deleted campaign or automation');

    await page.goto('/console/forms/new');
    await page.getByLabel('Name of the form').fill('Archive');
    await pickFound(page.getByLabel('Add a list'), OLD);
    await pickFound(page.getByLabel('Add a group'), OLD);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/\/forms\/[0-9a-f]{24}/);
    await page.reload();
    await page.locator('.chip', { hasText: old('list') }).waitFor();
    await page.locator('.chip', { hasText: old('group') }).waitFor();
    await page.goto('/console/forms');
    await page.getByRole('cell', { name: old('list') }).waitFor();

    await page.goto('/console/suppressions');
    await page.getByRole('button', { name: 'Suppress addresses' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Addresses').fill('dora@in.test');
    expect(await dialog.getByLabel('Group').inputValue()).to.equal('The default group');
    await pickFound(dialog.getByLabel('Group'), OLD);
    await dialog.getByRole('button', { name: 'Suppress 1 address' }).click();
    await page.getByRole('cell', { name: old('group') }).waitFor();
    await pickFound(page.getByRole('combobox', { name: 'Group' }), OLD);
    await page.waitForURL(/group=/);
    await page.reload();
    await shown(page, 'Group', old('group'));
    await expectAccessible(page);
  });

  it('of a test mail begin with the first sender, and have all others', async () => {
    const page = await suite.open(`/templates/${ids.template}`);
    await page.getByRole('button', { name: 'Send a test…' }).click();
    const from = page.getByRole('dialog').getByLabel('From');
    await from.waitFor();
    await shown(page, 'From', `${old('sender')} (old@mail.example.com)`);
    await pickFound(from, 'Sender 137');
    const [request] = await Promise.all([
      page.waitForRequest(/\/test$/),
      page.getByRole('dialog').getByRole('button', { name: 'Send test' }).click(),
    ]);
    const { senders } = (await suite.own.client.get('/senders?search=s137@')).body.data;
    expect(request.postDataJSON().senderId).to.equal(senders[0].id);
  });

  it('lead to the page where the first one is made', async () => {
    const page = await suite.open('/campaigns/new', { tenant: suite.other });
    await page.getByLabel('Template').click();
    await page.getByText('There is no campaign template yet.').waitFor();
    await page.getByRole('option', { name: 'Make a template' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Templates' }).waitFor();
  });
});

/** Waits until the field has the name of what is chosen. */
async function shown(page: Page, label: string, name: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await field.waitFor();
  const ask = () => field.inputValue();
  await until(ask, (value) => value === name, { ms: WAIT_MS });
}
