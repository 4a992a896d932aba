import { addressFault } from '../kit/addresses.ts';
import { linked, picture } from '../kit/html.ts';
import type { Kind } from '../kit/kind.ts';
import { fault, linkText } from '../kit/spans.ts';
import { htmlLiteral, mixedFault, mixedOf, textLiteral, wordsFault } from '../kit/variables.ts';

/** A picture and words below it, both linked: mail programs play no videos. */
export const video: Kind<'video'> = {
  toHtml({ href, src, alt, label = '', width }, place) {
    const style = `color:${place.look.accent};text-decoration:none`;
    const shown = picture({ src, alt, width: Math.min(width ?? place.width, place.width) });
    const words = `<span class="ep-link" style="display:block;padding:12px 0">&#9654; ${htmlLiteral(label)}</span>`;
    return `<p style="margin:0">${linked(shown + words, href, style)}</p>`;
  },
  toText({ href, alt, label }) {
    const words = [mixedOf(alt, textLiteral), ...(label ? [textLiteral(label)] : [])].join(' - ');
    return linkText(words, href);
  },
  check({ href, src, alt, label }) {
    return [
      ...fault('href', addressFault(href, 'href')),
      ...fault('src', addressFault(src, 'src')),
      ...fault('alt', mixedFault(alt)),
      ...fault('label', wordsFault(label)),
    ];
  },
};
