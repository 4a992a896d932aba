import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { bodyOf, curlOf } from '../../../console/pages/settings/event-calls.ts';
import { isInCriteria } from '../../../console/pages/settings/field-uses.ts';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { expectAccessible, shoot, untilQuiet, useConsole } from '../../support/browser/console.ts';

/** As long as a name may be, from right to left, with an emoji. */
const LONG = `مكتبة الميناء 📚 ${'Harbour '.repeat(23)}`.slice(0, 200).trim();

const overflow = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Nothing scrolls sideways on a desk, a phone and the narrowest of them. */
async function expectFits(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const width of [1400, 375, 320]) {
    await page.setViewportSize({ width, height: 812 });
    expect(await overflow(page), `at ${width} px`).to.equal(0);
  }
  if (before) await page.setViewportSize(before);
}

describe('The pages under Settings', () => {
  const suite = useConsole();
  before(() => seedVerifiedDomain(suite.deps, suite.own.project, 'mail.example.com', new ObjectId()));

  it('Senders: makes, changes and deletes them, and says whether their domain is verified', async () => {
    const { client, project } = suite.own;
    const page = await suite.open('/settings');
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Senders' }).click();
    await page.getByText('No sender yet').waitFor();
    await page.getByRole('button', { name: 'New sender' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('post@elsewhere.example');
    await dialog.getByLabel('Name shown').fill(LONG);
    await dialog.getByRole('button', { name: 'Make sender' }).click();
    await dialog.locator('[name="email"][aria-invalid]').waitFor();
    expect(await dialog.getByLabel('Name shown').inputValue()).to.equal(LONG);
    await shoot(page, 'sender-dialog');
    await dialog.getByLabel('Address').fill('post@mail.example.com');
    await dialog.getByRole('button', { name: 'Make sender' }).click();
    const row = page.getByRole('row', { name: /post@mail\.example\.com/ });
    await row.getByText('Verified', { exact: true }).waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await shoot(page, 'senders');

    await page.getByRole('button', { name: 'Change post@mail.example.com' }).click();
    await dialog.getByLabel('Answers go to').fill('answers@harbour.example');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('answers@harbour.example').waitFor();
    const [stored] = (await client.get('/senders')).body.data.senders;
    expect(stored).to.include({ name: LONG, replyTo: 'answers@harbour.example' });

    const verified = { projectId: project._id, domainName: 'mail.example.com' };
    await suite.deps.db.domains.updateOne(verified, { $set: { verificationStatus: 'PENDING' } });
    await page.reload();
    await row.getByRole('link', { name: 'Not verified' }).waitFor();
    await page.getByRole('button', { name: 'Delete post@mail.example.com' }).click();
    await dialog.getByRole('button', { name: 'Delete sender' }).click();
    await page.getByText('No sender yet').waitFor();
  });

  it('Fields: makes one with its type, and says who has it and which segments and forms name it', async () => {
    const { client } = suite.own;
    await client.post('/contacts', { email: 'ada@harbour.example', contactProperties: { plan: 'pro' } });
    await client.post('/contacts', { email: 'bo@harbour.example', contactProperties: { plan: '' } });
    const page = await suite.open('/settings/fields');
    await page.getByRole('button', { name: 'New field' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('firstName');
    await dialog.getByRole('button', { name: 'Make field' }).click();
    await dialog.locator('[name="fieldName"][aria-invalid]').waitFor();
    await dialog.getByLabel('Name').fill('plan');
    await dialog.getByLabel('Description').fill(LONG);
    await dialog.getByRole('button', { name: 'Make field' }).click();
    const filterCriteria = { groups: [{ field: 'contactProperties.plan', operator: 'equals', value: 'pro' }] };
    await client.post('/contact-lists', { name: LONG, type: 'segment', filterCriteria });
    await page.getByRole('link', { name: 'plan', exact: true }).click();
    const drawer = page.getByRole('complementary', { name: 'plan' });
    await drawer.getByRole('link', { name: LONG }).waitFor();
    expect(await drawer.locator('dt:has-text("People who have it") + dd').textContent()).to.equal('1');
    expect(await drawer.locator('dt:has-text("Forms") + dd').textContent()).to.equal('none');
    await expectAccessible(page);
    await expectFits(page);
    await shoot(page, 'fields');

    await drawer.getByRole('button', { name: 'Change' }).click();
    expect(await dialog.getByLabel('Name').getAttribute('readonly')).to.not.equal(null);
    await dialog.getByLabel('Shown as').fill('Plan of today');
    await dialog.getByLabel('Value of new contacts').fill('free');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('row', { name: /Plan of today plan/ })
      .getByRole('cell', { name: 'free' })
      .waitFor();
    const renamed = page.getByRole('complementary', { name: 'Plan of today' });
    await renamed.getByText('{{contactProperties.plan}}').waitFor();
    await renamed.getByRole('link', { name: LONG }).waitFor();
    await shoot(page, 'fields-renamed');
    await renamed.getByRole('link', { name: LONG }).click();
    await page.getByRole('combobox', { name: 'Condition 1: field' }).waitFor();
    expect(
      await page.getByRole('combobox', { name: 'Condition 1: field' }).locator('option:checked').textContent(),
    ).to.equal('Plan of today');
    await page.goBack();
    await renamed.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete field' }).click();
    await page.getByText('No field yet').waitFor();
  });

  it('Events: defines one with properties, says how it is sent, and shows the last ones as they come', async () => {
    const { client } = suite.own;
    const page = await suite.open('/settings/events');
    await page.getByRole('button', { name: 'New event' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('purchase');
    await dialog.getByLabel('Description').fill(LONG);
    await dialog.getByRole('button', { name: 'Add a property' }).click();
    await dialog.getByRole('button', { name: 'Make event' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Name of property 1').fill('amount');
    await dialog.getByLabel('Type of property 1').selectOption('number');
    await expectAccessible(page);
    await shoot(page, 'event-dialog');
    await dialog.getByRole('button', { name: 'Make event' }).click();
    await page
      .getByRole('row', { name: /purchase/ })
      .getByText('not seen')
      .waitFor();
    await page.getByRole('link', { name: 'purchase' }).click();
    const drawer = page.getByRole('complementary', { name: 'purchase' });
    const call = drawer.getByRole('region', { name: 'A call that sends the event' });
    expect(await call.textContent()).to.contain(`curl ${suite.url}/v1/events/send`);
    await drawer.getByRole('radio', { name: 'TypeScript' }).check();
    expect(await call.textContent()).to.contain('await everpost.events.send({');
    await drawer.getByText('None so far').waitFor();
    await untilQuiet(page);
    const sent = { eventName: 'purchase', email: 'bea@harbour.example', eventProperties: { amount: 12.5 } };
    expect((await client.post('/events/send', sent)).status).to.equal(201);
    await drawer
      .getByRole('row', { name: /bea@harbour.example/ })
      .getByText('amount: 12.5')
      .waitFor();
    await page.getByText('not seen').waitFor({ state: 'detached' });
    await expectAccessible(page);
    await expectFits(page);
    await shoot(page, 'events');
    await drawer.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete event' }).click();
    await page.getByText('No event yet').waitFor();
  });

  it('are read by a viewer, who changes nothing', async () => {
    await suite.own.client.post('/senders', { email: 'other@mail.example.com' });
    const page = await suite.open('/settings/senders', { role: 'viewer', width: 375 });
    const add = page.getByRole('button', { name: 'New sender' });
    await add.waitFor();
    expect(await add.getAttribute('aria-disabled')).to.equal('true');
    expect(await overflow(page)).to.equal(0);
  });
});

describe('The uses of a field', () => {
  it('are found in a filter at whatever depth, by both names of a field', () => {
    const deep = {
      groups: [{ logicalOperator: 'OR', groups: [{ field: 'customFields.plan', operator: 'is_empty' }] }],
    };
    expect(isInCriteria(deep, 'plan')).to.equal(true);
    expect(isInCriteria({ groups: [{ field: 'contactProperties.plan' }] }, 'plan')).to.equal(true);
    expect(isInCriteria({ groups: [{ field: 'contactProperties.plans' }, { behaviour: 'opened' }] }, 'plan')).to.equal(
      false,
    );
    expect(isInCriteria(null, 'plan')).to.equal(false);
  });
});

describe('The sample call of an event', () => {
  it('has every property with a value of its type, the suggested one first, in a word of the shell', () => {
    const property = { description: '', suggestedValues: [] };
    const properties = [
      { ...property, propertyName: 'amount', type: 'number' as const },
      { ...property, propertyName: 'item', type: 'string' as const, suggestedValues: ["a hat's box"] },
    ];
    const definition = { eventName: 'purchase', properties };
    expect(bodyOf(definition).eventProperties).to.deep.equal({ amount: 12.5, item: "a hat's box" });
    expect(bodyOf({ ...definition, properties: [] })).to.not.have.property('eventProperties');
    expect(curlOf(definition, 'https://mail.example.com')).to.contain(`a hat'\\''s box`);
  });
});
