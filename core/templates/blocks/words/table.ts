import type { Align, Span } from '../../../../schemas/templates/block-types.ts';
import type { Kind, Place } from '../kit/kind.ts';
import { fault, spansFaults, spansHtml, spansText } from '../kit/spans.ts';
import { htmlLiteral, textLiteral, wordsFault } from '../kit/variables.ts';

type Aligns = Align[] | undefined;

/** A table of data, for things such as the items of an order. */
export const table: Kind<'table'> = {
  toHtml({ head, align, rows }, place) {
    const heads = head?.map((words, index) => headHtml(words, cellStyle(align, index))).join('');
    const body = rows.map(
      (cells) => `<tr>${cells.map((cell, index) => cellHtml(cell, cellStyle(align, index), place)).join('')}</tr>`,
    );
    const style = 'border-collapse:collapse;font-size:15px';
    return `<table width="100%" cellpadding="0" cellspacing="0" style="${style}">${heads ? `<tr>${heads}</tr>` : ''}${body.join('')}</table>`;
  },
  toText({ head, rows }) {
    const lines = rows.map((cells) => cells.map(spansText).join(' | '));
    return [...(head ? [head.map(textLiteral).join(' | ')] : []), ...lines].join('\n');
  },
  check({ head = [], rows }) {
    return [
      ...head.flatMap((words, index) => fault(`head/${index}`, wordsFault(words))),
      ...rows.flatMap((cells, row) => cells.flatMap((cell, index) => spansFaults(cell, `rows/${row}/${index}`))),
    ];
  },
};

function headHtml(words: string, style: string): string {
  return `<th scope="col" class="ep-line" style="${style};font-weight:700">${htmlLiteral(words)}</th>`;
}

function cellHtml(cell: readonly Span[], style: string, place: Place): string {
  return `<td class="ep-line" style="${style}">${spansHtml(cell, place)}</td>`;
}

function cellStyle(align: Aligns, index: number): string {
  return `padding:8px;border-bottom:1px solid #c9cdd3;text-align:${align?.[index] ?? 'left'};vertical-align:top`;
}
