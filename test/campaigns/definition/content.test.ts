import { expect } from 'chai';
import PostalMime from 'postal-mime';
import { signIn } from '../../accounts/signed-in.ts';
import { done, type Reply } from '../../support/client.ts';
import { type Stage, startStage } from '../support.ts';

const contentOf = (text: string) => ({
  v: 1,
  blocks: [
    { id: 'title', type: 'heading', level: 1, spans: [{ text }, { variable: 'firstName', fallback: 'you' }] },
    { id: 'end', type: 'footer', unsubscribe: 'Leave' },
  ],
  look: { accent: '#7A1FA2' },
});
const CODE = '<p>Mine, {{firstName}}</p>';

describe('A campaign written as content blocks', function () {
  this.timeout(120_000);
  let stage: Stage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage.stop());
  const create = (fields: object) => stage.create({ htmlTemplate: undefined, ...fields });
  const patch = (id: string, fields: object) => stage.own.client.patch(`/campaigns/${id}`, fields);
  const embedded = async (id: string) => (await stage.get(id)).template;
  const detailsOf = ({ status, body }: Reply) => [status, body.error?.details];

  it('has a template of blocks, of which the HTML is made, byte for byte', async () => {
    const { id } = await done(create({ content: contentOf('News, ') }));
    const template = await embedded(id);
    expect(template.builderType).to.equal('editor');
    expect(template.templateType).to.equal('marketing');
    expect(JSON.stringify(template.editorJson)).to.equal(JSON.stringify(contentOf('News, ')));
    const { html } = await done(stage.own.client.post('/templates/render', { content: contentOf('News, ') }));
    expect(template.emailTemplate).to.equal(html);
    const copy = await done(stage.act(id, 'duplicate', {}));
    expect(JSON.stringify((await embedded(copy.id)).editorJson)).to.equal(JSON.stringify(contentOf('News, ')));
  });

  it('writes the template that the call names, and HTML makes that code again', async () => {
    const { id, templateId } = await done(create({ content: contentOf('One') }));
    await done(patch(id, { templateId, content: contentOf('Two') }));
    expect(JSON.stringify((await embedded(id)).editorJson)).to.equal(JSON.stringify(contentOf('Two')));
    const { emailTemplate } = await embedded(id);
    await done(patch(id, { templateId, htmlTemplate: emailTemplate }));
    expect((await embedded(id)).builderType).to.equal('editor');
    await done(patch(id, { templateId, htmlTemplate: CODE }));
    expect(await embedded(id)).to.deep.include({
      templateId,
      builderType: 'code',
      editorJson: null,
      emailTemplate: CODE,
    });
    await done(patch(id, { templateId, content: contentOf('Three') }));
    expect((await embedded(id)).builderType).to.equal('editor');
  });

  it('refuses content at fault, and HTML together with content, and changes nothing', async () => {
    const { id, templateId } = await done(create({ content: contentOf('One') }));
    const before = await stage.get(id);
    const count = async () => (await stage.own.client.get('/templates')).body.data.pagination.total;
    const templates = await count();
    const button = { id: 'go', type: 'button', spans: [{ text: 'Go' }], href: 'javascript:alert(1)' };
    const content = { v: 1, blocks: [button] };
    const fault = 'content/blocks/0/href (block "go"): must be an address of http, https, mailto, tel or sms';
    for (const reply of [
      create({ content }),
      patch(id, { content }),
      patch(id, { content, templateId, subject: 'New' }),
    ])
      expect(detailsOf(await reply)).to.deep.equal([400, fault]);
    const both = { content: contentOf('Two'), htmlTemplate: CODE };
    for (const reply of [create(both), patch(id, both)])
      expect(detailsOf(await reply)).to.deep.equal([
        400,
        'htmlTemplate: must be left out beside content, of which it is made',
      ]);
    for (const wrong of [null, 5, [], 'x', {}, { v: 1, blocks: [null] }, { v: 2, blocks: [] }])
      expect((await patch(id, { content: wrong })).status, JSON.stringify(wrong)).to.equal(400);
    expect(await stage.get(id)).to.deep.equal(before);
    expect(await count()).to.equal(templates);
  });

  it('is sent with the HTML and the text of its blocks', async () => {
    const list = await stage.list(2);
    const { id } = await done(create({ content: contentOf('News, '), toLists: [list], publish: true, sendNow: true }));
    await stage.until(id, 'sent');
    const mails = stage.sink.ledger.messages;
    expect(mails).to.have.length(2);
    for (const { raw } of mails) {
      const { html, text = '' } = await PostalMime.parse(Buffer.from(raw ?? '', 'latin1'));
      expect(html).to.contain('News, you</h1>');
      expect(text.replaceAll('\r\n', '\n')).to.match(/^News, you\n\n--\nLeave \(http/);
    }
  });

  it('of an author is a draft of its template, as HTML of theirs is', async () => {
    const { client } = await signIn(stage.environment, stage.own, 'author');
    const fields = { name: 'News', subject: 'News', content: contentOf('One') };
    const { templateId } = await done(client.post('/campaigns', fields));
    const template = await done(client.get(`/templates/${templateId}`));
    expect(template).to.include({ publishedVersion: null, draftVersion: 1, builderType: 'editor' });
    const shared = await done(create({ content: contentOf('Shared') }));
    await done(client.patch(`/campaigns/${shared.id}`, { templateId: shared.templateId, content: contentOf('Draft') }));
    expect(JSON.stringify((await embedded(shared.id)).editorJson)).to.equal(JSON.stringify(contentOf('Shared')));
  });
});
