import { CONTACT_FIELDS, type ContactField } from '../../schemas/contacts.ts';
import type { PropertyValue } from '../base/model.ts';
import type { Content, Message } from '../outbox/model.ts';
import type { Template, Variables } from '../templates/language/templates.ts';

/** The fields of a contact that templates may use. */
export interface TemplateContact extends Record<ContactField, string | null> {
  contactProperties: Record<string, PropertyValue>;
}

/** Variables that only a contact with this address can fill. */
const OF_CONTACT: string[] = [...CONTACT_FIELDS, 'contactProperties', 'customFields'];

/** The variables of a template: the recipient's own data win over the call's, and both over the built-in ones. */
export function variablesOf(
  mail: { email: string; at: Date; unsubscribeUrl: string; contact: TemplateContact | null },
  ...data: Array<Record<string, unknown> | undefined>
): Variables {
  return Object.assign({}, builtIn(mail), ...data);
}

/** `at` is the first attempt, so that every attempt has the same date. */
function builtIn({
  email,
  at,
  unsubscribeUrl,
  contact,
}: {
  email: string;
  at: Date;
  unsubscribeUrl: string;
  contact: TemplateContact | null;
}): Variables {
  return {
    email,
    date: at.toISOString().slice(0, 10),
    unsubscribe: unsubscribeUrl,
    ...Object.fromEntries(CONTACT_FIELDS.map((field) => [field, contact?.[field] ?? ''])),
    contactProperties: contact?.contactProperties ?? {},
    customFields: contact?.contactProperties ?? {},
  };
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
