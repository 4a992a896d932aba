import { expect } from 'chai';
import { segmentOf } from '../contacts/support.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

const randomId = '0123456789abcdef01234567';
const TEMPLATE = { templateName: 'Confirm', emailTemplate: '<p><a href="{{confirmUrl}}">Confirm</a></p>' };

describe('Forms', function () {
  this.timeout(60_000);
  const environment = useEnvironment();
  let own: Tenant;
  let listId: string;
  before(async () => {
    own = environment.own;
    listId = await newList();
  });

  const newList = async (name = 'News') => (await own.client.post('/contact-lists', { name })).body.data.id as string;
  const create = (more: object = {}) => own.client.post('/forms', { name: 'Newsletter', listIds: [listId], ...more });

  it('are created with 201 and their defaults, listed with the newest first, changed and deleted', async () => {
    const created = await create();
    expect(created.status).to.equal(201);
    const { id, url, embed, createdAt, updatedAt, ...rest } = created.body.data;
    const texts = { title: null, intro: null, button: null, consent: null, submitted: null, confirmed: null };
    expect(rest).to.deep.equal({
      name: 'Newsletter',
      listIds: [listId],
      fields: [],
      doubleOptIn: true,
      texts: { ...texts, mailSubject: null, mailText: null, mailButton: null },
      redirectTo: { submitted: null, confirmed: null },
      allowedOrigins: [],
      confirmationTemplateId: null,
      unsubscribeGroupIds: [],
      isActive: true,
    });
    expect(url).to.equal(`${environment.url}/f/${id}`);
    expect(updatedAt).to.equal(createdAt);
    expect(embed.iframe).to.contain(`src="${url}"`);
    expect(embed.html)
      .to.contain(`action="${url}?lang=en"`)
      .and.to.contain('I agree that Own project sends me emails.');
    const newer = (await create({ name: 'Newer' })).body.data;
    const listed = (await own.client.get('/forms?limit=1')).body.data;
    expect(listed.forms).to.deep.equal([newer]);
    expect(listed.pagination).to.include({ total: 2 });
    const fields = [{ name: 'firstName', label: 'First name', type: 'text' }];
    const changed = await own.client.patch(`/forms/${id}`, { fields, doubleOptIn: false, texts: { title: 'Hello' } });
    expect(changed.body.data).to.include({ id, name: 'Newsletter', doubleOptIn: false });
    expect(changed.body.data.fields).to.deep.equal([{ ...fields[0], options: null, required: false, default: null }]);
    expect(changed.body.data.texts).to.include({ title: 'Hello', intro: null });
    expect((await own.client.get(`/forms/${id}`)).body.data).to.deep.equal(changed.body.data);
    expect((await own.client.delete(`/forms/${id}`)).body).to.deep.equal({ success: true });
    for (const gone of [await own.client.get(`/forms/${id}`), await own.client.delete(`/forms/${id}`)])
      expect([gone.status, gone.body.error.code]).to.deep.equal([404, 'FORM_NOT_FOUND']);
    await own.client.delete(`/forms/${newer.id}`);
  });

  it('show in their snippet the fields and texts, escaped', async () => {
    const label = 'Your <b> "name"';
    const fields = [
      { name: 'firstName', label, type: 'text', required: true },
      { name: 'plan', label: 'Plan', type: 'select', options: ['A&B', 'C'], default: 'C' },
    ];
    const { embed } = (await create({ fields, texts: { button: 'Go <>' } })).body.data;
    expect(embed.html).to.contain('Your &lt;b&gt; &quot;name&quot;').and.to.contain('name="firstName"');
    expect(embed.html)
      .to.contain('<option value="C" selected>')
      .and.to.contain('A&amp;B')
      .and.to.contain('Go &lt;&gt;');
    expect(embed.html).to.not.contain('<b>');
  });

  const field = { name: 'size', label: 'Size', type: 'number' };
  const refused: Array<[string, object, string]> = [
    ['no list', { listIds: [] }, 'listIds'],
    ['the global list', { listIds: ['GLOBAL_CONTACT_LIST'] }, 'listIds'],
    ['a field twice', { fields: [field, field] }, 'fields/1/name'],
    ['a field for the address', { fields: [{ ...field, name: 'email' }] }, 'fields/0/name'],
    ['a field for the userId', { fields: [{ ...field, name: 'userId', type: 'text' }] }, 'fields/0/name'],
    ['a name that is no property', { fields: [{ ...field, name: 'a-b' }] }, 'fields/0/name'],
    ['a number for a field of the contact', { fields: [{ ...field, name: 'mobile' }] }, 'fields/0/type'],
    ['a select without options', { fields: [{ ...field, type: 'select' }] }, 'fields/0/options'],
    ['options of a text', { fields: [{ ...field, type: 'text', options: ['a'] }] }, 'fields/0/options'],
    ['a default of another type', { fields: [{ ...field, default: 'x' }] }, 'fields/0/default'],
    [
      'a default that is no option',
      { fields: [{ ...field, type: 'select', options: ['a'], default: 'b' }] },
      'fields/0',
    ],
    ['a default that is no date', { fields: [{ ...field, type: 'date', default: '2026-02-31' }] }, 'fields/0/default'],
    ['a redirect to http', { redirectTo: { submitted: 'http://example.com/' } }, 'redirectTo/submitted'],
    ['a redirect to a script', { redirectTo: { confirmed: 'javascript:alert(1)' } }, 'redirectTo/confirmed'],
    ['a redirect with a host that breaks a header', { redirectTo: { confirmed: 'https://a;b.com/' } }, 'redirectTo'],
    ['an origin with a path', { allowedOrigins: ['https://example.com/'] }, 'allowedOrigins/0'],
    ['an origin over http', { allowedOrigins: ['https://example.com', 'http://example.com'] }, 'allowedOrigins/1'],
    ['an origin that breaks a header', { allowedOrigins: ["https://a.com;script-src'x'"] }, 'allowedOrigins/0'],
    ['every origin', { allowedOrigins: ['*'] }, 'allowedOrigins/0'],
    ['a text that no form has', { texts: { heading: 'x' } }, 'texts'],
  ];
  for (const [what, more, at] of refused)
    it(`are refused with ${what}: 400 at ${at}`, async () => {
      const before = await environment.deps.db.forms.countDocuments({});
      const { status, body } = await create(more);
      expect([status, body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(body.error.details).to.match(new RegExp(`^${at}`));
      expect(await environment.deps.db.forms.countDocuments({})).to.equal(before);
    });

  it('take https origins, and http of this machine', async () => {
    const allowedOrigins = ['https://www.example.com', 'https://example.com:8443', 'http://localhost:3000'];
    expect((await create({ allowedOrigins })).body.data.allowedOrigins).to.deep.equal(allowedOrigins);
  });

  it('name lists, templates and groups of their project: 404 with the field', async () => {
    const theirs = (await environment.other.client.post('/contact-lists', { name: 'Theirs' })).body.data.id;
    const segment = (await own.client.post('/contact-lists', segmentOf('email', 'contains', 'x'))).body.data.id;
    const cases: Array<[object, number, string]> = [
      [{ listIds: [theirs] }, 404, 'listIds: names no contact list of this project'],
      [{ listIds: [randomId] }, 404, 'listIds: names no contact list of this project'],
      [{ listIds: [segment] }, 400, 'listIds: names a segment'],
      [
        { confirmationTemplateId: 'A-00000000000000000000' },
        404,
        'confirmationTemplateId: names no template of this project',
      ],
      [{ unsubscribeGroupIds: ['ABCDEF'] }, 404, 'unsubscribeGroupIds: names no suppression group of this project'],
    ];
    for (const [more, status, details] of cases) {
      const reply = await create(more);
      expect([reply.status, reply.body.error.details]).to.deep.equal([status, details]);
    }
  });

  it('take a template only when it names {{confirmUrl}}', async () => {
    const without = (await own.client.post('/templates', { ...TEMPLATE, emailTemplate: '<p>Hello</p>' })).body.data;
    const bad = await create({ confirmationTemplateId: without.templateId });
    expect([bad.status, bad.body.error.details]).to.deep.equal([
      400,
      'confirmationTemplateId: must name {{confirmUrl}}',
    ]);
    const { templateId } = (await own.client.post('/templates', TEMPLATE)).body.data;
    expect((await create({ confirmationTemplateId: templateId })).body.data.confirmationTemplateId).to.equal(
      templateId,
    );
  });

  it('keep the list, template and group that they name from being deleted: 409 until the form lets go', async () => {
    const list = await newList('Named');
    const { templateId } = (await own.client.post('/templates', TEMPLATE)).body.data;
    const { groupId } = (await own.client.post('/suppression-groups', { name: 'Offers' })).body.data;
    const named = { listIds: [list], confirmationTemplateId: templateId, unsubscribeGroupIds: [groupId] };
    const { id } = (await create(named)).body.data;
    const paths = [`/contact-lists/${list}`, `/templates/${templateId}`, `/suppression-groups/${groupId}`];
    for (const path of paths) {
      const { status, body } = await own.client.delete(path);
      expect([status, body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
      expect(body.error.message).to.contain('the form "Newsletter"');
    }
    await own.client.patch(`/forms/${id}`, { confirmationTemplateId: null });
    expect((await own.client.delete(`/templates/${templateId}`)).status).to.equal(200);
    await own.client.delete(`/forms/${id}`);
    for (const path of [paths[0]!, paths[2]!]) expect((await own.client.delete(path)).status).to.equal(200);
  });
});
