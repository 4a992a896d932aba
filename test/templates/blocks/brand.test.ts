import { expect } from 'chai';
import { BRAND_COLOURS, blockSchemas } from '../../../schemas/templates/blocks.ts';
import { signIn } from '../../accounts/signed-in.ts';
import { type Client, done } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';

const BRAND = {
  name: 'Example Bakery',
  logoUrl: 'https://example.com/logo.png',
  postalAddress: 'Market 1\nBath',
  colours: { primary: '#7A1FA2', text: '#111111' },
  font: 'serif',
  families: ['Inter', 'Open Sans'],
  links: [{ label: 'Mastodon', href: 'https://social.example.com/@bakery' }],
  footer: { unsubscribe: 'Leave', preferences: 'Choose' },
};
const CONTENT = {
  v: 1,
  look: { brand: true, paper: '#fefefe' },
  blocks: [
    { id: 'top', type: 'header', brand: true },
    { id: 'go', type: 'button', spans: [{ text: 'Go' }], href: 'https://example.com', background: 'brand.primary' },
    {
      id: 'words',
      type: 'text',
      nodes: [
        {
          type: 'paragraph',
          spans: [
            { variable: 'brand.name', bold: true },
            { text: 'red', colour: 'brand.text' },
          ],
        },
        { type: 'paragraph', spans: [{ text: 'brand.primary stays words' }] },
      ],
    },
    { id: 'profiles', type: 'social', brand: true },
    { id: 'end', type: 'footer', brand: true },
  ],
};
const PLAIN = { v: 1, blocks: [{ id: 'a', type: 'heading', level: 1, spans: [{ text: 'Plain' }] }] };

describe('The colours of the brand', () => {
  it('are those that content blocks may name', () => {
    const { pattern } = (blockSchemas.divider as { properties: { colour: { pattern: string } } }).properties.colour;
    const named = /brand\\\.\(([a-z|]+)\)/.exec(pattern)?.[1]?.split('|');
    expect(named).to.deep.equal([...BRAND_COLOURS]);
  });
});

