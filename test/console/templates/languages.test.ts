import { expect } from 'chai';
import { chooseFile, expectAccessible, holdCall, shoot, useConsole } from '../../support/browser/console.ts';
import { made } from '../../support/client.ts';
import { until } from '../../support/wait.ts';

const content = (title: string) => ({
  v: 1,
  look: { language: 'en' },
  blocks: [
    { id: 'title', type: 'heading', level: 1, spans: [{ text: title }] },
    { id: 'end', type: 'footer', unsubscribe: 'Leave' },
  ],
});

describe('The page of the languages of a template', () => {
  const suite = useConsole();

  it('adds one, saves words as they are left, marks what is missing or older, and shows the mail', async () => {
    const { client } = suite.own;
    const given = { templateName: 'Bread', subject: 'Bread', content: content('Fresh bread') };
    const { templateId } = await made(client, '/templates', given);
    const page = await suite.open(`/templates/${templateId}`);
    await page.getByRole('link', { name: 'Languages' }).click();
    await page.getByLabel('Another language').fill('fr');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'French' }).waitFor();
    await page.getByText('3 missing').waitFor();
    await page.getByLabel('title in French').fill('Du <b>pain</b> frais');
    await page.keyboard.press('Tab');
    await page.getByText('2 missing').waitFor();
    await page.frameLocator('iframe[title="Preview at 720 px"]').getByText('Du pain frais').waitFor();
    await page.getByLabel('Subject in French').fill('Du pain');
    await page.getByLabel('end unsubscribe in French').fill('Quitter');
    await page.keyboard.press('Tab');
    await page.getByText('Complete').waitFor();
    await expectAccessible(page);
    await shoot(page, 'languages');
    await page.setViewportSize({ width: 375, height: 800 });
    await expectAccessible(page);
    await shoot(page, 'languages-375');
    await page.setViewportSize({ width: 1400, height: 1000 });
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText(/^Published version/).waitFor();
    const stored = await client.get(`/templates/${templateId}/translations/fr`);
    expect(stored.body.data.texts).to.deep.equal({
      title: { spans: 'Du <b>pain</b> frais' },
      end: { unsubscribe: 'Quitter' },
    });
    await client.patch(`/templates/${templateId}`, { content: content('Stale bread') });
    await page.reload();
    await page.getByText('Older than the template').waitFor();
    await page.getByRole('button', { name: 'Still right' }).click();
    await page.getByText('Older than the template').waitFor({ state: 'detached' });
    await until(
      async () => (await client.get(`/templates/${templateId}/translations/fr`)).body.data.outdated,
      (outdated) => outdated.length === 0,
    );
  });

  it('keeps what is typed while an earlier word is saved, and takes a table', async () => {
    const { client } = suite.own;
    const given = { templateName: 'Rye', subject: 'Rye', content: content('Fresh rye') };
    const { templateId } = await made(client, '/templates', given);
    await client.put(`/templates/${templateId}/translations/fr`, {});
    const page = await suite.open(`/templates/${templateId}/languages?language=fr`);
    const subject = page.getByLabel('Subject in French');
    await subject.fill('Du');
    const { isHeld, release } = await holdCall(page, 'PUT', /\/translations\/fr$/);
    await page.getByLabel('title in French').focus();
    await isHeld;
    await subject.fill('Du seigle');
    await page.getByText('3 missing').waitFor();
    release();
    await page.getByText('2 missing').waitFor();
    expect(await subject.inputValue()).to.equal('Du seigle');
    await page.getByLabel('title in French').focus();
    const stored = async () => (await client.get(`/templates/${templateId}/translations/fr`)).body.data;
    await until(stored, (now) => now.subject === 'Du seigle');

    const table = (await client.get(`/templates/${templateId}/translations.csv`)).text;
    const buffer = Buffer.from(table.replace('Du seigle', 'Du seigle frais'));
    const press = () => page.getByRole('button', { name: 'Import' }).click();
    await chooseFile(page, press, { name: 'words.csv', mimeType: 'text/csv', buffer });
    await page.getByText('Imported words.csv into the draft').waitFor();
    expect((await stored()).subject).to.equal('Du seigle frais');
  });

  it('saves words although the template was saved elsewhere, and shows those of an imported table', async () => {
    const { client } = suite.own;
    const given = { templateName: 'Oat', subject: 'Oat', content: content('Fresh oats') };
    const { templateId } = await made(client, '/templates', given);
    await client.put(`/templates/${templateId}/translations/fr`, { subject: 'Avoine' });
    const stored = async () => (await client.get(`/templates/${templateId}/translations/fr`)).body.data;
    const page = await suite.open(`/templates/${templateId}/languages?language=fr`);
    const subject = page.getByLabel('Subject in French');
    await subject.waitFor();
    await client.patch(`/templates/${templateId}`, { previewText: 'Saved elsewhere', draft: true });
    await page.getByLabel('title in French').fill('Avoine fraîche');
    await page.keyboard.press('Tab');
    await page.getByLabel('end unsubscribe in French').fill('Quitter');
    await page.keyboard.press('Tab');
    await until(stored, ({ texts }) => texts.title?.spans === 'Avoine fraîche' && texts.end?.unsubscribe === 'Quitter');
    await page.getByLabel('Preview text in French').waitFor();

    const table = (await client.get(`/templates/${templateId}/translations.csv`)).text;
    const buffer = Buffer.from(table.replace('Avoine fraîche', 'Avoine nouvelle'));
    const press = () => page.getByRole('button', { name: 'Import' }).click();
    await chooseFile(page, press, { name: 'words.csv', mimeType: 'text/csv', buffer });
    await page.getByText('Imported words.csv into the draft').waitFor();
    const title = page.getByLabel('title in French');
    await until(
      () => title.inputValue(),
      (text) => text === 'Avoine nouvelle',
    );
    await subject.fill('De l’avoine');
    await page.keyboard.press('Tab');
    await until(stored, (now) => now.subject === 'De l’avoine');
    expect((await stored()).texts.title.spans).to.equal('Avoine nouvelle');
  });

  it('marks a word that is refused, keeps it in its field and asks before it is left', async () => {
    const { client } = suite.own;
    const given = { templateName: 'Spelt', subject: 'Spelt', content: content('Fresh spelt') };
    const { templateId } = await made(client, '/templates', given);
    const path = `/templates/${templateId}/translations/fr`;
    await client.put(path, {});
    await client.put(`/templates/${templateId}/translations/de`, {});
    const page = await suite.open(`/templates/${templateId}/languages?language=fr`);
    const subject = page.getByLabel('Subject in French');
    await subject.fill('De l’épeautre {{#if');
    await page.keyboard.press('Tab');
    const refusal = page.getByText(/^Not saved: /);
    await refusal.waitFor();
    expect(await subject.getAttribute('aria-invalid')).to.equal('true');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'German' }).click();
    await page.getByLabel('Subject in German').waitFor();
    await page.getByRole('link', { name: 'French' }).click();
    expect(await subject.inputValue()).to.equal('De l’épeautre {{#if');
    await page.getByRole('link', { name: 'Spelt' }).first().click();
    const question = page.getByRole('dialog', { name: 'Leave without saving' });
    await question.getByRole('button', { name: 'Not now' }).click();
    await subject.fill('De l’épeautre');
    await page.keyboard.press('Tab');
    await page.getByText('Changed, not saved').waitFor({ state: 'detached' });
    expect(await refusal.count()).to.equal(0);
    expect((await client.get(path)).body.data.subject).to.equal('De l’épeautre');
    await page.getByRole('link', { name: 'Spelt' }).first().click();
    await page.waitForURL((url) => url.pathname.endsWith(templateId));
  });

  it('publishes the word that was left last, and nothing while a word is refused', async () => {
    const { client } = suite.own;
    const given = { templateName: 'Millet', subject: 'Millet', content: content('Fresh millet') };
    const { templateId } = await made(client, '/templates', given);
    await client.put(`/templates/${templateId}/translations/fr`, { subject: 'Millet' });
    const published = async () => (await client.get(`/templates/${templateId}`)).body.data.publishedVersion;
    const page = await suite.open(`/templates/${templateId}/languages?language=fr`);
    const subject = page.getByLabel('Subject in French');
    await subject.fill('Du millet {{#if');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Not published: a word is not saved yet.').waitFor();
    expect(await published()).to.equal(1);
    const { isHeld, release } = await holdCall(page, 'PUT', /\/translations\/fr$/);
    await subject.fill('Du millet');
    await page.getByRole('button', { name: 'Publish' }).click();
    await isHeld;
    release();
    await page.getByText(/^Published version/).waitFor();
    const version = await published();
    const path = `/templates/${templateId}/translations/fr?version=${version}`;
    expect((await client.get(path)).body.data.subject).to.equal('Du millet');
  });

  it('shows a word that was saved elsewhere too before it is replaced', async () => {
    const { client } = suite.own;
    const given = { templateName: 'Corn', subject: 'Corn', content: content('Fresh corn') };
    const { templateId } = await made(client, '/templates', given);
    const path = `/templates/${templateId}/translations/fr`;
    await client.put(path, {});
    const stored = async () => (await client.get(path)).body.data.subject;
    const page = await suite.open(`/templates/${templateId}/languages?language=fr`);
    const subject = page.getByLabel('Subject in French');
    await subject.fill('Mon maïs');
    await client.put(path, { subject: 'Leur maïs' });
    await page.keyboard.press('Tab');
    await page.getByText(/^Not saved: .*“Leur maïs”/).waitFor();
    expect(await stored()).to.equal('Leur maïs');
    expect(await subject.inputValue()).to.equal('Mon maïs');
    await subject.focus();
    await page.keyboard.press('Tab');
    await until(stored, (now) => now === 'Mon maïs');
  });
});
