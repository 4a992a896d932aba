import { CONTACT_FIELDS, type ContactField, PROPERTY_NAME } from '../../../schemas/people/contacts.ts';
import { withoutFormulaPrefix } from '../../base/text/csv.ts';
import { plainWord, type StateColumn, type StateField, stateColumn } from './consent/words.ts';

/** The meaning of the cells in a column. */
export type Column =
  | { kind: 'field'; name: 'email' | ContactField }
  | { kind: 'property'; name: string }
  | { kind: 'properties' }
  | { kind: 'listIds' }
  | { kind: 'state'; name: StateField; words: StateColumn['words'] }
  | { kind: 'ignored' };

type ReadCells = { ok: true; row: Record<string, unknown> } | { ok: false; message: string };

const FIELDS: Record<string, Column> = {
  ...Object.fromEntries(
    (['email', ...CONTACT_FIELDS] as const).map((name) => [name.toLowerCase(), { kind: 'field', name } as const]),
  ),
  emailaddress: { kind: 'field', name: 'email' },
  contactproperties: { kind: 'properties' },
  listids: { kind: 'listIds' },
};
/** Columns of our own exports with values that callers cannot set. */
const IGNORED = new Set(['id', 'projectid', 'segmentids', 'customfields', 'createdat', 'updatedat']);
const PROPERTY_PREFIX = /^(contactProperties|customFields)\./;
const PROPERTY_NAME_MAX = 64;
/** So many are read in a few milliseconds; the first line has room for six times as many that are empty. */
export const COLUMNS_MAX = 10_000;
/** Columns that say nothing about consent by themselves: they are properties in a file without the others. */
const ADDITIONS: ReadonlySet<StateField> = new Set(['groups', 'subscribedAt']);

/** Names of built-in fields ignore case, spaces and underscores; every other column is a property. */
export function readColumns(names: readonly string[]): { columns: Column[] } | { problem: string } {
  if (names.length > COLUMNS_MAX)
    return { problem: `The first line names ${names.length} columns; a file may have ${COLUMNS_MAX}.` };
  const hasState = names.some((name) => isAlone(stateColumn(name)?.field));
  const columns = names.map((name) => readColumn(name, hasState));
  const targets = columns.flatMap((column) => ('name' in column ? [`${column.kind} ${column.name}`] : []));
  const seen = new Set<string>();
  const twice = targets.find((target) => seen.size === seen.add(target).size);
  if (twice) return { problem: `Two columns mean the same: ${twice.split(' ')[1]}.` };
  const hasEmail = columns.some((column) => column.kind === 'field' && column.name === 'email');
  if (!hasEmail) return { problem: 'The first line must name the columns, one of them email.' };
  return { columns };
}

/** An empty cell leaves the stored value unchanged. */
export function readCells(columns: readonly Column[], cells: readonly string[]): ReadCells {
  if (cells.length > columns.length) return { ok: false, message: 'has more cells than the first line has columns' };
  const row: Record<string, unknown> = {};
  // A status that is empty is a fault of the row, also when its cell is missing.
  if (columns.some((column) => column.kind === 'state' && column.name === 'status')) row.status = '';
  const properties: Record<string, unknown> = {};
  for (const [index, cell] of cells.entries()) {
    const column = columns[index];
    if (!column || cell === '' || column.kind === 'ignored') continue;
    if (cell.includes('\ufffd')) return { ok: false, message: 'is not valid UTF-8; save the file as UTF-8' };
    const text = withoutFormulaPrefix(cell);
    if (column.kind === 'field') row[column.name] = text;
    else if (column.kind === 'property') properties[column.name] = text;
    else if (column.kind === 'state') row[column.name] = column.words?.get(plainWord(text)) ?? text;
    else if (column.kind === 'listIds') row.listIds = text.split(/[\s,;]+/).filter(Boolean);
    else {
      const parsed = parseObject(text);
      if (!parsed) return { ok: false, message: 'contactProperties: must be a JSON object' };
      for (const [name, value] of Object.entries(parsed))
        if (!Object.hasOwn(properties, name)) properties[name] = value;
    }
  }
  if (Object.keys(properties).length > 0) row.contactProperties = properties;
  return { ok: true, row };
}

export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function isAlone(field: StateField | undefined): boolean {
  return field !== undefined && !ADDITIONS.has(field);
}

function readColumn(given: string, hasState: boolean): Column {
  const name = given.trim();
  const plain = plainWord(name);
  if (IGNORED.has(plain)) return { kind: 'ignored' };
  if (Object.hasOwn(FIELDS, plain)) return FIELDS[plain] as Column;
  const state = stateColumn(name);
  if (state && hasState) return { kind: 'state', name: state.field, words: state.words };
  const property = name
    .replace(PROPERTY_PREFIX, '')
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .slice(0, PROPERTY_NAME_MAX);
  return PROPERTY_NAME.test(property) && property !== '__proto__'
    ? { kind: 'property', name: property }
    : { kind: 'ignored' };
}
