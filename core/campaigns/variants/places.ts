import type { Campaign, CampaignVariant, VariantId } from '../model.ts';
import { drawOf, endsOf } from './draw.ts';

type Placing = Pick<Campaign, '_id' | 'variants' | 'test' | 'winner' | 'freeze'>;
/** For a read of it. */
export const PLACING = { variants: 1, test: 1, winner: 1, freeze: 1 } as const;

/** How many people are compared, who have the first `seq`s: those of the test, else all. */
export function comparedOf({ freeze }: Pick<Campaign, 'freeze'>): number {
  return freeze?.tested ?? freeze?.frozen?.inBlocks ?? 0;
}

/** How many of them each variant has. */
export function totalsOf(campaign: Pick<Campaign, 'variants' | 'freeze'>): number[] {
  const ends = endsOf(sharesOf(campaign.variants ?? []), comparedOf(campaign));
  return ends.map((end, index) => end - (ends[index - 1] ?? 0));
}

/** The index of the variant of a compared `seq`. */
export function drawnVariant(campaign: Placing): (seq: number) => number {
  const size = comparedOf(campaign);
  const ends = endsOf(sharesOf(campaign.variants ?? []), size);
  const draw = drawOf(campaign._id, 'variants', size);
  return (seq) => {
    const drawn = draw(seq - 1);
    return ends.findIndex((end) => drawn < end);
  };
}

/** The variant of a place; null: there are none, or the person waits for the winner. */
export function variantAt(campaign: Placing): (seq: number) => VariantId | null {
  const { variants, winner } = campaign;
  if (!variants) return () => null;
  const size = comparedOf(campaign);
  const drawn = drawnVariant(campaign);
  return (seq) => {
    if (seq < 1) return null;
    if (seq > size) return winner?.variantId ?? null;
    return variants[drawn(seq)]?.id ?? null;
  };
}

function sharesOf(variants: readonly CampaignVariant[]): number[] {
  return variants.map(({ share }) => share ?? 1);
}
