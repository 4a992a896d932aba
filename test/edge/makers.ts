import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import type { InboundMessage } from '../../core/inbound/model.ts';
import { png } from '../providers/images.ts';
import type { Environment, Tenant } from '../support/environment.ts';

/** How the neighbour comes by a thing of each kind, by the name that paths give it. A new kind of path adds its line here. */
export const makers: Record<
  string,
  { make(tenant: Tenant, environment: Environment): Promise<string>; random?: string; isListed?: boolean }
> = {
  contactId: {
    make: async ({ client }) => (await client.post('/contacts/email', { email: 'theirs@example.com' })).body.data.id,
  },
  userId: {
    make: async ({ client }) =>
      (await client.post('/contacts/email', { email: 'user@example.com', userId: 'theirs' })).body.data.userId,
    random: 'nobody',
  },
  contactListId: {
    make: async ({ client }) => (await client.post('/contact-lists', { name: 'Theirs' })).body.data.id,
  },
  formId: {
    make: async ({ client }) => {
      const list = await client.post('/contact-lists', { name: 'Of a form' });
      return (await client.post('/forms', { name: 'Theirs', listIds: [list.body.data.id] })).body.data.id;
    },
  },
  customFieldId: {
    make: async ({ client }) => {
      const fieldName = `f${crypto.randomUUID().slice(0, 8)}`;
      return (await client.post('/custom-fields', { fieldName, fieldType: 'string' })).body.data.id;
    },
  },
  groupId: {
    make: async ({ client }) => (await client.post('/suppression-groups', { name: 'Theirs' })).body.data.id,
  },
  importId: {
    make: async ({ client }) => {
      const init = { body: 'email\ntheirs@example.com\n', headers: { 'Content-Type': 'text/csv' } };
      return (await client.send('POST', '/contacts/import', init)).body.data.importId;
    },
  },
  webhookId: {
    make: async ({ client }) =>
      (await client.post('/webhooks', { url: 'https://example.com/hook', events: ['email.sent'] })).body.data.id,
  },
  inboundId: {
    make: async ({ project }, { deps }) => {
      const _id = new ObjectId();
      const from = { email: 'someone@example.net', name: null };
      const none = { to: [], cc: [], bcc: [], replyTo: [], references: [], attachments: [], headers: [] };
      const texts = { messageId: '', domainName: 'theirs.example.net', subject: 'Theirs', text: 'Theirs', html: null };
      const verdicts = { spfVerdict: 'NONE', dkimVerdict: 'NONE', dmarcVerdict: 'NONE', status: 'PROCESSED' };
      const thread = { threadId: _id.toHexString(), inReplyTo: null, receivedAt: deps.clock.now() };
      const ids = { _id, projectId: project._id, dedupe: _id.toHexString() };
      const replied = { inReplyToEmailActivityId: null, inReplyToInboundEmailId: null };
      const message = { ...ids, from, ...none, ...texts, ...verdicts, ...thread, ...replied };
      await deps.db.inboundMessages.insertOne(message as unknown as InboundMessage);
      return _id.toHexString();
    },
  },
  mediaId: {
    make: async ({ client }) => {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(png(2, 2))]));
      return (await client.send('POST', '/v1/media', { body: form })).body.data.id;
    },
  },
  domainId: {
    make: async ({ client }) =>
      (await client.post('/domains', { domainName: `d${crypto.randomUUID()}.example.com` })).body.data.id,
  },
  senderId: {
    make: async ({ client, project }, { deps }) => {
      const domainName = `d${crypto.randomUUID()}.example.com`;
      await seedVerifiedDomain(deps, project, domainName, new ObjectId());
      return (await client.post('/senders', { email: `a@${domainName}` })).body.data.id;
    },
  },
  templateId: {
    make: async ({ client }) =>
      (await client.post('/templates', { templateName: 'Theirs', emailTemplate: '<p>Theirs</p>' })).body.data
        .templateId,
  },
  layoutId: {
    make: async ({ client }) =>
      (await client.post('/layouts', { name: 'Theirs', emailTemplate: '{{{content}}}' })).body.data.id,
    random: 'L-0123456789abcdef0123',
  },
  snippetName: {
    make: async ({ client }) => {
      const name = `s-${crypto.randomUUID().slice(0, 8)}`;
      return (await client.post('/snippets', { name, emailTemplate: 'Theirs' })).body.data.id;
    },
    random: 'nothing',
  },
  republicationId: {
    isListed: false,
    make: async ({ client }) => (await client.post('/templates/republish', { templateIds: ['A-x'] })).body.data.id,
  },
  emailId: {
    make: async ({ client, project }, { deps }) => {
      const domainName = `d${crypto.randomUUID()}.example.com`;
      await seedVerifiedDomain(deps, project, domainName, new ObjectId());
      const mail = { to: { email: 'a@in.test' }, from: { email: `a@${domainName}` }, subject: 'x', text: 'x' };
      return (await client.post('/mails/send', mail)).body.data.emailId;
    },
  },
  campaignId: {
    make: async ({ client }) =>
      (await client.post('/campaigns', { name: 'Theirs', subject: 'Theirs', htmlTemplate: '<p>Theirs</p>' })).body.data
        .id,
  },
  eventId: {
    make: async ({ client }) =>
      (await client.post('/events', { eventName: `e${crypto.randomUUID().slice(0, 8)}` })).body.data.id,
  },
  automationId: {
    make: async ({ client }) =>
      (await client.post('/automations', { name: 'Theirs', steps: automationSteps })).body.data.id,
  },
  migrationId: {
    make: async (tenant, { deps }) => {
      const known = await deps.db.migrations.findOne({ projectId: tenant.project._id });
      if (known) return known._id.toHexString();
      const { body } = await tenant.client.post('/migrations/providerB/migrate', { apiKey: 're_x', migrateAll: true });
      return body.data.bulkOperationId;
    },
  },
};

const automationSteps = [
  { type: 'wait', delay: { value: 1, unit: 'days' } },
  { type: 'email', email: { htmlTemplate: '<p>Theirs</p>', subject: 'Theirs' } },
];
