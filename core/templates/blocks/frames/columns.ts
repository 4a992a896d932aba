import type { Block } from '../../../../schemas/templates/block-types.ts';
import { layoutTable } from '../kit/html.ts';
import type { Kind } from '../kit/kind.ts';
import { fault } from '../kit/spans.ts';

const GAP = 8;

/** Side by side by their shares. They stack where there is no room, in Outlook never: it has a table of its own. */
export const columns: Kind<'columns'> = {
  isFrame: true,
  toHtml({ columns: all }, { width, padding, rows }) {
    const side = Math.max(0, padding - GAP);
    const shares = all.reduce((sum, { share }) => sum + share, 0);
    const cells = all.map(({ share, blocks }) => {
      const own = Math.floor(((width - 2 * side) * share) / shares);
      const style = `display:inline-block;width:100%;max-width:${own}px;vertical-align:top`;
      const inside = layoutTable(rows(blocks, own, GAP));
      return `<!--[if mso]><td width="${own}" valign="top"><![endif]--><div class="ep-column" style="${style}">${inside}</div><!--[if mso]></td><![endif]-->`;
    });
    const ghost =
      '<!--[if mso]><table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><![endif]-->';
    const end = '<!--[if mso]></tr></table><![endif]-->';
    return `<tr><td style="padding:0 ${side}px;font-size:1px;text-align:left">${ghost}${cells.join('')}${end}</td></tr>`;
  },
  toText({ columns: all }, inside) {
    return all.map(({ blocks }) => inside(blocks)).join('');
  },
  check({ columns: all }) {
    const isInside = all.some(({ blocks }) => blocks.some(hasColumns));
    return fault('columns', isInside ? 'must not have columns inside columns' : undefined);
  },
  inside({ columns: all }) {
    return all.map(({ blocks }, index) => [`columns/${index}/blocks`, blocks]);
  },
};

function hasColumns(block: Block): boolean {
  if (block.type === 'snippet' || block.type === 'content') return block.blocks?.some(hasColumns) ?? false;
  return block.type === 'columns';
}
