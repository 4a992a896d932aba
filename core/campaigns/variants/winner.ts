import { conflict, invalid } from '../../base/errors.ts';
import type { Campaign, VariantId } from '../model.ts';

/** A person takes the variant that the rest gets. */
export function chooseWinner(campaign: Campaign, variantId: VariantId): never {
  if (!campaign.variants?.some(({ id }) => id === variantId))
    throw invalid('The campaign has no such variant.', 'variantId: names no variant of the campaign');
  if (!campaign.test) throw conflict('INVALID_STATE', 'All people get a variant: nobody waits for a winner.');
  throw conflict('INVALID_STATE', `A campaign that is ${campaign.status} has no test that waits for a winner.`);
}
