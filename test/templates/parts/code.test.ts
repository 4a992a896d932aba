import { expect } from 'chai';
import { type Client, done, type Reply } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';

const LAYOUT = '<html><body><h1>Bakery</h1>{{{content}}}{{> footer}}</body></html>';

describe('Layouts and snippets of code', () => {
  const environment = useEnvironment();
  let key: Client;
  let layoutId: string;
  before(async () => {
    key = environment.own.client;
    await done(key.post('/snippets', { name: 'address', emailTemplate: '<i>Market 1</i>' }));
    await done(
      key.post('/snippets', {
        name: 'footer',
        emailTemplate: '<p>{{> address}} <a href="{{unsubscribe}}">Leave</a></p>',
      }),
    );
    layoutId = (await done(key.post('/layouts', { name: 'News', emailTemplate: LAYOUT }))).id;
  });
  async function fault(reply: Promise<Reply>): Promise<string> {
    const { status, body, text } = await reply;
    expect(status, text).to.equal(400);
    return body.error.details;
  }
  const create = (fields: object) => key.post('/templates', { templateName: 'T', subject: 'S', ...fields });
  const html = async (templateId: string) => (await done(key.post(`/templates/${templateId}/preview`, {}))).html;
  const count = () => environment.deps.db.templates.countDocuments({ projectId: environment.own.project._id });

  it('are compiled into a template, whose code comes back as it was written', async () => {
    const emailTemplate = '<p>Hello {{firstName default="you"}}, {{> address }}</p>';
    const made = await done(create({ emailTemplate, layoutId }));
    expect(made).to.include({ emailTemplate, layoutId, builderType: 'code' });
    expect(await html(made.templateId)).to.contain(
      '<h1>Bakery</h1><p>Hello you, <i>Market 1</i></p><p><i>Market 1</i> <a href="',
    );
    const stored = await environment.deps.db.templates.findOne({
      projectId: environment.own.project._id,
      templateId: made.templateId,
    });
    expect(stored?.emailTemplate).to.contain('Bakery').and.not.contain('{{>');
    const same = await done(key.patch(`/templates/${made.templateId}`, { emailTemplate }));
    expect(same).to.include({ newestVersion: 1 });
    const without = await done(key.patch(`/templates/${made.templateId}`, { layoutId: null }));
    expect(without).to.include({ emailTemplate, layoutId: null, newestVersion: 2 });
    expect(await html(made.templateId)).to.equal('<p>Hello you, <i>Market 1</i></p>');
    const within = await done(key.patch(`/templates/${made.templateId}`, { layoutId, draft: true }));
    expect(within).to.include({ emailTemplate, layoutId, version: 3, publishedVersion: 2 });
    expect(await done(key.get(`/templates/${made.templateId}`))).to.include({ layoutId: null, version: 2 });
  });

  it('keep their version in a template until it is saved or published again', async () => {
    const { id } = await done(key.post('/layouts', { name: 'Own', emailTemplate: '<b>1</b>{{{content}}}' }));
    const { templateId } = await done(create({ emailTemplate: '<p>Hi</p>', layoutId: id }));
    await done(key.patch(`/layouts/${id}`, { emailTemplate: '<b>2</b>{{{content}}}', draft: true }));
    await done(key.patch(`/templates/${templateId}`, { subject: 'Another' }));
    expect(await html(templateId)).to.equal('<b>1</b><p>Hi</p>');
    expect(await done(key.get(`/layouts/${id}?version=draft`))).to.include({ version: 2, publishedVersion: 1 });
    expect(await done(key.post(`/layouts/${id}/publish`, { version: 2 }))).to.include({ publishedVersion: 2 });
    expect(await html(templateId)).to.equal('<b>1</b><p>Hi</p>');
    await done(key.patch(`/templates/${templateId}`, { emailTemplate: '<p>Hello</p>' }));
    expect(await html(templateId)).to.equal('<b>2</b><p>Hello</p>');
    const { versions } = await done(key.get(`/layouts/${id}/versions`));
    expect(versions.map(({ state }: { state: string }) => state)).to.deep.equal(['published', 'earlier']);
    expect(await done(key.post(`/layouts/${id}/restore`, { version: 1 }))).to.include({
      emailTemplate: '<b>1</b>{{{content}}}',
      draftVersion: 3,
    });
  });

  it('are refused with line and field where they do not fit, and nothing is written', async () => {
    await done(key.post('/snippets', { name: 'deep-4', emailTemplate: 'four' }));
    const deep = (n: number) => key.post('/snippets', { name: `deep-${n}`, emailTemplate: `${n} {{> deep-${n + 1}}}` });
    for (const n of [3, 2]) await done(deep(n));
    await done(key.post('/snippets', { name: 'draft-only', emailTemplate: 'x', draft: true }));
    await done(key.post('/snippets', { name: 'long', emailTemplate: 'x'.repeat(600_000) }));
    const before = await count();
    const faults: Array<[object, string]> = [
      [
        { emailTemplate: '<p>\n{{> nothing}}' },
        'emailTemplate: line 2, column 1: there is no published snippet "nothing"',
      ],
      [
        { emailTemplate: '{{> draft-only}}' },
        'emailTemplate: line 1, column 1: there is no published snippet "draft-only"',
      ],
      [
        { emailTemplate: '{{> footer size=1}}' },
        'emailTemplate: line 1, column 1: Partials ({{> }}) are not supported here',
      ],
      [{ emailTemplate: '{{> address}}\n{{#if x}}' }, 'emailTemplate: line 2'],
      [{ emailTemplate: '{{> long}}{{> long}}' }, 'emailTemplate: makes more than 1 MiB with its layout and snippets'],
      [
        { emailTemplate: 'x', layoutId: 'L-00000000000000000000' },
        'layoutId: names no published layout of this project',
      ],
      [{ emailTemplate: 'x', layoutId: 'footer' }, 'layoutId: names no published layout of this project'],
      [
        { content: { v: 1, blocks: [] }, layoutId },
        'layoutId: the layout "News" is code, and the mail is made of content blocks',
      ],
    ];
    for (const [fields, details] of faults) expect(await fault(create(fields))).to.include(details);
    expect(await fault(deep(1))).to.equal(
      'emailTemplate: line 1, column 3: in the snippet "deep-2": line 1, column 3: in the snippet "deep-3": line 1, column 3: snippets stand more than 3 deep',
    );
    expect(await fault(key.post('/layouts', { name: 'L', emailTemplate: '<b></b>' }))).to.equal(
      'emailTemplate: has no {{{content}}}',
    );
    expect(await fault(key.post('/layouts', { name: 'L', emailTemplate: '{{{content}}}\n {{{ content }}}' }))).to.equal(
      'emailTemplate: line 2, column 2: is the second',
    );
    expect(await fault(key.post('/snippets', { name: 'Bad Name', emailTemplate: 'x' }))).to.contain('name');
    expect(await fault(key.patch('/snippets/address', { emailTemplate: '{{> footer}}' }))).to.equal(
      'emailTemplate: line 1, column 1: in the snippet "footer": line 1, column 4: the snippet "address" is inside itself',
    );
    expect(await count()).to.equal(before);
  });

  it('are refused in a circle too when the second one is published', async () => {
    await done(key.post('/snippets', { name: 'round-a', emailTemplate: 'a' }));
    await done(key.post('/snippets', { name: 'round-b', emailTemplate: 'b' }));
    await done(key.patch('/snippets/round-a', { emailTemplate: '{{> round-b}}', draft: true }));
    await done(key.patch('/snippets/round-b', { emailTemplate: '{{> round-a}}' }));
    expect(await fault(key.post('/snippets/round-a/publish', { version: 2 }))).to.contain('is inside itself');
    expect(await done(key.get('/snippets/round-a'))).to.include({ publishedVersion: 1 });
  });

  it('say what uses them, and cannot be deleted before', async () => {
    await done(key.post('/snippets', { name: 'used', emailTemplate: 'u' }));
    const layout = await done(key.post('/layouts', { name: 'Using', emailTemplate: '{{{content}}}{{> used}}' }));
    const { templateId } = await done(create({ emailTemplate: 'x' }));
    await done(key.patch(`/templates/${templateId}`, { layoutId: layout.id, draft: true }));
    const { uses, usedBy } = await done(key.get('/snippets/used'));
    expect(uses).to.equal(2);
    expect(usedBy).to.have.deep.members([
      { kind: 'template', id: templateId, name: 'T' },
      { kind: 'layout', id: layout.id, name: 'Using' },
    ]);
    const refused = await key.delete(`/layouts/${layout.id}`);
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      409,
      'The layout is used by template "T"; take it out there first.',
    ]);
    await done(key.patch(`/templates/${templateId}`, { layoutId: null, draft: true }));
    expect((await key.delete(`/layouts/${layout.id}`)).status).to.equal(200);
    expect((await key.delete('/snippets/used')).status).to.equal(200);
    expect((await key.get('/snippets/used')).body.error.code).to.equal('SNIPPET_NOT_FOUND');
    expect((await key.get(`/layouts/${layout.id}`)).body.error.code).to.equal('LAYOUT_NOT_FOUND');
  });

  it('are no templates, and snippets have one name each', async () => {
    const { templates, pagination } = await done(key.get('/templates?limit=100'));
    expect(pagination.total).to.equal(templates.length);
    expect(templates.every(({ templateId }: { templateId: string }) => templateId.startsWith('A-'))).to.equal(true);
    const stored = await environment.deps.db.templates.findOne({ templateId: layoutId });
    for (const id of [layoutId, stored?._id.toHexString(), 'S-footer'])
      for (const reply of [
        key.get(`/templates/${id}`),
        key.patch(`/templates/${id}`, { subject: 'x' }),
        key.delete(`/templates/${id}`),
        key.post('/campaigns', { name: 'C', subject: 'S', templateId: id }),
      ])
        expect((await reply).body.error.code).to.equal('TEMPLATE_NOT_FOUND');
    const { status, body } = await key.post('/snippets', { name: 'footer', emailTemplate: 'x' });
    expect([status, body.error.code, body.error.details]).to.deep.equal([409, 'ALREADY_EXISTS', 'name: is taken']);
    expect((await done(key.get('/layouts?search=new'))).layouts.map(({ id }: { id: string }) => id)).to.deep.equal([
      layoutId,
    ]);
    expect((await done(key.get('/snippets?limit=1'))).pagination.total).to.be.above(3);
  });

  it('are part of the mails of campaigns', async () => {
    const { templateId } = await done(create({ emailTemplate: '<p>Hi</p>', layoutId }));
    const campaign = { name: 'C', subject: 'S', templateId, htmlTemplate: '<p>News {{> address}}</p>' };
    await done(key.post('/campaigns', campaign));
    expect(await done(key.get(`/templates/${templateId}`))).to.include({
      emailTemplate: campaign.htmlTemplate,
      layoutId,
    });
    expect(await html(templateId)).to.contain('<h1>Bakery</h1><p>News <i>Market 1</i></p>');
    expect(await fault(key.post('/campaigns', { ...campaign, htmlTemplate: '\n{{> nothing}}' }))).to.equal(
      'htmlTemplate: line 2, column 1: there is no published snippet "nothing"',
    );
  });
});
