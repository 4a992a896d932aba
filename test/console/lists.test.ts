import { expect } from 'chai';
import { expectAccessible, shoot, useConsole } from '../support/console.ts';

describe('The pages of lists and segments', () => {
  const suite = useConsole();

  it('counts the people of a filter while it is typed, and saves it as a segment', async () => {
    const { client } = suite.own;
    await client.post('/custom-fields', { fieldName: 'plan', fieldType: 'string' });
    await client.post('/custom-fields', { fieldName: 'orders', fieldType: 'number' });
    for (const [name, plan, orders] of [
      ['ada', 'gold', 5],
      ['bo', 'gold', 1],
      ['cleo', 'free', 9],
    ] as const)
      await client.post('/contacts', { email: `${name}@harbour.example`, contactProperties: { plan, orders } });

    const page = await suite.open('/lists');
    await page.getByRole('button', { name: 'New list' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Newsletter');
    await page.getByRole('dialog').getByRole('button', { name: 'Make list' }).click();
    await page.getByRole('heading', { name: 'Newsletter' }).waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('dialog').getByLabel('On the preference page').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').filter({ hasText: 'Yes' }).waitFor();
    await page.getByRole('link', { name: 'Lists and segments' }).first().click();
    await page.getByText('List, on the preference page').waitFor();
    await page.getByRole('link', { name: 'New segment' }).click();

    const first = page.getByRole('group', { name: 'Condition 1' });
    await first.getByLabel('Condition 1: field').selectOption('plan');
    await first.getByLabel('Condition 1: value').fill('gold');
    await page.getByRole('status').getByText('2 people').waitFor();
    await page.getByRole('button', { name: 'Field', exact: true }).click();
    const second = page.getByRole('group', { name: 'Condition 2' });
    await second.getByLabel('Condition 2: field').selectOption('orders');
    await second.getByLabel('Condition 2: comparison').selectOption('is more than');
    await second.getByLabel('Condition 2: value').fill('many');
    await second.getByText('must be a number').waitFor();
    await second.getByLabel('Condition 2: value').fill('3');
    await page.getByRole('link', { name: 'bo@harbour.example' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'ada@harbour.example' }).waitFor();
    await second.getByText('2', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Name').and(page.locator('[aria-invalid]')).waitFor();
    await page.getByLabel('Name').fill('Good customers');
    await expectAccessible(page);
    await shoot(page, 'segment');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Good customers' }).waitFor();

    const { body } = await client.get('/contact-lists?type=segment');
    expect(body.data.lists[0].filterCriteria).to.deep.equal({
      logicalOperator: 'AND',
      groups: [
        { field: 'contactProperties.plan', operator: 'equals', fieldType: 'string', value: 'gold' },
        { field: 'contactProperties.orders', operator: 'greater_than', fieldType: 'number', value: 3 },
      ],
    });
    expect(await page.getByLabel('Condition 2: value').inputValue()).to.equal('3');

    await page.getByRole('link', { name: 'Lists and segments' }).first().click();
    await page.getByRole('button', { name: 'Delete Good customers' }).click();
    await shoot(page, 'lists');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete segment' }).click();
    await page.getByRole('link', { name: 'Good customers' }).waitFor({ state: 'detached' });
  });
});
