import type { Brand } from '../../../client/index.ts';
import type { Look } from '../../../schemas/templates/block-types.ts';
import { contrast } from '../../parts/data/colours.ts';
import { LOOK } from '../model/look.ts';

/** The colours of the brand, which blocks name: they change with it. */
export const BRAND_NAMES = ['primary', 'text', 'background', 'paper'] as const;
export const brandLabels: Record<(typeof BRAND_NAMES)[number], string> = {
  ...{ primary: 'Main colour', text: 'Text', background: 'Around the mail', paper: 'Paper' },
};

export const LOOK_COLOURS = ['background', 'paper', 'colour', 'accent'] as const;
/** Of a look that is the brand's. */
export const OF_BRAND = { background: 'background', paper: 'paper', colour: 'text', accent: 'primary' } as const;

/** undefined: it is neither a colour, nor one of a brand that is loaded. */
export function colourIn(brand: Brand | null, value: string | undefined): string | undefined {
  const name = BRAND_NAMES.find((one) => value === `brand.${one}`);
  const colour = name ? brand?.colours?.[name] : value;
  return colour && /^#[0-9a-f]{6}$/i.test(colour) ? colour : undefined;
}

/** The colours of the mail: its own, else the brand's or ours. */
export function coloursOfLook(brand: Brand | null, look: Look & { brand?: true }) {
  const of = (name: (typeof LOOK_COLOURS)[number]) =>
    colourIn(brand, look[name]) ?? (look.brand && colourIn(brand, `brand.${OF_BRAND[name]}`)) ?? LOOK[name];
  return { background: of('background'), paper: of('paper'), colour: of('colour'), accent: of('accent') };
}

/** '5.12:1'. Cut, not rounded: 4.499 is not enough. */
export function ratioOf(one: string, other: string): string {
  return `${(Math.floor(contrast(one, other) * 100) / 100).toFixed(2)}:1`;
}
