import { addressFault } from '../kit/addresses.ts';
import { layoutTable, picture } from '../kit/html.ts';
import type { Kind } from '../kit/kind.ts';
import { fault, spansFaults, spansHtml, spansText } from '../kit/spans.ts';
import { htmlLiteral, mixedFault, textLiteral, wordsFault } from '../kit/variables.ts';

const PORTRAIT = 56;

/** Of the person who writes: name, lines below it, and a portrait. */
export const signature: Kind<'signature'> = {
  toHtml({ name, lines = [], src, alt = '' }, place) {
    const below = lines.map((line) => `<br>${spansHtml(line, place)}`).join('');
    const words = `<strong>${htmlLiteral(name)}</strong><span style="font-size:14px">${below}</span>`;
    if (src === undefined) return words;
    const cell = `<td width="${PORTRAIT}" style="padding:0 16px 0 0;vertical-align:top">`;
    const portrait = picture({ src, alt, width: PORTRAIT });
    return layoutTable(`<tr>${cell}${portrait}</td><td style="vertical-align:top">${words}</td></tr>`);
  },
  toText({ name, lines = [] }) {
    return [textLiteral(name), ...lines.map(spansText)].join('\n');
  },
  check({ name, lines = [], src, alt }) {
    return [
      ...fault('name', wordsFault(name)),
      ...lines.flatMap((line, index) => spansFaults(line, `lines/${index}`)),
      ...fault('src', src === undefined ? undefined : addressFault(src, 'src')),
      ...fault(
        'alt',
        (src === undefined) === (alt === undefined) ? mixedFault(alt) : 'must be given with src, and only then',
      ),
    ];
  },
};
