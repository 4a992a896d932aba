import type { CustomField } from '../../../client/index.ts';
import { labelOf } from '../contacts/field-names.ts';

/** The filter as a person builds it, and the filterCriteria of the interface. Values stay text until they are sent. */

export interface FieldRow {
  kind: 'field';
  key: number;
  field: string;
  operator: string;
  value: string;
  /** The upper end of `between`. */
  upper: string;
}
export interface BehaviourRow {
  kind: 'behaviour';
  key: number;
  behaviour: string;
  operator: string;
  count: string;
  withinDays: string;
  campaignId: string;
  automationId: string;
  url: string;
  eventName: string;
}
export interface ListRow {
  kind: 'list';
  key: number;
  operator: string;
  listId: string;
}
export interface GroupRow {
  kind: 'group';
  key: number;
  join: 'AND' | 'OR';
  rows: readonly Row[];
}
/** A condition that was written by a program and has no controls here. */
export interface OtherRow {
  kind: 'other';
  key: number;
  entry: unknown;
}
export type Row = FieldRow | BehaviourRow | ListRow | GroupRow | OtherRow;

export type FieldType = CustomField['fieldType'];
export interface KnownField {
  path: string;
  label: string;
  type: FieldType;
}

export const ownFields: readonly KnownField[] = [
  { path: 'email', label: 'Address', type: 'string' },
  { path: 'firstName', label: 'First name', type: 'string' },
  { path: 'lastName', label: 'Last name', type: 'string' },
  { path: 'userId', label: 'User id', type: 'string' },
  { path: 'mobile', label: 'Mobile', type: 'string' },
  { path: 'createdAt', label: 'Added', type: 'date' },
  { path: 'updatedAt', label: 'Changed', type: 'date' },
];

export function knownFields(custom: readonly CustomField[]): readonly KnownField[] {
  return [
    ...ownFields,
    ...custom.map((field) => ({
      path: `contactProperties.${field.fieldName}`,
      label: labelOf(field),
      type: field.fieldType,
    })),
  ];
}

const noValue = { value: '', label: '' };
export const operators: Record<FieldType, ReadonlyArray<{ value: string; label: string }>> = {
  string: [
    { value: 'equals', label: 'is' },
    { value: 'not_equals', label: 'is not' },
    { value: 'contains', label: 'contains' },
    { value: 'not_contains', label: 'does not contain' },
    { value: 'starts_with', label: 'begins with' },
    { value: 'ends_with', label: 'ends with' },
    { value: 'is_empty', label: 'is empty' },
    { value: 'is_not_empty', label: 'is set' },
  ],
  number: [
    { value: 'equals', label: 'is' },
    { value: 'not_equals', label: 'is not' },
    { value: 'greater_than', label: 'is more than' },
    { value: 'less_than', label: 'is less than' },
    { value: 'between', label: 'is between' },
  ],
  boolean: [
    { value: 'equals', label: 'is' },
    { value: 'not_equals', label: 'is not' },
  ],
  date: [
    { value: 'in_last_days', label: 'is in the last days' },
    { value: 'not_in_last_days', label: 'is not in the last days' },
    { value: 'before', label: 'is before' },
    { value: 'after', label: 'is after' },
    { value: 'between', label: 'is between' },
    { value: 'equals', label: 'is' },
    { value: 'not_equals', label: 'is not' },
    { value: 'is_empty', label: 'is empty' },
    { value: 'is_not_empty', label: 'is set' },
  ],
};

export const behaviours = [
  { value: 'opened', label: 'Opened a mail' },
  { value: 'humanOpened', label: 'Opened a mail, machines left out' },
  { value: 'clicked', label: 'Clicked a link' },
  { value: 'received', label: 'Received a mail' },
  { value: 'event', label: 'Sent an event' },
] as const;

export const memberships = [
  { value: 'in_list', label: 'is in the list' },
  { value: 'not_in_list', label: 'is not in the list' },
] as const;

export function needsValue(operator: string): boolean {
  return operator !== 'is_empty' && operator !== 'is_not_empty';
}

/** Rows that were kept in this browser come back with their keys: those of each visit are new. */
let lastKey = Date.now();
export function nextKey(): number {
  lastKey += 1;
  return lastKey;
}

export function newFieldRow({ path, type }: KnownField): FieldRow {
  const operator = (operators[type][0] ?? noValue).value;
  return { kind: 'field', key: nextKey(), field: path, operator, value: type === 'boolean' ? 'true' : '', upper: '' };
}

export function newBehaviourRow(behaviour: string): BehaviourRow {
  return {
    ...{ kind: 'behaviour', key: nextKey(), behaviour, operator: 'at_least', count: '1', withinDays: '30' },
    ...{ campaignId: '', automationId: '', url: '', eventName: '' },
  };
}

export function newListRow(): ListRow {
  return { kind: 'list', key: nextKey(), operator: 'in_list', listId: '' };
}

export function newGroup(rows: readonly Row[] = [], join: GroupRow['join'] = 'AND'): GroupRow {
  return { kind: 'group', key: nextKey(), join, rows };
}

/** The lists of a person, among the fields of the interface. */
const LISTS = 'listIds';

type Entry = Record<string, unknown>;

/** As the interface takes it. */
export function toCriteria(
  group: GroupRow,
  fields: readonly KnownField[],
): { logicalOperator: string; groups: unknown[] } {
  return { logicalOperator: group.join, groups: group.rows.map((row) => toEntry(row, fields)) };
}

