import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { type Client, done, type Reply } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';

const SENDER = 'news@blocks.example.com';
const heading = (text: string) => ({
  id: 'title',
  type: 'heading',
  level: 1,
  spans: [{ text }, { variable: 'firstName', fallback: 'you' }],
});
const contentOf = (text: string) => ({
  v: 1,
  blocks: [heading(text), { id: 'end', type: 'footer', unsubscribe: 'Unsubscribe' }],
  look: { accent: '#7A1FA2' },
});

describe('A template written as content blocks', () => {
  const environment = useEnvironment();
  let key: Client;
  before(async () => {
    key = environment.own.client;
    await seedVerifiedDomain(environment.deps, environment.own.project, 'blocks.example.com', new ObjectId());
  });
  const create = (more: object) => key.post('/templates', { templateName: 'Welcome', subject: 'Hello', ...more });
  const made = async (text = 'One'): Promise<string> => (await done(create({ content: contentOf(text) }))).templateId;
  const change = (templateId: string, body: object) => key.patch(`/templates/${templateId}`, body);
  const shown = (templateId: string, query = '') => done(key.get(`/templates/${templateId}${query}`));
  const detailsOf = ({ status, body }: Reply) => [status, body.error?.code, body.error?.details];

  it('answers the content and the HTML made of it; render answers the same HTML, with the text', async () => {
    const templateId = await made();
    const template = await shown(templateId);
    expect(template.builderType).to.equal('editor');
    expect(JSON.stringify(template.editorJson)).to.equal(JSON.stringify(contentOf('One')));
    const rendered = await done(key.post('/templates/render', { content: contentOf('One') }));
    expect(template.emailTemplate).to.equal(rendered.html).and.contain('One{{firstName default="you"}}</h1>');
    expect(rendered.text).to.equal('One{{firstName default="you"}}\n\n--\nUnsubscribe ({{unsubscribe}})');
  });

  it('is rendered in the language that the call names, in the place of its own', async () => {
    const given = contentOf('One');
    const render = async (body: object) => {
      const { html } = await done(key.post('/templates/render', body));
      return [/<html lang="([^"]*)"/.exec(html)?.[1], html.includes('#eef3f0')];
    };
    const own = { ...given, look: { background: '#eef3f0', language: 'de' } };
    expect(await render({ content: own })).to.deep.equal(['de', true]);
    expect(await render({ content: own, language: 'fr-CA' })).to.deep.equal(['fr-CA', true]);
    expect(await render({ content: { v: 1, blocks: given.blocks }, language: 'fr' })).to.deep.equal(['fr', false]);
    for (const language of ['f', 'xx-notatag']) {
      const refused = await key.post('/templates/render', { content: given, language });
      expect(detailsOf(refused)[2]).to.match(/^language: must be a language tag/);
    }
    const unknown = await create({ content: { ...given, look: { language: 'xx-notatag' } } });
    expect([unknown.status, unknown.body.error.details]).to.deep.equal([
      400,
      'content/look/language: must be a language tag such as fr or pt-BR',
    ]);
    const list = await key.post('/templates/render', { content: [], language: 'fr' });
    expect([list.status, list.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
  });

  it('refuses content that is at fault, with the path and the id of the block, and writes nothing', async () => {
    const templateId = await made();
    const before = await shown(templateId);
    const content = {
      v: 1,
      blocks: [{ id: 'go', type: 'button', spans: [{ text: 'Go' }], href: 'javascript:alert(1)' }],
    };
    const details = 'content/blocks/0/href (block "go"): must be an address of http, https, mailto, tel or sms';
    for (const reply of [
      create({ content }),
      change(templateId, { content }),
      key.post('/templates/render', { content }),
    ])
      expect(detailsOf(await reply)).to.deep.equal([400, 'VALIDATION_ERROR', details]);
    expect(await shown(templateId)).to.deep.equal(before);
    for (const wrong of [null, 5, [], 'x', { v: 1, blocks: [null] }])
      expect((await create({ content: wrong })).status, JSON.stringify(wrong)).to.equal(400);
  });

  it('takes exactly one of content and emailTemplate', async () => {
    expect(detailsOf(await create({}))).to.deep.equal([
      400,
      'VALIDATION_ERROR',
      'emailTemplate: is required without content',
    ]);
    const content = contentOf('One');
    for (const more of [{ emailTemplate: '<p>x</p>' }, { editorJson: {} }, { builderType: 'code' }]) {
      const { status, body } = await create({ content, ...more });
      expect([status, body.error.details.split(':')[0]]).to.deep.equal([400, Object.keys(more)[0]]);
    }
    expect((await create({ content, builderType: 'editor' })).status).to.equal(201);
  });

  it('keeps the content with its version, byte for byte, through drafts, publishing and restoring', async () => {
    const templateId = await made('One');
    const bytes = async (query: string) => JSON.stringify((await shown(templateId, query)).editorJson);
    const draft = await done(change(templateId, { content: contentOf('Two'), draft: true }));
    expect([draft.version, draft.publishedVersion]).to.deep.equal([2, 1]);
    expect(await bytes('')).to.equal(JSON.stringify(contentOf('One')));
    expect(await bytes('?version=draft')).to.equal(JSON.stringify(contentOf('Two')));
    await done(key.post(`/templates/${templateId}/publish`, { version: 2 }));
    expect(await bytes('')).to.equal(JSON.stringify(contentOf('Two')));
    expect((await shown(templateId)).emailTemplate).to.contain('Two');
    await done(key.post(`/templates/${templateId}/restore`, { version: 1 }));
    expect(await bytes('?version=draft')).to.equal(JSON.stringify(contentOf('One')));
    expect(await bytes('?version=1')).to.equal(JSON.stringify(contentOf('One')));
  });

  it('makes no version of equal content', async () => {
    const templateId = await made();
    expect((await done(change(templateId, { content: contentOf('One') }))).newestVersion).to.equal(1);
    expect((await done(change(templateId, { content: contentOf('Two') }))).newestVersion).to.equal(2);
  });

  it('becomes code when other HTML is written, and not when the same HTML or another field is', async () => {
    const templateId = await made();
    const { emailTemplate } = await shown(templateId);
    const same = await done(change(templateId, { emailTemplate, builderType: 'code', subject: 'Changed' }));
    expect([same.builderType, same.editorJson !== null, same.subject]).to.deep.equal(['editor', true, 'Changed']);
    const code = await done(change(templateId, { emailTemplate: '<p>Mine</p>' }));
    expect([code.builderType, code.editorJson, code.emailTemplate]).to.deep.equal(['code', null, '<p>Mine</p>']);
    expect((await done(key.post(`/templates/${templateId}/preview`, {}))).text).to.equal('Mine');
    expect((await shown(templateId, '?version=1')).builderType).to.equal('editor');
    const blocks = await done(change(templateId, { content: contentOf('Three') }));
    expect([blocks.builderType, blocks.editorJson.blocks.length]).to.deep.equal(['editor', 2]);
  });

  it('takes no text part from the caller', async () => {
    const { templateId } = await done(create({ emailTemplate: '<p>1</p>', text: { not: 'a text' } }));
    await done(change(templateId, { emailTemplate: '<p>2</p>', text: 'Mine' }));
    expect((await done(key.post(`/templates/${templateId}/preview`, {}))).text).to.equal('2');
    const draft = { emailTemplate: '<p>3</p>', text: { not: 'a text' } };
    expect((await done(key.post('/templates/preview', draft))).text).to.equal('3');
  });

  it('leaves the JSON of an editor of the caller as it is', async () => {
    const editorJson = { mine: [1, 2] };
    const { templateId } = await done(create({ emailTemplate: '<p>1</p>', editorJson, builderType: 'editor' }));
    const after = await done(change(templateId, { emailTemplate: '<p>2</p>' }));
    expect([after.builderType, after.editorJson]).to.deep.equal(['editor', editorJson]);
  });

  it('previews the text of its blocks with the data of a person', async () => {
    const templateId = await made('Good day, ');
    const preview = await done(
      key.post(`/templates/${templateId}/preview`, { dynamicData: { firstName: 'Ada {{x}}' } }),
    );
    expect(preview.html).to.contain('Good day, Ada {{x}}</h1>');
    expect(preview.text).to.match(/^Good day, Ada \{\{x\}\}\n\n--\nUnsubscribe \(http/);
  });

  it('is sent with the text of its blocks, unless the call brings its own HTML or text', async () => {
    const templateId = await made('Good day, ');
    const to = { email: 'ada@example.com' };
    const mail = { from: { email: SENDER }, to, templateId };
    const textOf = async (more: object) => {
      const { emailId } = await done(key.post('/mails/send', { ...mail, ...more }));
      return (await done(key.get(`/emails/${emailId}/content`))).text;
    };
    expect(await textOf({})).to.match(/^Good day, you\n\n--\nUnsubscribe \(http/);
    expect(await textOf({ html: '<p>Mine</p>' })).to.equal('Mine');
    expect(await textOf({ text: 'Own' })).to.equal('Own');
  });
});
