import type { Kind } from '../kit/kind.ts';
import { fault, spansFaults, spansHtml, spansText } from '../kit/spans.ts';
import { htmlLiteral, textLiteral, wordsFault } from '../kit/variables.ts';

export const quote: Kind<'quote'> = {
  toHtml({ spans, by }, place) {
    const { accent } = place.look;
    const words = `<p style="margin:0;font-style:italic">${spansHtml(spans, place)}</p>`;
    const source = by ? `<p style="margin:8px 0 0;font-size:14px">${htmlLiteral(by)}</p>` : '';
    const style = `margin:0;padding:4px 0 4px 16px;border-left:4px solid ${accent}`;
    return `<blockquote style="${style}">${words}${source}</blockquote>`;
  },
  toText({ spans, by }) {
    const lines = spansText(spans).split('\n');
    return [...lines, ...(by ? [textLiteral(by)] : [])].map((line) => `> ${line}`).join('\n');
  },
  check({ spans, by }) {
    return [...spansFaults(spans, 'spans'), ...fault('by', wordsFault(by))];
  },
};
