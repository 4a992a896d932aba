import { CONTACT_FIELDS, type ContactField } from '../../schemas/people/contacts.ts';
import type { Contact, FieldChange } from './model.ts';

export function contactFields<Value>(read: (field: ContactField) => Value): Record<ContactField, Value> {
  return Object.fromEntries(CONTACT_FIELDS.map((field) => [field, read(field)])) as Record<ContactField, Value>;
}

/** As JSON in UTF-8. */
export function propertiesBytes(properties: Contact['contactProperties']): number {
  return Buffer.byteLength(JSON.stringify(properties));
}

/** The fields and properties of the contact that changed, by their names in filters. */
export function changedValues(before: Contact, after: Contact): FieldChange[] {
  const own = (['email', ...CONTACT_FIELDS] as const).map((field) => [field, before[field], after[field]] as const);
  const [was, is] = [before.contactProperties, after.contactProperties];
  const names = was === is ? [] : [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const others = names.map((name) => [`contactProperties.${name}`, was[name], is[name]] as const);
  return [...own, ...others].flatMap(([field, from, to]) =>
    from === to ? [] : { field, from: from ?? null, to: to ?? null },
  );
}
