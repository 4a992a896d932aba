import type { EverpostError } from '../index.ts';
import type { Context } from './command.ts';

const COLUMNS_MAX = 7;
const CELL_MAX = 48;
/** Shown first, in this order, where entries have them. */
const IMPORTANT = ['id', 'groupId', 'name', 'email', 'to', 'subject', 'status', 'state', 'type'];

/** An answer for a person, or for a program as one line of JSON. */
export function printAnswer(context: Context, data: unknown): void {
  if (context.isJson) context.print(JSON.stringify(data ?? null));
  else if (data === undefined) context.note('Done.');
  else context.print(describe(data).join('\n'));
}

export function printEntries(context: Context, entries: unknown[]): void {
  if (context.isJson) for (const entry of entries) context.print(JSON.stringify(entry));
  else if (entries.length > 0) context.print(tableOf(entries as Record<string, unknown>[]).join('\n'));
}

/** Nested like YAML, with absent values left out. */
function describe(value: unknown, indent = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${indent}${clean(value)}`];
  return Object.entries(value)
    .filter(([, inner]) => inner !== null && inner !== '')
    .flatMap(([name, inner]) => {
      const label = Array.isArray(value) ? '-' : `${name}:`;
      if (typeof inner !== 'object') return [`${indent}${label} ${clean(inner).replaceAll('\n', `\n${indent}  `)}`];
      const lines = describe(inner, `${indent}  `);
      return lines.length > 0 ? [`${indent}${label}`, ...lines] : [];
    });
}

function tableOf(entries: Record<string, unknown>[]): string[] {
  const names = columnsOf(entries);
  const rows = [names, ...entries.map((entry) => names.map((name) => cellOf(entry[name])))];
  const widths = names.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function columnsOf(entries: Record<string, unknown>[]): string[] {
  const names = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  const isShort = (value: unknown) =>
    ['string', 'number', 'boolean'].includes(typeof value) && String(value).length <= 200;
  const filled = names.filter((name) => entries.some((entry) => isShort(entry[name]) && entry[name] !== ''));
  const first = IMPORTANT.filter((name) => filled.includes(name));
  return [...first, ...filled.filter((name) => !first.includes(name))].slice(0, COLUMNS_MAX);
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'object') return '';
  const text = clean(value).replace(/\s+/g, ' ');
  return text.length > CELL_MAX ? `${text.slice(0, CELL_MAX - 1)}…` : text;
}

export function number(value: number): string {
  return value.toLocaleString('en');
}

/** 'sent: sent 1,200, failed 3' */
export function countsLine(status: string, counts: Record<string, number>): string {
  return `${status}: ${Object.entries(counts)
    .map(([name, count]) => `${name} ${number(count)}`)
    .join(', ')}`;
}

/** Names and subjects come from others: their control characters must not reach the terminal. */
export function clean(value: unknown): string {
  return String(value).replace(/(?!\n)\p{Cc}/gu, ' ');
}

export function printError(context: Pick<Context, 'isJson' | 'note'>, error: EverpostError): void {
  if (context.isJson) {
    context.note(JSON.stringify({ error }));
    return;
  }
  const { message, code, status, details, requestId, record } = error;
  const fields = [code, status && `status ${status}`, requestId && `request ${requestId}`].filter(Boolean);
  context.note(`everpost: ${message}${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`);
  if (details && !message.includes(details)) context.note(`  ${details}`);
  if (record) context.note(`  ${JSON.stringify(record)}`);
}
