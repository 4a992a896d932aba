import type { Automation } from '../../../../client/index.ts';

/** The fields of a person who is made up: those that the automation asks for or writes into its mails. Pure. */

export interface Condition {
  field: string;
  operator: string;
  value?: unknown;
  fieldType?: string;
}

export type Value = string | number | boolean;
export type Fields = Record<string, Value | null>;

const OWN = ['firstName', 'lastName', 'email'] as const;
const NAMED = /\b(?:(?:contactProperties|customFields)\.([A-Za-z0-9_]+)|(firstName|lastName)\b)/g;
const FIELDS_MAX = 12;
const FIRST_NAME = 'Ada';

type Definition = Pick<Automation, 'entryCriteria' | 'steps'>;

/** With values by which the person meets the entry criteria, where the criteria name such values. */
export function fieldsOf({ entryCriteria, steps }: Definition): Fields {
  const entry = conditionsIn(entryCriteria.filterCriteria);
  const others = steps.flatMap((step) => [
    ...(step.branches ?? []).flatMap(({ filterCriteria }) => conditionsIn(filterCriteria)),
    ...conditionsIn(step.filterCriteria),
    ...conditionsIn(step.waitEvent?.filterCriteria),
  ]);
  const asked = [...entry, ...others].flatMap(({ field }) => nameIn(field) ?? []);
  const dates = steps.flatMap(({ until }) => nameIn(until?.property ?? '') ?? []);
  const texts = steps.flatMap(({ email }) => [
    ...[email?.subject, email?.previewText, email?.htmlTemplate],
    JSON.stringify(email?.content ?? ''),
  ]);
  const written = [...texts.join('\n').matchAll(NAMED)].map(([, property, own]) => property ?? own ?? '');
  const names = [...new Set([...asked, ...dates, ...written])].slice(0, FIELDS_MAX);
  const fits = new Map(entry.map((condition) => [nameIn(condition.field), fitting(condition) ?? '']));
  return Object.fromEntries(names.map((name) => [name, fits.get(name) ?? (name === 'firstName' ? FIRST_NAME : '')]));
}

/** As the interface takes them; fields without a value are left out. */
export function contactOf(fields: Fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== '' && value !== null);
  const own = given.filter(([name]) => OWN.some((one) => one === name));
  const properties = given.filter(([name]) => !OWN.some((one) => one === name));
  return {
    ...(Object.fromEntries(own.map(([name, value]) => [name, String(value)])) as { firstName?: string }),
    ...(properties.length > 0 && { contactProperties: Object.fromEntries(properties) as Record<string, Value> }),
  };
}

/** Those of all levels. */
export function conditionsIn(criteria: unknown): Condition[] {
  const { groups = [], field } = (criteria ?? {}) as { groups?: unknown[]; field?: unknown };
  if (typeof field === 'string') return [criteria as Condition];
  return groups.flatMap(conditionsIn);
}

/** A value for which the condition holds; undefined: none is known. */
export function fitting({ operator, value }: Condition): Value | undefined {
  if (operator === 'greater_than' && typeof value === 'number') return value + 1;
  if (operator === 'less_than' && typeof value === 'number') return value - 1;
  if (operator === 'between' && Array.isArray(value)) return value[0] as Value;
  const isItself = ['equals', 'contains', 'starts_with', 'ends_with'].includes(operator);
  return isItself && ['string', 'number', 'boolean'].includes(typeof value) ? (value as Value) : undefined;
}

function nameIn(field: string): string | null {
  const property = /^(?:contactProperties|customFields)\.(.+)$/.exec(field)?.[1];
  return property ?? (OWN.some((one) => one === field) ? field : null);
}
