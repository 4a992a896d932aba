import { expect } from 'chai';
import { Binary, ObjectId } from 'mongodb';
import { createLink } from '../../core/accounts/sign-in/links.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { unsubscribeUrl } from '../../core/mail/compose/links.ts';
import { makers } from '../edge/makers.ts';
import { refOf, sentMessage } from '../feedback/support.ts';
import type { Environment } from '../support/environment.ts';

/** A page that shows something of a tenant or a stranger, and which of its parts. */
export interface Shown {
  field: string;
  /** The address of the page that shows this text. */
  show(text: string): Promise<string>;
  /** The text is HTML, which stays as it is: the policy alone keeps it from running. */
  isHtml?: true;
}

/** Without line ends and controls, which such a field refuses. */
function lineOf(text: string): string {
  return text.replace(/\p{Cc}/gu, '').trim();
}

/** The fields of tenants and strangers that an answer of ours shows as HTML. */
export function shownFields(environment: Environment): Shown[] {
  const preview = async (body: object): Promise<string> => {
    const { status, body: answer, text } = await environment.own.client.post('/templates/preview', body);
    expect(status, text).to.equal(200);
    return answer.data.previewUrl;
  };
  const inbound = async (fields: object): Promise<string> => {
    const id = await makers.inboundId!.make(environment.own, environment);
    const { inboundMessages } = environment.deps.db;
    await inboundMessages.updateOne(
      { _id: new ObjectId(id), projectId: environment.own.project._id },
      { $set: fields },
    );
    return (await environment.own.client.get(`/inbound/messages/${id}/preview?pictures=true`)).body.data.previewUrl;
  };
  const unsubscribe = (groupId: string | null, email = 'ada@example.org') =>
    unsubscribeUrl(
      environment.deps.config,
      { projectId: environment.own.project._id, messageId: new ObjectId() },
      { groupId, email },
    );
  let domain: Promise<unknown> | undefined;
  const submitted = async (mime: string): Promise<string> => {
    const { client, project } = environment.own;
    const projectId = project._id;
    domain ??= seedVerifiedDomain(environment.deps, project, 'shown.example.com', new ObjectId());
    await domain;
    const mail = { to: { email: 'a@in.test' }, from: { email: 'a@shown.example.com' }, subject: 'x', text: 'x' };
    const id = (await client.post('/mails/send', mail)).body.data.emailId as string;
    const of = { _id: new ObjectId(id), projectId };
    const message = await environment.deps.db.messages.findOneAndUpdate(of, {
      $set: {
        'content.raw': { eightBit: false },
        'content.attachments': [
          {
            ...{ fileName: 'message.eml', contentType: 'message/rfc822', contentId: null, description: null },
            ...{ sizeBytes: mime.length, bytes: new Binary(Buffer.from(mime)), fileId: null, fileUrl: null },
          },
        ],
      },
    });
    expect(message?.content, 'a content of its own').to.not.equal(undefined);
    return (await client.get(`/emails/${id}/content`)).body.data.previewUrl;
  };
  const form = async (body: object): Promise<string> => {
    const { status, body: answer, text } = await environment.own.client.post('/forms/preview', body);
    expect(status, text).to.equal(200);
    return answer.data.previewUrl;
  };
  let count = 0;
  let choices: ReturnType<typeof makeChoices> | undefined;
  /** A project has few public lists and groups, so one of each shows all texts. */
  const makeChoices = async (email: string): Promise<{ listId: string; groupId: string }> => {
    const make = async (path: string, body: object) => (await environment.own.client.post(path, body)).body.data;
    const { id: listId } = await make('/contact-lists', { name: 'x', isPublic: true });
    const { groupId } = await make('/suppression-groups', { name: 'x', isPublic: true });
    await make('/contacts/email', { email, listIds: [listId] });
    return { listId, groupId };
  };

  return [
    {
      field: 'the name of a project on the unsubscribe page',
      async show(name) {
        await environment.deps.db.projects.updateOne({ _id: environment.own.project._id }, { $set: { name } });
        return unsubscribe(null);
      },
    },
    {
      field: 'the name of a suppression group on the unsubscribe page',
      async show(name) {
        const { groupId } = (await environment.own.client.post('/suppression-groups', { name: `Group${++count}` })).body
          .data;
        await environment.deps.db.suppressionGroups.updateOne(
          { projectId: environment.own.project._id, groupId },
          { $set: { name } },
        );
        return unsubscribe(groupId);
      },
    },
    {
      field: 'lists, groups and a subject on the preference page',
      async show(text) {
        const { deps, own } = environment;
        const projectId = own.project._id;
        const email = 'chooses@example.org';
        choices ??= makeChoices(email);
        const { listId, groupId } = await choices;
        const shown = { $set: { name: text, description: text } };
        await deps.db.contactLists.updateOne({ _id: new ObjectId(listId), projectId }, shown);
        await deps.db.suppressionGroups.updateOne({ projectId, groupId }, shown);
        const message = await sentMessage(environment, own, { email, subject: text });
        return unsubscribeUrl(deps.config, refOf(message), { groupId: null, email }).replace('/u/', '/p/');
      },
    },
    {
      field: 'an address on the page to sign in',
      show: (text) => createLink(environment.deps, `${text}@example.org`),
    },
    { field: 'an address on the unsubscribe page', show: async (text) => unsubscribe(null, `${text}@${text}`) },
    {
      field: 'a value in the text of a mail',
      show: (a) => preview({ emailTemplate: '<p>{{a}}</p>', dynamicData: { a } }),
    },
    {
      field: 'a value in an attribute',
      show: (a) => preview({ emailTemplate: '<p title="{{a}}" class=\'{{a}}\' lang={{a}}>x</p>', dynamicData: { a } }),
    },
    {
      field: 'a value as an address',
      show: (a) =>
        preview({ emailTemplate: '<a href="{{a}}">x</a><img src=\'{{a}}\'><a href={{{a}}}>x</a>', dynamicData: { a } }),
    },
    {
      field: 'the preview text of a mail',
      show: (a) => preview({ emailTemplate: '<p>x</p>', previewText: '{{a}}', dynamicData: { a } }),
    },
    {
      field: 'a field of a contact',
      async show(text) {
        const email = `p${++count}@example.org`;
        await environment.own.client.post('/contacts', {
          email,
          firstName: text.replace(/\p{Cc}/gu, ''),
          contactProperties: { plan: text },
        });
        return preview({ emailTemplate: '<p>{{firstName}} {{contactProperties.plan}}</p>', email });
      },
    },
    { field: 'the heading of a form', show: (text) => form({ texts: { title: lineOf(text) } }) },
    { field: 'the sentence of a form', show: (text) => form({ texts: { consent: text } }) },
    { field: 'the sentence of a confirmation', show: (text) => form({ texts: { consent: text }, page: 'confirm' }) },
    { field: 'the page after a form', show: (text) => form({ texts: { submitted: text }, page: 'submitted' }) },
    {
      field: 'a choice and the label of a field of a form',
      show: (text) =>
        form({
          fields: [{ name: 'a', label: lineOf(text), type: 'select', options: [lineOf(text)], default: lineOf(text) }],
        }),
    },
    {
      field: 'the first value of a field of a form',
      show: (text) => form({ fields: [{ name: 'a', label: 'A', type: 'text', default: text }] }),
    },
    { field: 'the text of a mail that came in', show: (text) => inbound({ html: null, text }) },
    { field: 'the HTML of a mail that came in', show: (html) => inbound({ html }), isHtml: true },
    {
      field: 'the text of a mail by SMTP',
      show: (text) => submitted(`Content-Type: text/plain; charset=utf-8\r\n\r\n${text}`),
    },
    {
      field: 'the HTML of a mail by SMTP',
      show: (html) => submitted(`Content-Type: text/html; charset=utf-8\r\n\r\n${html}`),
      isHtml: true,
    },
    { field: 'the HTML of a template', show: (emailTemplate) => preview({ emailTemplate }), isHtml: true },
    {
      field: 'HTML in a variable',
      show: (a) => preview({ emailTemplate: '<p>{{{a}}}</p>', dynamicData: { a } }),
      isHtml: true,
    },
  ];
}
