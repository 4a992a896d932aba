import { expect } from 'chai';
import { republicationQueue } from '../../../core/templates/parts/run.ts';
import type { Block, Content } from '../../../schemas/templates/block-types.ts';
import { expectAccessible, shoot, useConsole } from '../../support/browser/console.ts';
import { made } from '../../support/client.ts';
import { until } from '../../support/wait.ts';
import { editorOf, templatesOf } from '../mail-editor/kit.ts';

const line = (id: string, text: string): Block => ({
  ...{ id, type: 'text', nodes: [{ type: 'paragraph', spans: [{ text }] }] },
});
const OUT = '<a href="{{unsubscribe}}">Leave</a>';

describe('A refusal to publish', () => {
  const suite = useConsole();
  const { make } = templatesOf(suite);
  const patch = (path: string, body: object) => suite.own.client.patch(path, body);

  it('names the language that is at fault, and leads to it', async () => {
    const fields = { templateName: 'Leaflet', subject: 'S', emailTemplate: '<p>One</p>' };
    const { templateId } = await made(suite.own.client, '/templates', fields);
    const path = `/templates/${templateId}`;
    await suite.own.client.put(`${path}/translations/fr`, { emailTemplate: '<p>Un</p>' });
    const saved = await patch(path, { emailTemplate: `<p>One</p>${OUT}`, draft: true });
    expect(saved.status, saved.text).to.equal(200);
    const page = await suite.open(path);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'It was not published' });
    await notice.getByText('It was not published: French').waitFor();
    await notice.getByText(/^needs \{\{unsubscribe\}\}/).waitFor();
    expect(await notice.textContent()).to.not.contain('translations/');
    await expectAccessible(page);
    await shoot(page, 'refused-language');
    await notice.getByRole('link', { name: 'Open it: French' }).click();
    await page.getByRole('heading', { name: 'Languages' }).waitFor();
    expect(new URL(page.url()).searchParams.get('language')).to.equal('fr');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await notice.getByText('It was not published: French').waitFor();
    await expectAccessible(page);
  });

  it('names the block that is at fault and chooses it, and is over once that is mended', async () => {
    const go: Block = { id: 'go', type: 'button', spans: [{ text: 'Order' }], href: 'https://a.example/' };
    const footer: Block = { id: 'end', type: 'footer', unsubscribe: 'Unsubscribe' };
    const page = await suite.open(await make({ v: 1, blocks: [line('first', 'Bread'), go, footer] } as Content));
    const { block, panel, mail } = editorOf(page);
    await block('button').click();
    const address = panel.getByRole('textbox', { name: 'Leads to' });
    await address.fill('javascript:x');
    await mail.getByText('Bread').click();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'It was not saved' });
    await notice.getByText('It was not saved: Button “Order”').waitFor();
    await notice.getByText(/^Leads to: must be an address of http/).waitFor();
    await expectAccessible(page);
    await shoot(page, 'refused-block');
    await notice.getByRole('button', { name: 'Show it: Button “Order”' }).press('Enter');
    await address.fill('https://a.example/order');
    await notice.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText(/^Published version \d+ of Bread/).waitFor();
  });

  it('of a layout is shown on its page, with the newer draft; of a mail that does not fit by its name', async () => {
    const { client } = suite.own;
    const { id } = await made(client, '/layouts', { name: 'Frame', emailTemplate: '<h1>1</h1>{{{content}}}' });
    const mail = { templateName: 'Framed', subject: 'S', emailTemplate: '<p>One</p>', layoutId: id };
    const { templateId } = await made(client, '/templates', mail);
    const path = `/layouts/${id}`;
    await patch(path, { emailTemplate: '<h1>2</h1>{{{content}}}', draft: true });
    const page = await suite.open(`/templates${path}`);
    const publish = page.getByRole('button', { name: 'Publish…' });
    await publish.waitFor();
    await patch(path, { emailTemplate: '<h1>3</h1>{{{content}}}', draft: true });
    await publish.click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Publish/ })
      .click();
    const both = page.getByRole('region', { name: 'Two versions' });
    await both.getByRole('button', { name: 'Take theirs…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard what I typed' }).click();

    // The new version is made of blocks, and the mail in it is code.
    const content = { v: 1, blocks: [{ id: 'mail', type: 'content' }] };
    await patch(path, { content, draft: true });
    await page.reload();
    await publish.click();
    const dialog = page.getByRole('dialog', { name: 'Publish Frame' });
    await dialog.getByRole('button', { name: 'Publish, with 1 template' }).click();
    await dialog.getByText('Publishing: 0 of 1 template').waitFor();
    const { runs } = await republicationQueue(suite.deps).take(suite.own.project._id, 4);
    await Promise.all(runs.map((run) => run()));
    await dialog.getByText(/^The layout does not fit: the layout "Frame" is made of content blocks/).waitFor();
    await dialog.getByText('Framed', { exact: true }).waitFor();
    await expectAccessible(page);
    await shoot(page, 'refused-mail');
    await dialog.getByRole('link', { name: 'Open it: Framed' }).click();
    await page.getByRole('heading', { name: 'Framed' }).waitFor();
    await until(
      async () => (await client.get(path)).body.data.publishedVersion,
      (version) => version === 4,
    );
    expect((await client.get(`/templates/${templateId}`)).body.data.publishedVersion).to.equal(1);
  });
});
