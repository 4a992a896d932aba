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

  it('is read by an author, who does not change it', async () => {
    const page = await suite.open('/templates/brand', { role: 'author', width: 375 });
    await page.getByLabel('Main colour', { exact: true }).waitFor();
    expect(await page.getByLabel('Main colour', { exact: true }).getAttribute('readonly')).to.equal('');
    expect(await page.getByRole('button', { name: 'Save…' }).getAttribute('aria-disabled')).to.equal('true');
    await expectAccessible(page);
  });
});
