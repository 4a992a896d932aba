import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { pathParameters } from '../../../api/http/endpoint.ts';
import { endpointTable } from '../../../api/http/table.ts';
import { stepMail } from '../../../core/automations/mails.ts';
import type { AutomationDefinition } from '../../../core/automations/model/definition.ts';
import type { Enrollment } from '../../../core/automations/model/enrollment.ts';
import { contentNow } from '../../../core/campaigns/definition/content.ts';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { confirmationMail } from '../../../core/forms/confirmation-mail.ts';
import { openedContent } from '../../../core/mail/messages/sealed-content.ts';
import { publishedTemplate } from '../../../core/templates/find.ts';
import { createMetrics } from '../../../platform/metrics.ts';
import { isInRole, type OperationName, operationNames, operations } from '../../../schemas/operations.ts';
import { wait } from '../../automations/support.ts';
import { png } from '../../providers/images.ts';
import { type Client, done, type Reply } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';
import { ask } from '../ask.ts';
import { type SignedIn, signIn } from '../signed-in.ts';

const SENDER = 'news@effects.example.com';
const HTML = '<p>Published <a href="{{confirmUrl}}">here</a></p>';
const BAD = '<p>By the author <a href="{{confirmUrl}}">here</a></p>';
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

/** They go out, or wait for their time, when the author begins. */
interface Live {
  templateId: string;
  /** The internal id of the same template. */
  id: string;
  campaignId: string;
  automationId: string;
  pausedId: string;
  formId: string;
  layoutId: string;
}

type Try = (client: Client, live: Live) => Promise<Reply>;

