import type { CustomField } from '../../../client/index.ts';

export type FieldType = CustomField['fieldType'];

export const typeWords: Readonly<Record<FieldType, string>> = {
  string: 'Text',
  number: 'Number',
  date: 'Date',
  boolean: 'true or false',
};

/** How people read a field. */
export function labelOf({ label, fieldName }: Pick<CustomField, 'label' | 'fieldName'>): string {
  return label || fieldName;
}

/** Names that every contact has of its own, as the interface refuses them; a test compares the two lists. */
export const RESERVED: readonly string[] = [
  ...['id', 'email', 'firstName', 'lastName', 'userId', 'mobile', 'contactProperties', 'customFields'],
  ...['listIds', 'segmentIds', 'projectId', 'createdAt', 'updatedAt'],
];

export const FIELD_NAME = /^[A-Za-z0-9_]{1,64}$/;

/** A name of another program as the name of a field here; null when nothing valid remains of it. */
export function fieldNameOf(name: string): string | null {
  const own = name
    .trim()
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .slice(0, 64);
  return /[A-Za-z0-9]/.test(own) ? own : null;
}
