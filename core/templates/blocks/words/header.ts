import { addressFault } from '../kit/addresses.ts';
import { alignStyle, linked, picture } from '../kit/html.ts';
import type { Kind } from '../kit/kind.ts';
import { fault, linkText } from '../kit/spans.ts';
import { htmlLiteral, textLiteral, wordsFault } from '../kit/variables.ts';

const LOGO_WIDTH = 160;

/** The sender: the logo, whose alternative text is the name, or the name alone. */
export const header: Kind<'header'> = {
  toHtml({ name, src, href, width = LOGO_WIDTH, align }, place) {
    const style = `text-decoration:none;color:${place.look.accent};font-weight:700;font-size:18px`;
    const words = src === undefined ? htmlLiteral(name) : logo(src, name, Math.min(width, place.width));
    const inside = href === undefined ? `<span style="${style}">${words}</span>` : linked(words, href, style);
    return `<p class="ep-name" style="margin:0${alignStyle(align)}">${inside}</p>`;
  },
  toText({ name, href }) {
    return linkText(textLiteral(name), href);
  },
  check({ name, src, href }) {
    return [
      ...fault('name', wordsFault(name)),
      ...fault('src', src === undefined ? undefined : addressFault(src, 'src')),
      ...fault('href', href === undefined ? undefined : addressFault(href, 'href')),
    ];
  },
};

/** On a light plate, since most logos are made for light paper. */
function logo(src: string, name: string, width: number): string {
  const plate = 'display:inline-block;padding:6px;background:#fdfdfd;border-radius:6px';
  return `<span class="ep-plate" style="${plate}">${picture({ src, alt: name, width })}</span>`;
}
