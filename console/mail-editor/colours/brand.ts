import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Brand } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { textOn } from '../../parts/data/colours.ts';
import { useQuery } from '../../parts/page/query.ts';
import { FONTS } from '../model/look.ts';
import { setVariable } from '../surface/dom.ts';
import { BRAND_NAMES, colourIn } from './of-brand.ts';

/** Of the editor around; null while it is loaded. */
export const BrandContext = createContext<Brand | null>(null);

export function useBrand(): Brand | null {
  return useContext(BrandContext);
}

export function useLoadedBrand(): Brand | null {
  return useQuery((signal) => api.brand.get({ signal })).data.value;
}

/** For the style sheet of the mail, which names them. */
export function drawBrand(paper: HTMLElement, brand: Brand | null): void {
  for (const name of BRAND_NAMES) {
    const colour = colourIn(brand, `brand.${name}`);
    setVariable(paper, `--brand-${name}`, colour);
    setVariable(paper, `--brand-on-${name}`, colour && textOn(colour));
  }
  setVariable(paper, '--brand-font', brand ? FONTS[brand.font] : undefined);
}
