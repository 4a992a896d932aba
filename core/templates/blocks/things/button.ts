import { textOn } from '../../../base/text/colours.ts';
import { addressFault, htmlAddress } from '../kit/addresses.ts';
import { layoutTable } from '../kit/html.ts';
import type { Kind } from '../kit/kind.ts';
import { fault, linkText, spansFaults, spansHtml, spansText } from '../kit/spans.ts';

/** A link in a coloured cell with padding, at least 44 pixels high: Outlook pads cells, not links. */
export const button: Kind<'button'> = {
  toHtml({ spans, href, background, colour, align = 'left' }, place) {
    const paper = background ?? place.look.accent;
    const ink = colour ?? textOn(paper);
    const style = `display:inline-block;padding:12px 24px;line-height:20px;color:${ink};font-weight:600;text-decoration:none`;
    const link = `<a href="${htmlAddress(href)}" style="${style};mso-padding-alt:0">${spansHtml(spans, place)}</a>`;
    const cell = `<td bgcolor="${paper}" style="background:${paper};border-radius:6px;mso-padding-alt:12px 24px">${link}</td>`;
    const table = layoutTable(`<tr>${cell}</tr>`, 'display:inline-table', '');
    return `<div align="${align}" style="text-align:${align}">${table}</div>`;
  },
  toText({ spans, href }) {
    return linkText(spansText(spans), href);
  },
  check({ spans, href }) {
    return [...spansFaults(spans, 'spans', 'no links'), ...fault('href', addressFault(href, 'href'))];
  },
};
