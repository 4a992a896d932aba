import { expect } from 'chai';
import { type Client, done, type Reply } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';

const words = (id: string, text: string) => ({ id, type: 'heading', level: 2, spans: [{ text }] });
const snippet = (id: string, name: string) => ({ id, type: 'snippet', name });
const content = (...blocks: object[]) => ({ v: 1, blocks });
const columns = (id: string, ...inside: object[]) => ({
  ...{ id, type: 'columns' },
  columns: [
    { share: 1, blocks: inside },
    { share: 1, blocks: [] },
  ],
});
const SLOT = { id: 'here', type: 'content' };

describe('Layouts and snippets of content blocks', () => {
  const environment = useEnvironment();
  let key: Client;
  let layoutId: string;
  before(async () => {
    key = environment.own.client;
    const end = { id: 'end', type: 'footer', brand: true };
    await done(key.post('/snippets', { name: 'footer', content: content(words('a', 'Open all day'), end) }));
    await done(key.post('/snippets', { name: 'inner', content: content(snippet('x', 'footer')) }));
    const around = {
      v: 1,
      look: { width: 520, accent: '#0b3d2e' },
      blocks: [words('a', 'Bakery'), SLOT, snippet('s', 'inner')],
    };
    layoutId = (await done(key.post('/layouts', { name: 'News', content: around }))).id;
  });
  async function fault(reply: Promise<Reply>): Promise<string> {
    const { status, body, text } = await reply;
    expect(status, text).to.equal(400);
    return body.error.details;
  }
  const create = (fields: object) => key.post('/templates', { templateName: 'T', subject: 'S', ...fields });
  const refused = (one: object) => fault(key.post('/templates/render', { content: one }));

  it('are compiled into HTML and text, and the content comes back byte for byte', async () => {
    const own = { v: 1, look: { width: 700, language: 'de' }, blocks: [words('a', 'Rye'), snippet('f', 'footer')] };
    const made = await done(create({ content: own, layoutId }));
    expect(JSON.stringify(made.editorJson)).to.equal(JSON.stringify(own));
    expect(made.emailTemplate).to.match(/Bakery[\s\S]*Rye[\s\S]*Open all day[\s\S]*Unsubscribe[\s\S]*Open all day/);
    expect(made.emailTemplate).to.contain('max-width:520px').and.contain('lang="de"').and.not.contain('700px');
    const { text } = await done(key.post('/templates/render', { content: own, layoutId }));
    expect(text).to.match(/Bakery\n+Rye\n+Open all day/);
    const alone = await done(key.patch(`/templates/${made.templateId}`, { layoutId: null }));
    expect(alone.emailTemplate).to.contain('700px').and.not.contain('Bakery');
    const back = await done(key.patch(`/templates/${made.templateId}`, { layoutId }));
    expect(back.emailTemplate).to.equal(made.emailTemplate);
    expect(JSON.stringify(back.editorJson)).to.equal(JSON.stringify(own));
  });

  it('stay in the HTML of a mail that becomes code', async () => {
    const { templateId, emailTemplate } = await done(create({ content: content(words('a', 'Rye')), layoutId }));
    expect(await done(key.patch(`/templates/${templateId}`, { emailTemplate }))).to.include({
      layoutId,
      newestVersion: 1,
    });
    const code = await done(key.patch(`/templates/${templateId}`, { emailTemplate, editorJson: null }));
    expect(code).to.include({ builderType: 'code', editorJson: null, layoutId: null, emailTemplate });
    expect(code.emailTemplate).to.contain('Bakery');
  });

  it('are made again with the brand', async () => {
    const { templateId } = await done(create({ content: content(words('a', 'Rye')), layoutId }));
    const brand = { footer: { unsubscribe: 'No more of this' } };
    const { templates } = await done(key.post('/brand/preview', brand));
    expect(templates.map((one: { templateId: string }) => one.templateId)).to.include(templateId);
    const { published } = await done(key.patch('/brand', { ...brand, templateIds: [templateId] }));
    expect(published).to.deep.equal([templateId]);
    expect((await done(key.get(`/templates/${templateId}`))).emailTemplate).to.contain('No more of this');
  });

  it('are refused with their block where they do not fit', async () => {
    await done(key.post('/snippets', { name: 'code', emailTemplate: '<p>code</p>' }));
    await done(key.post('/snippets', { name: 'side', content: content(columns('c')) }));
    const many = content(...Array.from({ length: 200 }, (_, index) => words(`b${index}`, 'Many')));
    await done(key.post('/snippets', { name: 'many', content: many }));
    const faults: Array<[object, string]> = [
      [content(snippet('s', 'nothing')), 'content/blocks/0/name (block "s"): there is no published snippet "nothing"'],
      [
        content(columns('c', snippet('s', 'nothing'))),
        'content/blocks/0/columns/0/blocks/0/name (block "s"): there is no',
      ],
      [
        content(snippet('s', 'code')),
        'content/blocks/0/name (block "s"): the snippet "code" is code, and content blocks take',
      ],
      [
        content(columns('c', snippet('s', 'side'))),
        'content/blocks/0/columns (block "c"): must not have columns inside columns',
      ],
      [
        content(columns('c', snippet('s', 'footer'))),
        'content/blocks/0/columns/0/blocks/0/footer/1 (block "end"): must be at the top',
      ],
      [content(snippet('s', 'Bad Name')), 'content/blocks/0/name (block "s")'],
      [content({ ...snippet('s', 'footer'), blocks: [] }), 'content/blocks/0/blocks (block "s"): must be left out'],
      [content(SLOT), 'content/blocks/0 (block "here"): stands in layouts'],
      [content(...[1, 2, 3].map((n) => snippet(`s${n}`, 'many'))), 'is one of more than 500 blocks'],
    ];
    for (const [one, details] of faults) expect(await refused(one)).to.include(details);
    const layout = (one: object) => fault(key.post('/layouts', { name: 'L', content: one }));
    expect(await layout(content(words('a', 'x')))).to.equal(
      'content/blocks: must have one of type content, where the mail stands',
    );
    expect(await layout(content(SLOT, { ...SLOT, id: 'two' }))).to.equal(
      'content/blocks/1 (block "two"): must stand once, at the top level',
    );
    expect(await layout(content(columns('c', SLOT)))).to.equal(
      'content/blocks/0/columns/0/blocks/0 (block "here"): must stand once, at the top level',
    );
    expect(await fault(create({ emailTemplate: 'x', layoutId }))).to.equal(
      'layoutId: the layout "News" is made of content blocks, and the mail is code',
    );
    expect(await fault(key.patch('/snippets/footer', { content: content(snippet('s', 'inner')) }))).to.equal(
      'content/blocks/0/name (block "s"): in the snippet "inner": the snippet "footer" is inside itself',
    );
    const mail = { v: 1, blocks: Array.from({ length: 499 }, (_, index) => words(`b${index}`, 'Many')) };
    expect(await fault(create({ content: mail, layoutId }))).to.match(/^layoutId\/blocks\/.*more than 500 blocks/);
  });

  it('are in no step of an automation, which has no versions to publish again', async () => {
    const steps = [{ stepId: 'one', type: 'email', email: { subject: 'S', content: content(snippet('s', 'footer')) } }];
    const reply = key.post('/automations', { name: 'A', steps });
    expect(await fault(reply)).to.equal('steps/0/email/content: has a snippet; save it as a template, and name that');
  });
});