describe('The brand of a project', () => {
  const environment = useEnvironment();
  let key: Client;
  before(() => {
    key = environment.own.client;
  });
  beforeEach(async () => {
    const blank = { name: null, logoUrl: null, postalAddress: null, colours: null, footer: null };
    expect((await key.patch('/brand', { ...blank, font: 'sans', families: [], links: [] })).status).to.equal(200);
  });
  const change = (fields: object) => key.patch('/brand', fields);
  const made = async (content: object, more: object = {}) =>
    (await done(key.post('/templates', { templateName: 'Branded', subject: 'Hello', content, ...more }))).templateId;
  const shown = (templateId: string) => done(key.get(`/templates/${templateId}`));
  const render = (content: object) => done(key.post('/templates/render', { content }));

  it('has a default for each part, and takes changes field by field', async () => {
    const { updatedAt: _, ...blank } = await done(key.get('/brand'));
    expect(blank.colours).to.deep.equal({
      primary: '#1a5fb4',
      background: '#f2f3f5',
      paper: '#fdfdfd',
      text: '#22252a',
    });
    expect(blank).to.deep.include({ name: environment.own.project.name, logoUrl: null, links: [], font: 'sans' });
    await done(change(BRAND));
    const { published, failed, updatedAt, ...changed } = await done(change({ colours: { background: '#EEEEEE' } }));
    expect([published, failed]).to.deep.equal([[], []]);
    const { colours, ...others } = BRAND;
    expect(changed).to.deep.equal({
      ...others,
      colours: { primary: '#7a1fa2', background: '#eeeeee', paper: '#fdfdfd', text: colours.text },
    });
    expect(await done(key.get('/brand'))).to.deep.equal({ ...changed, updatedAt });
    expect(await done(change({ name: null, colours: null }))).to.deep.include({
      ...blank,
      ...others,
      name: blank.name,
    });
  });

  it('is not written over by a call that names another updatedAt than its own', async () => {
    const { updatedAt } = await done(key.get('/brand'));
    const first = await done(change({ name: 'First', updatedAt }));
    const { status, body } = await change({ name: 'Lost', updatedAt });
    expect([status, body.error.code, body.error.details]).to.deep.equal([
      409,
      'INVALID_STATE',
      `updatedAt: is ${first.updatedAt}`,
    ]);
    expect((await done(key.get('/brand'))).name).to.equal('First');
    expect((await done(change({ name: 'Last' }))).name).to.equal('Last');
  });

  it('is named by blocks, and compiled into HTML and text', async () => {
    await done(change(BRAND));
    const { html, text } = await render(CONTENT);
    expect(html).to.contain('src="https://example.com/logo.png" alt="Example Bakery"');
    expect(html).to.contain('bgcolor="#7a1fa2"').and.contain("font-family:'Inter','Open Sans',Georgia");
    expect(html).to.contain('background:#fefefe').and.contain('color:#111111').and.contain('brand.primary stays words');
    expect(html).to.contain('Example Bakery<br>Market 1, Bath').and.contain('>Leave</a>').and.contain('>Choose</a>');
    expect(html).to.contain('<strong>Example Bakery</strong>').and.contain('href="https://social.example.com/@bakery"');
    expect(html.replace('brand.primary stays words', '')).to.not.contain('brand.');
    expect(text)
      .to.contain('Mastodon (https://social.example.com/@bakery)')
      .and.contain('Example Bakery\nMarket 1, Bath');
    const templateId = await made(CONTENT);
    expect(JSON.stringify((await shown(templateId)).editorJson)).to.equal(JSON.stringify(CONTENT));
  });

  it('may be named before there is one: its parts have defaults, and profiles are left out', async () => {
    const { html, text } = await render(CONTENT);
    expect(html).to.contain('bgcolor="#1a5fb4"').and.contain('>Unsubscribe</a>');
    expect(text).to.contain(environment.own.project.name).and.not.contain('Mastodon');
  });

  it('holds its contrast, and refuses parts that no block could have', async () => {
    const before = await done(key.get('/brand'));
    const details = async (fields: object) => {
      const replies = [await change(fields), await key.post('/brand/preview', fields)];
      for (const { status, body } of replies)
        expect([status, body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      return replies[0]?.body.error.details;
    };
    expect(await details({ colours: { primary: '#ffd54f' } })).to.equal(
      'colours/primary: has a contrast of 1.38 to colours/paper, and needs 4.5 to be read',
    );
    expect(await details({ colours: { paper: '#333333' } })).to.match(/^colours\/text: .*; colours\/primary: /);
    expect(await details({ colours: { primary: 'red' } })).to.match(/^colours\/primary: must be a colour/);
    expect(await details({ families: ["x';}"] })).to.match(/^families\/0: must be the name of a font/);
    expect(await details({ links: [{ label: 'X', href: 'javascript:alert(1)' }] })).to.match(
      /^brand\/blocks\/1\/links\/0\/href \(block "links"\): must be an address/,
    );
    expect(await details({ footer: { unsubscribe: '{{x}}' } })).to.match(/unsubscribe \(block "footer"\)/);
    expect(await details({ logoUrl: 'http://10.0.0.1/x.png' })).to.match(/^logoUrl: must be a public https address/);
    for (const wrong of [
      { links: 5 },
      { footer: {} },
      { colours: [] },
      { font: 'comic' },
      { footer: { unsubscribe: 'x', y: 1 } },
    ])
      expect((await change(wrong)).status, JSON.stringify(wrong)).to.equal(400);
    expect(await done(key.get('/brand'))).to.deep.equal(before);
  });

  it('refuses content that names a colour that no brand has, with the block', async () => {
    const button = {
      id: 'go',
      type: 'button',
      spans: [{ text: 'Go' }],
      href: 'https://example.com',
      background: 'brand.red',
    };
    const { status, body } = await key.post('/templates/render', { content: { v: 1, blocks: [button] } });
    expect(status).to.equal(400);
    expect(body.error.details).to.match(
      /^content\/blocks\/0\/background \(block "go"\): must be a colour .* brand\.primary/,
    );
    const nameless = { v: 1, blocks: [{ id: 'top', type: 'header' }] };
    expect((await key.post('/templates/render', { content: nameless })).body.error.details).to.match(/name/);
  });

  it('changes no published template; it says which ones it would, and publishes the chosen ones', async () => {
    await done(change(BRAND));
    const [one, two] = [await made(CONTENT), await made(CONTENT)];
    const draft = await made(CONTENT, { draft: true });
    const plain = await made(PLAIN);
    const code = await made(CONTENT);
    await done(key.patch(`/templates/${code}`, { emailTemplate: '<p>Code</p>' }));
    const next = { colours: { primary: '#004d40' } };
    const same = await done(key.post('/brand/preview', {}));
    const idsOf = ({ templates }: { templates: { templateId: string }[] }) =>
      templates.map(({ templateId }) => templateId);
    expect(idsOf(same)).to.not.include.members([one, two]);
    const touched = await done(key.post('/brand/preview', next));
    expect(idsOf(touched)).to.include.members([one, two]);
    for (const other of [draft, plain, code]) expect(idsOf(touched)).to.not.include(other);
    expect((await done(key.get('/brand'))).colours.primary, 'nothing is changed by a look').to.equal('#7a1fa2');
    const before = await shown(one);
    const changed = await done(change({ ...next, templateIds: [two, two, plain, draft] }));
    expect(changed.published).to.deep.equal([two]);
    expect(changed.failed.map(({ templateId }: { templateId: string }) => templateId)).to.deep.equal([plain, draft]);
    expect(await shown(one)).to.deep.equal(before);
    const after = await shown(two);
    expect(after).to.include({ publishedVersion: 2 });
    expect(after.emailTemplate).to.contain('bgcolor="#004d40"').and.not.contain('#7a1fa2');
    expect(JSON.stringify(after.editorJson)).to.equal(JSON.stringify(CONTENT));
    expect((await done(key.get(`/templates/${two}?version=1`))).emailTemplate).to.equal(before.emailTemplate);
    expect(idsOf(await done(key.post('/brand/preview', {}))))
      .to.include(one)
      .and.not.include(two);
  });

  it('is that of public pages as well, and of one project alone', async () => {
    await done(change(BRAND));
    const project = await done(
      environment.client(environment.own.adminKey).get(`/account/projects/${environment.own.project._id}`),
    );
    expect(project).to.include({ publicName: 'Example Bakery', color: '#7a1fa2', postalAddress: 'Market 1\nBath' });
    expect((await done(environment.other.client.get('/brand'))).name).to.equal(environment.other.project.name);
    const foreign = await made(CONTENT);
    const { failed } = await done(environment.other.client.patch('/brand', { templateIds: [foreign] }));
    expect(failed).to.have.length(1);
  });

  it('is changed by editors, not by authors', async () => {
    const author = await signIn(environment, environment.own, 'author');
    expect((await author.client.patch('/brand', BRAND)).status).to.equal(403);
    const editor = await signIn(environment, environment.own, 'editor');
    expect((await editor.client.patch('/brand', BRAND)).status).to.equal(200);
  });
});