function toEntry(row: Row, fields: readonly KnownField[]): unknown {
  if (row.kind === 'group') return toCriteria(row, fields);
  if (row.kind === 'other') return row.entry;
  if (row.kind === 'behaviour') return behaviourEntry(row);
  if (row.kind === 'list') return { field: LISTS, operator: row.operator, value: row.listId };
  const { field, operator, value, upper } = row;
  const type = fields.find(({ path }) => path === field)?.type ?? 'string';
  const entry: Entry = { field, operator, fieldType: type };
  if (!needsValue(operator)) return entry;
  if (operator === 'in_last_days' || operator === 'not_in_last_days') return { ...entry, value: numberOf(value) };
  const read = (text: string) => (type === 'number' ? numberOf(text) : type === 'boolean' ? text === 'true' : text);
  return { ...entry, value: operator === 'between' ? [read(value), read(upper)] : read(value) };
}

function behaviourEntry(row: BehaviourRow): Entry {
  const { behaviour, operator, count, withinDays, campaignId, automationId, url, eventName } = row;
  return {
    behaviour,
    operator,
    ...(operator === 'at_least' && count !== '' && { count: numberOf(count) }),
    ...(withinDays !== '' && { withinDays: numberOf(withinDays) }),
    ...(campaignId && behaviour !== 'event' && { campaignId }),
    ...(automationId && behaviour !== 'event' && { automationId }),
    ...(url && behaviour === 'clicked' && { url }),
    ...(eventName && behaviour === 'event' && { eventName }),
  };
}

/** A text that is no number is sent as it was typed: the refusal says why. */
function numberOf(text: string): number | string {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** From what is stored. */
export function fromCriteria(criteria: unknown, fields: readonly KnownField[]): GroupRow {
  const { logicalOperator, groups } = (criteria ?? {}) as { logicalOperator?: string; groups?: Entry[] };
  return newGroup(
    (groups ?? []).map((entry) => fromEntry(entry, fields)),
    logicalOperator === 'OR' ? 'OR' : 'AND',
  );
}

const behaviourFields = new Set([
  ...['id', 'behaviour', 'operator', 'count', 'withinDays', 'campaignId', 'automationId', 'url', 'eventName'],
]);

function fromEntry(entry: Entry, fields: readonly KnownField[]): Row {
  const key = nextKey();
  if ('groups' in entry) return { ...fromCriteria(entry, fields), key };
  if ('behaviour' in entry) {
    if (!Object.keys(entry).every((name) => behaviourFields.has(name))) return { kind: 'other', key, entry };
    const text = (name: string) => String(entry[name] ?? '');
    return {
      ...{ kind: 'behaviour', key, behaviour: text('behaviour'), operator: text('operator') },
      ...{ count: text('count') || '1', withinDays: text('withinDays'), campaignId: text('campaignId') },
      ...{ automationId: text('automationId'), url: text('url'), eventName: text('eventName') },
    };
  }
  if (entry.field === LISTS)
    return { kind: 'list', key, operator: String(entry.operator), listId: String(entry.value) };
  const field = String(entry.field).replace(/^customFields\./, 'contactProperties.');
  const known = fields.find(({ path }) => path === field);
  if (!known || (entry.fieldType && entry.fieldType !== known.type) || hasTimeOfDay(entry.value))
    return { kind: 'other', key, entry };
  const [low, high] = Array.isArray(entry.value) ? entry.value : [entry.value, ''];
  const shown = (value: unknown) => (known.type === 'date' ? String(value ?? '').slice(0, 10) : String(value ?? ''));
  const isDays = String(entry.operator).endsWith('in_last_days');
  return {
    ...{ kind: 'field', key, field, operator: String(entry.operator) },
    ...{ value: isDays ? String(low) : shown(low), upper: shown(high) },
  };
}

/** A moment, which the fields for dates would cut to its day. */
function hasTimeOfDay(value: unknown): boolean {
  return [value].flat().some((one) => typeof one === 'string' && /T(?!00:00:00(?:\.000)?Z$)\d\d:/.test(one));
}

/** The rows of all levels in the order in which they are numbered, without groups. */
export function leavesOf({ rows }: GroupRow): Array<Exclude<Row, GroupRow>> {
  return rows.flatMap((row) => (row.kind === 'group' ? leavesOf(row) : [row]));
}

/** Whether every row has what it needs; an unfinished filter is not asked about. */
export function isComplete(group: GroupRow): boolean {
  return group.rows.length > 0 && group.rows.every(isRowComplete);
}

export function isRowComplete(row: Row): boolean {
  if (row.kind === 'group') return isComplete(row);
  if (row.kind === 'other') return true;
  if (row.kind === 'list') return row.listId !== '';
  if (row.kind === 'behaviour') return row.behaviour !== 'event' || row.eventName !== '';
  return !needsValue(row.operator) || (row.value !== '' && (row.operator !== 'between' || row.upper !== ''));
}

/** The refusals of the interface by row: 'filterCriteria/groups/1/groups/0/value: must be a number'. */
export function problemsOf(details: string | null, group: GroupRow): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const line of details?.split('; ') ?? []) {
    const [, path, text] = /^filterCriteria((?:\/groups\/\d+)+)[^:]*: (.+)$/.exec(line) ?? [];
    if (!path || !text) continue;
    let rows = group.rows;
    let row: Row | undefined;
    for (const index of path.matchAll(/\d+/g)) {
      row = rows[Number(index[0])];
      rows = row?.kind === 'group' ? row.rows : [];
    }
    if (row && !found.has(row.key)) found.set(row.key, text);
  }
  return found;
}
