import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Brand } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { contrast } from '../../parts/data/colours.ts';
import { useQuery } from '../../parts/page/query.ts';
import { setVariable } from '../surface/dom.ts';

/** The colours of the brand, which blocks name: they change with it. */
export const BRAND_NAMES = ['primary', 'text', 'background', 'paper'] as const;
export const brandLabels: Record<(typeof BRAND_NAMES)[number], string> = {
  ...{ primary: 'Main colour', text: 'Text', background: 'Around the mail', paper: 'Paper' },
};

/** Of the editor around; null while it is loaded. */
export const BrandContext = createContext<Brand | null>(null);

export function useBrand(): Brand | null {
  return useContext(BrandContext);
}

export function useLoadedBrand(): Brand | null {
  return useQuery((signal) => api.brand.get({ signal })).data.value;
}

/** undefined: it is neither a colour, nor one of a brand that is loaded. */
export function colourIn(brand: Brand | null, value: string | undefined): string | undefined {
  const name = BRAND_NAMES.find((one) => value === `brand.${one}`);
  const colour = name ? brand?.colours?.[name] : value;
  return colour && /^#[0-9a-f]{6}$/i.test(colour) ? colour : undefined;
}

/** '5.12:1'. Cut, not rounded: 4.499 is not enough. */
export function ratioOf(one: string, other: string): string {
  return `${(Math.floor(contrast(one, other) * 100) / 100).toFixed(2)}:1`;
}

/** For the style sheet of the mail, which names them. */
export function drawBrand(paper: HTMLElement, brand: Brand | null): void {
  for (const name of BRAND_NAMES) setVariable(paper, `--brand-${name}`, colourIn(brand, `brand.${name}`));
}
