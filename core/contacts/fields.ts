import { CONTACT_FIELDS, type ContactField } from '../../schemas/contacts.ts';

export function contactFields<Value>(read: (field: ContactField) => Value): Record<ContactField, Value> {
  return Object.fromEntries(CONTACT_FIELDS.map((field) => [field, read(field)])) as Record<ContactField, Value>;
}
