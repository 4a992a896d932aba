import type { Span } from '../../../schemas/templates/block-types.ts';
import { cellsOf } from './shapes.ts';
import type { Element } from './tree.ts';
import { plain, wordsOf } from './words.ts';

const COLUMNS_MAX = 8;
const ROWS_MAX = 200;
const LABEL_MAX = 200;

/** The fields of a table of data; heads are words alone. */
export function dataOf(rows: readonly Element[], spansIn: (cell: Element) => Span[]) {
  const cells = rows.map((row) => cellsOf(row).slice(0, COLUMNS_MAX)).filter((row) => row.length > 0);
  const [first = [], ...rest] = cells;
  const isHead = first.length > 0 && first.every(({ name }) => name === 'th');
  const body = (isHead ? rest : cells).slice(0, ROWS_MAX);
  return {
    ...(isHead && { head: first.map((cell) => labelOf(spansIn(cell))) }),
    rows: body.map((row) => row.map(spansIn)),
  };
}

export function labelOf(spans: readonly Span[]): string {
  return plain(wordsOf(spans)).trim().slice(0, LABEL_MAX);
}
