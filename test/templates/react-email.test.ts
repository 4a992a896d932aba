import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { useEnvironment } from '../support/environment.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/templates.md'), 'utf8');
/** The component of docs/templates.md as @react-email/render 2.3.1 prints it. */
const rendered = readFileSync(join(import.meta.dirname, '../fixtures/mails/react-email.html'), 'utf8').trim();

/** The last step of the example, as it is written there. */
function withQuotes(html: string): string {
  expect(page).to.include(`.replace(/{{.*?}}/g, (tag) => tag.replaceAll('&quot;', '"'))`);
  return html.replace(/{{.*?}}/g, (tag) => tag.replaceAll('&quot;', '"'));
}

describe('The example of React Email', () => {
  const environment = useEnvironment();
  const create = (emailTemplate: string) =>
    environment.own.client.post('/templates', {
      templateName: 'Welcome',
      subject: 'Welcome, {{firstName}}',
      emailTemplate,
    });

  it('has the words and links of the component that was rendered', () => {
    for (const text of [
      'Hello {{firstName default="you"}}',
      'https://example.com/start?from={{email}}',
      '{{unsubscribe}}',
    ])
      for (const place of [page, withQuotes(rendered)]) expect(place).to.include(text);
  });

  it('is saved as code, and filled in for a person and for an unknown one', async () => {
    const { status, body, text } = await create(withQuotes(rendered));
    expect(status, text).to.equal(201);
    expect(body.data).to.include({ builderType: 'code', emailTemplate: withQuotes(rendered) });
    const { client } = environment.own;
    await client.post('/contacts/email', { email: 'ada@in.test', firstName: 'Ada' });
    const preview = async (given: object) =>
      (await client.post(`/templates/${body.data.templateId}/preview`, given)).body.data;
    const mail = await preview({ email: 'ada@in.test', dynamicData: { firstName: 'Ada' } });
    expect(mail).to.include({ subject: 'Welcome, Ada' });
    expect(mail.html)
      .to.include('>Hello Ada</p>')
      .and.match(/href="https:\/\/example\.com\/start\?from=ada(@|%40)in\.test"/);
    expect(mail.html).to.match(/<a href="https?:[^"]+\/u\/preview">Unsubscribe<\/a>/);
    expect(mail.html).to.not.match(/{{|&quot;/);
    expect(mail.text)
      .to.match(/^Hello Ada\n/)
      .and.include('Begin');
    expect((await preview({})).html).to.include('>Hello you</p>');
  });

  it('is 400 at the tag without its last step, and nothing is stored', async () => {
    const count = async () => (await environment.own.client.get('/templates')).body.data.templates.length;
    const before = await count();
    const { status, body } = await create(rendered);
    expect([status, body.error?.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
    expect(body.error.details).to.match(/^emailTemplate: line 1, column \d+/);
    expect(await count()).to.equal(before);
  });
});
