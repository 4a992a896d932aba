import { addressFault } from '../kit/addresses.ts';
import { alignStyle, linked, picture } from '../kit/html.ts';
import type { Kind } from '../kit/kind.ts';
import { fault, linkText } from '../kit/spans.ts';
import { mixedFault, mixedOf, textLiteral } from '../kit/variables.ts';

export const image: Kind<'image'> = {
  toHtml({ src, alt, title, href, width, align }, place) {
    const shown = picture({ src, alt, title, width: Math.min(width ?? place.width, place.width) });
    return `<p style="margin:0;font-size:14px${alignStyle(align)}">${linked(shown, href)}</p>`;
  },
  /** A picture for decoration alone is not in the text; its link is. */
  toText({ alt, href }) {
    return linkText(mixedOf(alt, textLiteral), href);
  },
  check({ src, alt, title, href }) {
    return [
      ...fault('src', addressFault(src, 'src')),
      ...fault('alt', href !== undefined && alt === '' ? 'must say where the link leads' : mixedFault(alt)),
      ...fault('title', mixedFault(title)),
      ...fault('href', href === undefined ? undefined : addressFault(href, 'href')),
    ];
  },
};
