import { expect } from 'chai';
import { republicationQueue } from '../../../core/templates/parts/run.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { made } from '../../support/client.ts';

const content = (title: string) => ({
  v: 1,
  look: { brand: true },
  blocks: [
    { id: 'title', type: 'heading', level: 1, spans: [{ text: title }] },
    { id: 'go', type: 'button', spans: [{ text: 'Order' }], href: 'https://bakery.example/' },
    { id: 'end', type: 'footer', unsubscribe: 'Leave' },
  ],
});

describe('The page of the brand', () => {
  const suite = useConsole();
  const shown = async (path: string) => (await suite.own.client.get(path)).body.data;
  async function work(): Promise<void> {
    const { runs } = await republicationQueue(suite.deps).take(suite.own.project._id, 4);
    await Promise.all(runs.map((run) => run()));
  }

  it('shows which mails a change touches, and publishes the chosen ones again as a job', async () => {
    const { client } = suite.own;
    const make = (templateName: string) =>
      made(client, '/templates', { templateName, subject: templateName, content: content(templateName) });
    const [rye, wheat] = [await make('Rye'), await make('Wheat')];
    const page = await suite.open('/templates');
    await page.getByRole('link', { name: 'Brand', exact: true }).click();
    const save = page.getByRole('button', { name: 'Save…' });
    expect(await save.getAttribute('title')).to.equal('Nothing is changed.');
    const main = page.getByLabel('Main colour', { exact: true });
    await main.fill('#f7e3ec');
    await page.getByText('on paper, hard to read').waitFor();
    await save.click();
    await page.getByText(/^has a contrast of 1\.\d+ to colours\/paper/i).waitFor();
    expect((await shown('/brand')).colours.primary).to.equal('#1a5fb4');
    await main.fill('#7a1f3d');
    await page.getByText('on paper, hard to read').waitFor({ state: 'detached' });
    await expectAccessible(page);
    await shoot(page, 'brand');
    await save.click();
    const dialog = page.getByRole('dialog', { name: 'Save the brand' });
    await dialog.getByLabel('Wheat').uncheck();
    await shoot(page, 'brand-touched');
    // Nothing is stored by looking.
    expect((await shown('/brand')).colours.primary).to.equal('#1a5fb4');
    await dialog.getByRole('button', { name: 'Publish, with 1 template' }).click();
    await dialog.getByText('Publishing: 0 of 1 template').waitFor();
    expect((await shown('/brand')).colours.primary).to.equal('#7a1f3d');
    await work();
    await dialog.getByText('Done: 1 of 1 template, 1 with a new version.').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await dialog.waitFor({ state: 'detached' });
    expect(await shown(`/templates/${rye.templateId}`)).to.include({ publishedVersion: 2 });
    expect((await shown(`/templates/${rye.templateId}`)).emailTemplate).to.include('#7a1f3d');
    expect(await shown(`/templates/${wheat.templateId}`)).to.include({ publishedVersion: 1 });
    expect(await save.getAttribute('title')).to.equal('Nothing is changed.');
  });

  it('that was typed and not saved is shown with the one that was saved since, and one is chosen', async () => {
    const { client } = suite.own;
    const page = await suite.open('/templates/brand');
    page.on('dialog', (dialog) => dialog.accept());
    const address = page.getByLabel('Postal address');
    const both = page.getByRole('region', { name: 'Two versions' });
    const dialog = page.getByRole('dialog', { name: 'Save the brand' });
    await address.fill('Mine 1');
    await client.patch('/brand', { postalAddress: 'Theirs 1', families: ['Inter'] });
    await page.reload();
    await both.getByText(/^What you typed .* is here again, and another version was saved since$/).waitFor();
    await both.getByText('Theirs 1', { exact: true }).waitFor();
    await both.getByText('Inter', { exact: true }).waitFor();
    await expectAccessible(page);
    await both.getByRole('button', { name: 'Take theirs…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard what I typed' }).click();
    expect(await address.inputValue()).to.equal('Theirs 1');

    await address.fill('Mine 2');
    await page.getByRole('button', { name: 'Save…' }).click();
    await dialog.waitFor();
    await client.patch('/brand', { postalAddress: 'Theirs 2', families: ['Georgia'] });
    await dialog.getByRole('button', { name: /^Publish/ }).click();
    await both.getByText('Theirs 2', { exact: true }).waitFor();
    expect(await shown('/brand')).to.deep.include({ postalAddress: 'Theirs 2', families: ['Georgia'] });
    await shoot(page, 'brand-two-versions');
    await both.getByRole('button', { name: 'Keep mine' }).click();
    await dialog.getByRole('button', { name: /^Publish/ }).click();
    await both.waitFor({ state: 'detached' });
    expect(await shown('/brand')).to.deep.include({ postalAddress: 'Mine 2', families: ['Inter'] });
  });

  it('is read by an author, who does not change it', async () => {
    const page = await suite.open('/templates/brand', { role: 'author', width: 375 });
    await page.getByLabel('Main colour', { exact: true }).waitFor();
    expect(await page.getByLabel('Main colour', { exact: true }).getAttribute('readonly')).to.equal('');
    expect(await page.getByRole('button', { name: 'Save…' }).getAttribute('aria-disabled')).to.equal('true');
    await expectAccessible(page);
  });
});
