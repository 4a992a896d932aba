import { CONTACT_FIELDS, type ContactField, PROPERTY_NAME } from '../../schemas/contacts.ts';
import { withoutFormulaPrefix } from '../base/text/csv.ts';

/** The meaning of the cells in a column. */
type Column =
  | { kind: 'field'; name: 'email' | ContactField }
  | { kind: 'property'; name: string }
  | { kind: 'properties' }
  | { kind: 'listIds' }
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

/** Names of built-in fields ignore case, spaces and underscores; every other column is a property. */
export function readColumns(names: readonly string[]): { columns: Column[] } | { problem: string } {
  const columns = names.map(readColumn);
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
  const properties: Record<string, unknown> = {};
  for (const [index, cell] of cells.entries()) {
    const column = columns[index];
    if (!column || cell === '' || column.kind === 'ignored') continue;
    if (cell.includes('\ufffd')) return { ok: false, message: 'is not valid UTF-8; save the file as UTF-8' };
    const text = withoutFormulaPrefix(cell);
    if (column.kind === 'field') row[column.name] = text;
    else if (column.kind === 'property') properties[column.name] = text;
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

/** The usual delimiter that is most frequent in the first line. */
export function delimiterOf(firstLine: string): string {
  const count = (delimiter: string) => firstLine.split(delimiter).length;
  return [';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best), ',');
}

function readColumn(given: string): Column {
  const name = given.trim();
  const plain = name.toLowerCase().replace(/[\s_-]/g, '');
  if (IGNORED.has(plain)) return { kind: 'ignored' };
  if (Object.hasOwn(FIELDS, plain)) return FIELDS[plain] as Column;
  const property = name
    .replace(PROPERTY_PREFIX, '')
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .slice(0, PROPERTY_NAME_MAX);
  return PROPERTY_NAME.test(property) && property !== '__proto__'
    ? { kind: 'property', name: property }
    : { kind: 'ignored' };
}
