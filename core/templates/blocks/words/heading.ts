import { alignStyle } from '../kit/html.ts';
import type { Kind } from '../kit/kind.ts';
import { spansFaults, spansHtml, spansText } from '../kit/spans.ts';

const SIZES = { 1: 30, 2: 23, 3: 18 };

export const heading: Kind<'heading'> = {
  toHtml({ level, spans, align }, place) {
    const style = `margin:0;font-size:${SIZES[level]}px;line-height:1.25;font-weight:700${alignStyle(align)}`;
    return `<h${level} style="${style}">${spansHtml(spans, place)}</h${level}>`;
  },
  toText({ spans }) {
    return spansText(spans);
  },
  check({ spans }) {
    return spansFaults(spans, 'spans');
  },
};
