import type { Align } from '../../../../schemas/templates/block-types.ts';
import { htmlAddress } from './addresses.ts';
import { htmlLiteral, mixedOf } from './variables.ts';

/** Words with variables, inside an attribute in double quotes. */
function htmlMixed(text: string): string {
  return mixedOf(text, htmlLiteral);
}

/** A table for layout, which a screen reader passes over. */
export function layoutTable(rows: string, style = '', attributes = 'width="100%"'): string {
  const css = style ? ` style="${style}"` : '';
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0"${attributes && ` ${attributes}`}${css}>${rows}</table>`;
}

export function row(inside: string, style = ''): string {
  return `<tr><td${style ? ` style="${style}"` : ''}>${inside}</td></tr>`;
}

export function alignStyle(align: Align | undefined): string {
  return align && align !== 'left' ? `;text-align:${align}` : '';
}

interface Picture {
  src: string;
  alt: string;
  title?: string | undefined;
  width: number;
}

/** Never wider than the screen; the attribute is for Outlook, which reads no max-width. */
export function picture({ src, alt, title, width }: Picture): string {
  const shown = title === undefined ? '' : ` title="${htmlMixed(title)}"`;
  const style = `display:inline-block;width:100%;max-width:${width}px;height:auto;border:0;vertical-align:top`;
  return `<img src="${htmlAddress(src)}" alt="${htmlMixed(alt)}"${shown} width="${width}" style="${style}">`;
}

export function linked(inside: string, href: string | undefined, style = 'text-decoration:none'): string {
  return href === undefined ? inside : `<a href="${htmlAddress(href)}" style="${style}">${inside}</a>`;
}
