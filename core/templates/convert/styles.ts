import type { Align } from '../../../schemas/templates/block-types.ts';
import type { Element } from './tree.ts';

/** The looks of elements, by attribute or by style. */

const NAMED: Readonly<Record<string, string>> = { white: '#ffffff', black: '#000000', red: '#ff0000', blue: '#0000ff' };

/** The last declaration of a property counts. */
export function styleOf({ attributes: { style = '' } }: Element, property: string): string {
  for (const declaration of style.split(';').reverse()) {
    const colon = declaration.indexOf(':');
    if (declaration.slice(0, colon).trim().toLowerCase() === property)
      return declaration
        .slice(colon + 1)
        .replace('!important', '')
        .trim()
        .toLowerCase();
  }
  return '';
}

/** #rrggbb; undefined: none, or one that blocks do not have. */
export function colourOf(value: string | undefined): string | undefined {
  const word = (value ?? '').trim().toLowerCase();
  if (/^#[0-9a-f]{6}$/.test(word)) return word;
  if (/^#[0-9a-f]{3}$/.test(word)) return `#${Array.from(word.slice(1), (digit) => digit + digit).join('')}`;
  const parts = /^rgb\((\d{1,3}),(\d{1,3}),(\d{1,3})\)$/.exec(word.replaceAll(' ', ''));
  if (!parts) return NAMED[word];
  const digits = parts.slice(1).map((part) => Math.min(255, Number(part)).toString(16).padStart(2, '0'));
  return `#${digits.join('')}`;
}

export function backgroundOf(element: Element): string | undefined {
  const { bgcolor, 'background-color': own } = element.attributes;
  return colourOf(styleOf(element, 'background-color') || styleOf(element, 'background') || bgcolor || own);
}

/** undefined: as around it. */
export function alignOf(element: Element): Align | undefined {
  const word = styleOf(element, 'text-align') || element.attributes.align?.toLowerCase() || '';
  if (element.name === 'center') return 'center';
  return word === 'left' || word === 'center' || word === 'right' ? word : undefined;
}

/** Pixels; undefined for others. */
export function pixelsOf(value: string | undefined): number | undefined {
  const digits = /^(\d{1,5})(?:px)?$/.exec((value ?? '').trim());
  return digits ? Number(digits[1]) : undefined;
}

export function isHidden(element: Element): boolean {
  const isNone = styleOf(element, 'display') === 'none' || styleOf(element, 'mso-hide') === 'all';
  return isNone || styleOf(element, 'visibility') === 'hidden';
}

/** Of cells side by side: whole shares of about twelve. */
export function sharesOf(cells: readonly Element[]): number[] {
  const widths = cells.map(widthOf);
  if (widths.some((width) => width === undefined)) return cells.map(() => 1);
  const sum = widths.reduce<number>((all, width) => all + width!, 0);
  return widths.map((width) => Math.min(12, Math.max(1, Math.round((12 * width!) / sum))));
}

function widthOf(element: Element): number | undefined {
  const named = /-per-(\d{1,3})(?:\D|$)/.exec(element.attributes.class ?? '');
  const given = [styleOf(element, 'max-width'), element.attributes.width, styleOf(element, 'width'), named?.[1]];
  for (const value of given) {
    const digits = /^(\d{1,5})(?:\.\d+)?(?:px|%)?$/.exec(value ?? '');
    // Cells of all of the width are made narrower by something else.
    if (digits && Number(digits[1]) > 0 && value !== '100%') return Number(digits[1]);
  }
  return undefined;
}
