import type { Align } from '../../../../schemas/templates/block-types.ts';
import { addressFault, htmlAddress } from '../kit/addresses.ts';
import { alignStyle } from '../kit/html.ts';
import type { Kind } from '../kit/kind.ts';
import { fault, linkText } from '../kit/spans.ts';
import { htmlLiteral, textLiteral, wordsFault } from '../kit/variables.ts';

/** At the edges the words begin and end in line with those of other blocks. */
const PADDINGS: Record<Align, string> = { left: '12px 20px 12px 0', center: '12px 10px', right: '12px 0 12px 20px' };

/** Links in a row: to the parts of a site, or to profiles. As words, since many mail programs hide pictures at first. */
function linksInRow(weight: number): Kind<'menu' | 'social'> {
  return {
    toHtml({ links, align }, { look }) {
      const style = `display:inline-block;padding:${PADDINGS[align ?? 'left']};line-height:20px;font-weight:${weight};color:${look.accent};text-decoration:none`;
      const all = links.map(
        ({ label, href }) =>
          `<a href="${htmlAddress(href)}" class="ep-link" style="${style}">${htmlLiteral(label)}</a>`,
      );
      return `<p style="margin:0${alignStyle(align)}">${all.join(' ')}</p>`;
    },
    toText({ links }) {
      return links.map(({ label, href }) => linkText(textLiteral(label), href)).join('\n');
    },
    check({ links }) {
      return links.flatMap(({ label, href }, index) => [
        ...fault(`links/${index}/label`, wordsFault(label)),
        ...fault(`links/${index}/href`, addressFault(href, 'href')),
      ]);
    },
  };
}

export const menu: Kind<'menu'> = linksInRow(600);
export const social: Kind<'social'> = linksInRow(400);
