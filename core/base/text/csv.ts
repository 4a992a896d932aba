export type CsvValue = string | number | boolean | Date | null | undefined;

/**
 * Prefixes that spreadsheets take for a formula, in either width; also behind apostrophes, so that an added prefix can be
 * distinguished from the text.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
const PLAIN_NUMBER = /^[+-]?\d+(\.\d+)?$/;
const PREFIX = "'";

/** One line of RFC 4180, its line break included. */
export function csvRow(values: readonly CsvValue[]): string {
  const cells = values.map(csvCell);
  // A line of one empty cell would be read as no line at all.
  return `${cells.length === 1 && cells[0] === '' ? '""' : cells.join(',')}\r\n`;
}

/** Text that a spreadsheet would execute begins with an apostrophe; numbers, and phone numbers, would only be calculated. */
export function csvCell(value: CsvValue): string {
  const text = textOf(value);
  const safe = typeof value === 'string' && isFormula(text) ? PREFIX + text : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Reverses csvCell, so that an export can be imported. */
export function withoutFormulaPrefix(cell: string): string {
  return cell.startsWith(PREFIX) && isFormula(cell.slice(1)) ? cell.slice(1) : cell;
}

function isFormula(text: string): boolean {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text);
}

function textOf(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  return value instanceof Date ? value.toISOString() : String(value);
}
