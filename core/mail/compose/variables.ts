import type { ObjectId } from 'mongodb';
import { CONTACT_FIELDS, type ContactField } from '../../../schemas/people/contacts.ts';
import type { Mailbox, PropertyValue, Utm } from '../../base/model.ts';
import { shownTags } from '../../base/text/tags.ts';
import type { Template, Variables } from '../../templates/language/templates.ts';
import type { MailTemplates } from '../../templates/mail.ts';
import type { Content, Message } from '../ledger/model.ts';
import type { MailPages } from './links.ts';

/** The fields of a contact that templates may use. */
export interface TemplateContact extends Record<ContactField, string | null> {
  contactProperties: Record<string, PropertyValue>;
}

const PAGES = Object.keys({ unsubscribe: '', preferencesUrl: '', viewInBrowserUrl: '' } satisfies MailPages);
/** The variables that belong to the mail itself. */
const OF_THE_MAIL: readonly string[] = ['email', 'date', ...PAGES];

/** Links to these are never tracked. */
export function isPageOfMail(name: string): boolean {
  return PAGES.includes(name);
}

export function isOfTheMail(name: string): boolean {
  return OF_THE_MAIL.includes(name);
}

/** Variables that only a contact with this address can fill. */
const OF_CONTACT: string[] = [...CONTACT_FIELDS, 'contactProperties', 'customFields'];

interface MailFacts {
  email: string;
  /** The first attempt, so that every attempt has the same date. */
  at: Date;
  pages: MailPages;
  contact: TemplateContact | null;
}

/** The variables of a template: the recipient's own data win over the call's, and both over the built-in ones. */
export function variablesOf(mail: MailFacts, ...data: Array<Record<string, unknown> | undefined>): Variables {
  return Object.assign({}, builtIn(mail), ...data);
}

/** The campaign that a mail belongs to, as its words may name it. */
export interface NamedCampaign {
  id: string;
  name: string;
  from: { email: string; name: string };
  replyTo: string;
  /** By name. */
  tags: Readonly<Record<string, string>>;
  utm: Utm;
}

interface Frozen {
  _id: ObjectId;
  /** Absent in content that older versions froze. */
  campaign?: string | undefined;
  from: Mailbox;
  replyTo?: Mailbox | null;
  tags?: string[];
  utm?: Utm | null;
}

export function namedCampaign({ _id, campaign: name = '', from, replyTo, tags = [], utm }: Frozen): NamedCampaign {
  return {
    ...{ id: _id.toHexString(), name, from: { email: from.email, name: from.name ?? '' } },
    replyTo: replyTo?.email ?? '',
    tags: Object.fromEntries(shownTags({ tags }).map((tag) => [tag.name, tag.value])),
    utm: utm ?? {},
  };
}

/**
 * The variables of a campaign: properties of the contact by their bare names too. Built-in names win, but for `campaign`, which contacts may
 * have had as a property before.
 */
export function campaignVariables(mail: MailFacts, campaign?: NamedCampaign): Variables {
  return { ...(campaign && { campaign }), ...mail.contact?.contactProperties, ...variablesOf(mail) };
}

function builtIn({ email, at, pages, contact }: MailFacts): Variables {
  return {
    email,
    date: at.toISOString().slice(0, 10),
    ...pages,
    ...Object.fromEntries(CONTACT_FIELDS.map((field) => [field, contact?.[field] ?? ''])),
    contactProperties: contact?.contactProperties ?? {},
    customFields: contact?.contactProperties ?? {},
  };
}

/** Whether the mail shows the link to itself in a browser. */
export function showsView({ subject, previewText, html, text }: MailTemplates): boolean {
  const isView = (path: string) => path === '' || path.split('.', 1)[0] === 'viewInBrowserUrl';
  return [subject, previewText, html, text].some((template) => template?.paths.some(isView));
}

/** Whether the contact has to be read: only when a template names a variable that neither call nor recipient gave. */
export function needsContact(
  templates: Template[],
  content: Pick<Content, 'data'>,
  message: Pick<Message, 'data'>,
): boolean {
  const given = { ...content.data, ...message.data };
  const wanted = OF_CONTACT.filter((name) => !Object.hasOwn(given, name));
  return templates.some(({ paths }) =>
    paths.some((path) => path === '' || wanted.includes(path.split('.', 1)[0] as string)),
  );
}
