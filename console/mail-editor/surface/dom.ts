import { textOn } from '../../parts/data/colours.ts';

/** Elements of the surface. Texts stay texts: whatever they have, no element is made of them. */

type Attributes = Readonly<Record<string, string | boolean | null | undefined>>;

export function element(tag: string, attributes: Attributes = {}, ...children: Array<Element | string>): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value === true ? '' : value);
  made.append(...children);
  return made;
}

/** Outside of what is typed. */
export function fixed(tag: string, attributes: Attributes = {}, ...children: Array<Element | string>): HTMLElement {
  return element(tag, { ...attributes, contenteditable: 'false' }, ...children);
}

/** undefined: the style sheet decides. */
export function setVariable(made: HTMLElement, name: string, value: string | undefined): void {
  if (value === undefined) made.style.removeProperty(name);
  else made.style.setProperty(name, value);
}

/** Those of the brand are variables of the paper, which change when the brand is loaded. */
export function colourOf(colour: string | undefined): string | undefined {
  return colour?.startsWith('brand.') ? `var(--brand-${colour.slice('brand.'.length)})` : colour;
}

/** Words that can be read on it. */
export function inkOn(ground: string | undefined): string | undefined {
  if (ground?.startsWith('brand.')) return `var(--brand-on-${ground.slice('brand.'.length)})`;
  return ground && textOn(ground);
}
