import { expect } from 'chai';
import { expectAccessible, holdCall, pickFound, shoot, useConsole } from '../../support/browser/console.ts';

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
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
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

    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Name').and(page.locator('[aria-invalid]')).waitFor();
    await page.getByLabel('Name').fill('Good customers');
    await expectAccessible(page);
    await shoot(page, 'segment');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
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

  it('asks who is in a list, and cuts no control at any width', async () => {
    const { client } = suite.own;
    const list = (await client.post('/contact-lists', { name: 'Wholesale' })).body.data.id;
    await client.post('/contacts', { email: 'dora@harbour.example', listIds: [list] });
    const page = await suite.open('/lists/new');
    await page.getByRole('button', { name: 'List', exact: true }).click();
    await page.getByRole('button', { name: 'Remove condition 1' }).click();
    const first = page.getByRole('group', { name: 'Condition 1' });
    await pickFound(first.getByLabel('Condition 1: list'), 'Wholesale');
    await page.getByRole('status').getByText('1 person').waitFor();
    await page.getByRole('link', { name: 'dora@harbour.example' }).waitFor();
    await page.getByRole('button', { name: 'What they did' }).click();
    await page.getByLabel('Condition 2: what they did').selectOption('humanOpened');
    await page.getByRole('button', { name: 'Field', exact: true }).click();
    await page.getByLabel('Condition 3: field').selectOption('createdAt');
    await page.getByLabel('Condition 3: comparison').selectOption('between');
    for (const width of [1400, 1000, 375, 320]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(CUT), `${width} px`).to.deep.equal([]);
    }
    await page.setViewportSize({ width: 1400, height: 1000 });
    await shoot(page, 'segment-rows');
    await page.getByRole('button', { name: 'Remove condition 3' }).click();
    await page.getByRole('button', { name: 'Remove condition 2' }).click();
    await first.getByLabel('Condition 1: comparison').selectOption('is not in the list');
    await page.getByRole('link', { name: 'dora@harbour.example' }).waitFor({ state: 'detached' });
    await page.getByLabel('Name').fill('No resellers');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'No resellers' }).waitFor();
    const { lists } = (await client.get('/contact-lists?type=segment&search=No resellers')).body.data;
    expect(lists[0].filterCriteria.groups).to.deep.equal([{ field: 'listIds', operator: 'not_in_list', value: list }]);

    await page.getByRole('link', { name: 'Lists and segments' }).first().click();
    await page.getByRole('button', { name: 'Delete Wholesale' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete list' }).click();
    await page.getByText('The segment "No resellers" asks who is in this list', { exact: false }).waitFor();
  });

  it('keeps what is changed while a segment is saved, and discards back to what is saved', async () => {
    const { client } = suite.own;
    await client.post('/custom-fields', { fieldName: 'town', fieldType: 'string' });
    const groups = [{ field: 'contactProperties.town', operator: 'equals', value: 'Bremen' }];
    const filterCriteria = { logicalOperator: 'AND', groups };
    const made = await client.post('/contact-lists', { name: 'First name', type: 'segment', filterCriteria });
    const path = `/contact-lists/${made.body.data.id}`;
    const page = await suite.open(`/lists/${made.body.data.id}`);
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    const town = page.getByLabel('Condition 1: value');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await name.fill('Second name');
    const { isHeld, release } = await holdCall(page, 'PATCH', /\/contact-lists\//);
    await save.click();
    await isHeld;
    await town.fill('Hamburg');
    release();
    await page.getByText('Saved Second name').waitFor();
    await save.and(page.locator(':not([aria-busy])')).waitFor();
    await page.getByText('Changed, not saved').waitFor();
    expect(await town.inputValue()).to.equal('Hamburg');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await town.inputValue()).to.equal('Bremen');
    expect(await name.inputValue()).to.equal('Second name');
    await town.fill('Kiel');
    await save.click();
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    const { body } = await client.get(path);
    expect(body.data.name).to.equal('Second name');
    expect(body.data.filterCriteria.groups[0].value).to.equal('Kiel');
  });

  it('has a condition again that was typed before a reload, and shows the one that was saved since', async () => {
    const { client } = suite.own;
    const filterOf = (value: string) => ({
      logicalOperator: 'AND',
      groups: [{ field: 'firstName', operator: 'equals', fieldType: 'string', value }],
    });
    const { body } = await client.post('/contact-lists', { name: 'Kept', filterCriteria: filterOf('Ada') });
    const path = `/contact-lists/${body.data.id}`;
    const page = await suite.open(`/lists/${body.data.id}`);
    page.on('dialog', (dialog) => dialog.accept());
    const value = page.getByLabel('Condition 1: value');
    await value.fill('Bo');
    await page.reload();
    await page.getByText(/^What you typed .* was not saved, and is here again$/).waitFor();
    expect(await value.inputValue()).to.equal('Bo');
    await client.patch(path, { filterCriteria: filterOf('Cleo') });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const both = page.getByRole('region', { name: 'Two versions' });
    await both.getByText('First name is Cleo', { exact: true }).waitFor();
    await both.getByText('First name is Bo', { exact: true }).waitFor();
    // It would show the state before both.
    expect(await page.getByRole('button', { name: 'Show what is saved' }).count()).to.equal(0);
    await expectAccessible(page);
    await shoot(page, 'segment-two-versions');
    expect((await client.get(path)).body.data.filterCriteria).to.deep.equal(filterOf('Cleo'));
    await both.getByRole('button', { name: 'Keep mine' }).click();
    await both.waitFor({ state: 'detached' });
    expect((await client.get(path)).body.data.filterCriteria).to.deep.equal(filterOf('Bo'));
  });

  it('keeps what is changed while a new segment is made', async () => {
    const { client } = suite.own;
    await client.post('/custom-fields', { fieldName: 'port', fieldType: 'string' });
    const page = await suite.open('/lists/new');
    await page.getByLabel('Condition 1: field').selectOption('port');
    const port = page.getByLabel('Condition 1: value');
    await port.fill('Bremen');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ports');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const { isHeld, release } = await holdCall(page, 'POST', /\/contact-lists$/);
    await save.click();
    await isHeld;
    await port.fill('Hamburg');
    release();
    await page.getByText('Saved Ports').waitFor();
    await save.and(page.locator(':not([aria-busy])')).waitFor();
    await page.getByText('Changed, not saved').waitFor();
    expect(await port.inputValue()).to.equal('Hamburg');
    await page.waitForURL(/\/lists\/[0-9a-f]{24}$/);
    await save.click();
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    const { lists } = (await client.get('/contact-lists?type=segment&search=Ports')).body.data;
    expect(lists).to.have.length(1);
    expect(lists[0].filterCriteria.groups[0].value).to.equal('Hamburg');
  });
});

/** The controls of conditions whose chosen text has less room than it takes, or that are not on the page as a whole. */
const CUT = `[...document.querySelectorAll('.filter select, .filter input')].flatMap((control) => {
  const style = getComputedStyle(control);
  const text = document.createElement('canvas').getContext('2d');
  text.font = style.font;
  const shown = control.tagName === 'SELECT' ? control.selectedOptions[0].label : control.value || control.placeholder;
  const room = control.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const { left, right } = control.getBoundingClientRect();
  const isWhole = text.measureText(shown).width <= room + 1 && left >= 0 && right <= innerWidth && room >= 24;
  return isWhole ? [] : [control.getAttribute('aria-label') + ': ' + shown];
})`;