describe('Mail that goes out', () => {
  const environment = useEnvironment();
  let author: SignedIn;
  let editor: SignedIn;
  let live: Live;
  const step = (templateId: string) => ({ type: 'email', email: { templateId, senderEmail: SENDER } });
  const automation = (templateId: string) => ({
    name: 'Welcome',
    entryCriteria: { type: 'contact_created' },
    steps: [wait(1), step(templateId)],
  });
  const inline = { type: 'email', email: { htmlTemplate: BAD, subject: 'Bad', senderEmail: SENDER } };
  const campaign = { name: 'News', subject: 'News', from: { email: SENDER }, sendToGlobalList: true };
  const draftOf = (client: Client, templateId: string) =>
    done(client.post('/campaigns', { ...campaign, templateId, publish: false })).then(({ id }) => id as string);

  before(async () => {
    const { deps, own } = environment;
    await seedVerifiedDomain(deps, own.project, 'effects.example.com', new ObjectId());
    author = await signIn(environment, own, 'author');
    editor = await signIn(environment, own, 'editor');
    const { client } = own;
    await done(client.post('/snippets', { name: 'footer', emailTemplate: '<p>Published</p>' }));
    const layout = { name: 'L', emailTemplate: '<h1>Published</h1>{{{content}}}{{> footer}}' };
    const { id: layoutId } = await done(client.post('/layouts', layout));
    const { id, templateId } = await done(
      client.post('/templates', { templateName: 'T', subject: 'Published', emailTemplate: HTML, layoutId }),
    );
    const scheduled = { ...campaign, templateId, publish: true, scheduledAt: tomorrow() };
    const { id: campaignId } = await done(client.post('/campaigns', scheduled));
    const { id: automationId } = await done(client.post('/automations', { ...automation(templateId), active: true }));
    await client.post(`/automations/${automationId}/pause`);
    await done(client.patch(`/automations/${automationId}`, { name: 'Second version' }));
    await done(client.post(`/automations/${automationId}/resume`));
    const { id: pausedId } = await done(client.post('/automations', { ...automation(templateId), active: true }));
    await client.post(`/automations/${pausedId}/pause`);
    const { id: listId } = await done(client.post('/contact-lists', { name: 'Readers' }));
    const form = { name: 'Form', listIds: [listId], confirmationTemplateId: templateId };
    const { id: formId } = await done(client.post('/forms', form));
    await done(client.post('/contacts', { email: 'reader@in.test' }));
    live = { templateId, id, campaignId, automationId, pausedId, formId, layoutId };
  });

  /** The mail that people would get now, whatever makes it leave, and all that decides on it. Tests go to members, and are left out. */
  async function leaving() {
    const { deps, own } = environment;
    const { db } = deps;
    const projectId = own.project._id;
    const all = { projectId };
    const [campaigns, automations, definitions, forms, contact] = await Promise.all([
      db.campaigns.find({ projectId, status: { $ne: 'draft' } }).toArray(),
      db.automations.find({ projectId, status: { $ne: 'draft' } }).toArray(),
      db.automationDefinitions.find({ ...all, isDraft: { $exists: false } }).toArray(),
      db.forms.find(all).toArray(),
      db.contacts.findOne({ projectId, email: 'reader@in.test' }),
    ]);
    const contents = await Promise.all(campaigns.map((one) => contentNow(deps, one, publishedTemplate)));
    const mails = await Promise.all(
      [...automations, ...definitions].flatMap((definition) =>
        definition.steps.flatMap((one) => (one.type === 'email' ? [mailOf(definition, one.stepId, one.email)] : [])),
      ),
    );
    const confirmations = await Promise.all(forms.map(confirmationOf));
    const published = await db.templates
      .find({ projectId, publishedVersion: { $ne: 0 } })
      .sort({ _id: 1 })
      .toArray();
    return {
      ...{ campaigns, definitions, forms, mails, confirmations },
      automations: automations.map(({ draft: _, draftRevision: __, ...runs }) => runs),
      contents: contents.map(({ frozenAt: _, ...content }) => content),
      published: published.map(({ references: _, draftVersion: __, newestVersion: ___, ...shown }) => shown),
      counts: await Promise.all([
        db.messages.countDocuments({ projectId, subject: { $not: /^\[Test\]/ } }),
        db.enrollments.countDocuments(all),
        db.triggers.countDocuments(all),
        db.formSubmissions.countDocuments(all),
        db.contactLists.countDocuments({ projectId, isPublic: true }),
        db.projectEvents.countDocuments({ projectId, type: 'template.published' }),
      ]),
    };

    async function mailOf(definition: AutomationDefinition, stepId: string, email: object) {
      const enrollment = { _id: new ObjectId(), projectId, automationId: new ObjectId(), revision: 1 };
      const visit = { enrollment: enrollment as Enrollment, definition, contact: contact!, stepId, email };
      const made = await stepMail(deps, { ...visit, at: new Date(0) });
      if ('problem' in made) return made;
      const { from, replyTo, templateId, subject, previewText, html } = made.content;
      return { from, replyTo, templateId, subject, previewText, html };
    }

    async function confirmationOf(form: (typeof forms)[number]) {
      const submission = { _id: form._id, email: 'reader@in.test' };
      const pending = { _id: form._id, language: 'en' };
      const asked = { project: own.project, form, pending, submission } as unknown as Parameters<
        typeof confirmationMail
      >[1];
      const mail = await confirmationMail(deps, asked);
      const opened = mail && openedContent(deps.config, mail.content);
      return opened && { subject: opened.subject, html: opened.html?.replace(/\/f\/confirm\/[^"]+/, '') };
    }
  }

  const changed = {
    emailTemplate: BAD,
    subject: 'Bad',
    previewText: 'Bad',
    templateType: 'marketing',
    utm: { source: 'bad' },
  };
  const both = (path: (id: string) => string, send: (client: Client, path: string) => Promise<Reply>): Try[] => [
    (client, { templateId }) => send(client, path(templateId)),
    (client, { id }) => send(client, path(id)),
  ];
  const upload = (
    client: Client,
    path: string,
    type: string,
    body: Blob,
    name: string,
    more: Record<string, string> = {},
  ) => {
    const form = new FormData();
    form.set('file', new Blob([body], { type }), name);
    for (const [field, value] of Object.entries(more)) form.set(field, value);
    return client.send('POST', path, { body: form });
  };
  const csv = new Blob(['email,firstName\nnew@in.test,New\nreader@in.test,Other\n']);

  /** For each operation that authors may call and viewers may not. Whether a try is refused does not matter here. */
  const tries: Partial<Record<OperationName, Try[]>> = {
    'templates.create': [
      (client) => client.post('/templates', { templateName: 'T', ...changed }),
      (client) => client.post('/templates', { templateName: 'T', ...changed, draft: false }),
    ],
    'templates.update': [
      ...both(
        (id) => `/templates/${id}`,
        (client, path) => client.patch(path, changed),
      ),
      ...both(
        (id) => `/templates/${id}`,
        (client, path) => client.patch(path, { ...changed, draft: false }),
      ),
      ...both(
        (id) => `/templates/${id}`,
        (client, path) => client.patch(path, { ...changed, draft: true }),
      ),
      ...both(
        (id) => `/templates/${id}`,
        (client, path) => client.patch(path, { editorJson: { a: 1 }, trackingOpen: false }),
      ),
    ],
    'templates.restore': both(
      (id) => `/templates/${id}/restore`,
      async (client, path) => {
        await client.patch(path.replace('/restore', ''), { emailTemplate: '<p>Another</p>' });
        return client.post(path, { version: 2 });
      },
    ),
    'layouts.create': [(client) => client.post('/layouts', { name: 'Bad', emailTemplate: '{{{content}}}' })],
    'layouts.update': [
      (client, { layoutId }) => client.patch(`/layouts/${layoutId}`, { emailTemplate: 'Bad {{{content}}}' }),
      (client, { layoutId }) =>
        client.patch(`/layouts/${layoutId}`, { emailTemplate: 'Bad {{{content}}}', draft: false }),
    ],
    'layouts.restore': [(client, { layoutId }) => client.post(`/layouts/${layoutId}/restore`, { version: 1 })],
    'snippets.create': [(client) => client.post('/snippets', { name: 'bad', emailTemplate: 'Bad' })],
    'snippets.update': [
      (client) => client.patch('/snippets/footer', { emailTemplate: 'Bad' }),
      (client) => client.patch('/snippets/footer', { emailTemplate: 'Bad', draft: false }),
    ],
    'snippets.restore': [(client) => client.post('/snippets/footer/restore', { version: 1 })],
    'templates.translate': both(
      (id) => `/templates/${id}/translations/en`,
      (client, path) => client.put(path, { subject: 'BAD', emailTemplate: BAD }),
    ),
    'templates.importTranslations': both(
      (id) => `/templates/${id}/translations.csv`,
      (client, path) => {
        const headers = { 'Content-Type': 'text/csv' };
        return client.send('POST', path, {
          headers,
          body: `block,field,base,fr\n,subject,x,BAD\n,emailTemplate,x,${BAD}\n`,
        });
      },
    ),
    'templates.deleteTranslation': both(
      (id) => `/templates/${id}/translations/fr`,
      async (client, path) => {
        await client.put(path, { subject: 'BAD', emailTemplate: BAD });
        return client.delete(path);
      },
    ),
    'templates.test': both(
      (id) => `/templates/${id}/test`,
      (client, path) => client.post(path, { emails: [author.member.email], from: { email: SENDER }, version: 'draft' }),
    ),
    'campaigns.create': [
      (client, { templateId }) =>
        client.post('/campaigns', { ...campaign, templateId, htmlTemplate: BAD, publish: false }),
      (client, { id }) => client.post('/campaigns', { ...campaign, templateId: id, htmlTemplate: BAD }),
      (client) => client.post('/campaigns', { ...campaign, htmlTemplate: BAD }),
      (client, { templateId }) => client.post('/campaigns', { ...campaign, templateId, sendNow: true }),
      (client, { templateId }) =>
        client.post('/campaigns', { ...campaign, templateId, htmlTemplate: BAD, scheduledAt: tomorrow() }),
    ],
    'campaigns.update': [
      (client, { campaignId }) => client.patch(`/campaigns/${campaignId}`, { subject: 'Bad' }),
      (client, { campaignId }) => client.patch(`/campaigns/${campaignId}`, { htmlTemplate: BAD }),
      (client, { campaignId, templateId }) =>
        client.patch(`/campaigns/${campaignId}`, { templateId, htmlTemplate: BAD }),
      async (client, { templateId }) =>
        client.patch(`/campaigns/${await draftOf(client, templateId)}`, { templateId, htmlTemplate: BAD }),
      async (client, { templateId, id }) =>
        client.patch(`/campaigns/${await draftOf(client, templateId)}`, { templateId: id, htmlTemplate: BAD }),
      async (client, { templateId }) =>
        client.patch(`/campaigns/${await draftOf(client, templateId)}`, { publish: true, sendNow: true }),
    ],
    'campaigns.duplicate': [(client, { campaignId }) => client.post(`/campaigns/${campaignId}/duplicate`)],
    'campaigns.test': [
      (client, { campaignId }) => client.post(`/campaigns/${campaignId}/test`, { emails: [author.member.email] }),
      (client, { campaignId }) => client.post(`/campaigns/${campaignId}/test`, { emails: ['reader@in.test'] }),
    ],
    'automations.create': [
      (client) => client.post('/automations', { ...automation(''), steps: [wait(1), inline] }),
      (client, { id }) => client.post('/automations', { ...automation(id), active: true }),
      (client) => client.post('/automations', { ...automation(''), steps: [wait(1), inline], active: true }),
    ],
    'automations.update': [
      (client, { automationId }) => client.patch(`/automations/${automationId}`, { steps: [wait(1), inline] }),
      (client, { automationId }) =>
        client.patch(`/automations/${automationId}`, { steps: [wait(1), inline], existing: 'move' }),
      (client, { pausedId }) =>
        client.patch(`/automations/${pausedId}`, { steps: [wait(1), inline], existing: 'move' }),
      (client, { pausedId, id }) => client.patch(`/automations/${pausedId}`, { steps: [wait(1), step(id)] }),
      async (client, { id }) => {
        const own = await done(client.post('/automations', automation(id)));
        return client.patch(`/automations/${own.id}`, { steps: [wait(1), inline] });
      },
      (client, { automationId }) =>
        client.patch(`/automations/${automationId}`, { draft: true, steps: [wait(1), inline] }),
      (client, { pausedId }) =>
        client.patch(`/automations/${pausedId}`, { draft: true, name: 'Bad', steps: [wait(1), inline] }),
    ],
    'automations.discardDraft': [
      async (client, { automationId }) => {
        await done(client.patch(`/automations/${automationId}`, { draft: true, steps: [wait(1), inline] }));
        return client.delete(`/automations/${automationId}/draft`);
      },
    ],
    'contacts.bulkUpdate': [
      (client) => client.post('/contacts/bulk-update', { contacts: [{ email: 'new@in.test', firstName: 'New' }] }),
      (client) => client.post('/contacts/bulk-update', { contacts: [{ email: 'new2@in.test' }], runWorkflow: true }),
    ],
    'contacts.import': [
      (client) => upload(client, '/contacts/import', 'text/csv', csv, 'rows.csv'),
      (client) => upload(client, '/contacts/import', 'text/csv', csv, 'rows.csv', { runWorkflow: 'true' }),
    ],
    'contacts.previewImport': [(client) => upload(client, '/contacts/import/preview', 'text/csv', csv, 'rows.csv')],
    'contactLists.create': [
      (client) => client.post('/contact-lists', { name: 'Public', isPublic: true }),
      (client) => client.post('/contact-lists', { name: 'Private' }),
    ],
    'media.upload': [
      (client) => upload(client, '/v1/media', 'image/png', new Blob([new Uint8Array(png(2, 2))]), 'a.png'),
    ],
  };

  it('has tries for every operation that authors may call and viewers may not', () => {
    const own = operationNames.filter((name) => operations[name].role === 'author');
    expect(Object.keys(tries).toSorted()).to.deep.equal(own.toSorted());
  });

  for (const [operation, calls] of Object.entries(tries))
    for (const [index, call] of (calls as Try[]).entries())
      it(`is not changed by an author through ${operation}, try ${index + 1}`, async () => {
        const before = await leaving();
        const { status, text } = await call(author.client, live);
        expect(status, text).to.be.below(500).and.not.oneOf([400, 404]);
        expect(await leaving()).to.deep.equal(before);
      });

  const readable = endpointTable(createMetrics()).filter(
    ({ operation, key }) => key === 'token' && isInRole('viewer', operation),
  );
  for (const endpoint of readable)
    it(`is not changed by an author through ${endpoint.operation}`, async () => {
      const before = await leaving();
      const [name = ''] = pathParameters(endpoint.path);
      const headers = { ...author.headers, 'x-project-id': environment.own.project._id.toHexString() };
      await ask(environment, endpoint, headers, (live as unknown as Record<string, string>)[name]);
      expect(await leaving()).to.deep.equal(before);
    });

  it('is changed by an editor with the same calls', async () => {
    const before = await leaving();
    await done(editor.client.patch(`/templates/${live.id}`, changed));
    const after = await leaving();
    for (const what of ['contents', 'mails', 'confirmations', 'published'] as const) {
      expect(after[what], what).to.not.deep.equal(before[what]);
      expect(JSON.stringify(after[what]), what).to.contain('By the author');
    }
    await done(editor.client.patch(`/templates/${live.id}`, { emailTemplate: HTML, subject: 'Published' }));
  });

  it('is not changed through the internal id that an author named in an automation which an editor activated', async () => {
    const { deps, own } = environment;
    const { id, templateId } = await done(
      author.client.post('/templates', { templateName: 'T', subject: 'T', emailTemplate: HTML }),
    );
    const named = await done(author.client.post('/automations', automation(id)));
    expect((await editor.client.post(`/automations/${named.id}/activate`)).status, 'before it is published').to.equal(
      400,
    );
    await done(editor.client.post(`/templates/${templateId}/publish`, { version: 1 }));
    await done(editor.client.post(`/automations/${named.id}/activate`));
    const before = await leaving();
    expect(JSON.stringify(before.mails)).to.contain(templateId);
    for (const key of [id, templateId]) {
      expect(await done(author.client.patch(`/templates/${key}`, { emailTemplate: BAD }))).to.include({
        ...{ emailTemplate: BAD, publishedVersion: 1, draftVersion: 2 },
      });
      expect(await leaving()).to.deep.equal(before);
      for (const client of [own.client, editor.client]) {
        const removed = await client.delete(`/templates/${key}`);
        expect([removed.status, removed.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
      }
    }
    const stored = await deps.db.automations.findOne({ _id: new ObjectId(named.id), projectId: own.project._id });
    expect(JSON.stringify(stored)).to.contain(templateId).and.not.contain(id);
  });
});
