import { findCampaign } from '../../../core/campaigns/definition/campaigns.ts';
import { figuresOf, variantFigures } from '../../../core/campaigns/numbers/variant-figures.ts';
import { shownVariantCounts } from '../../../core/campaigns/numbers/variants.ts';
import { chooseWinner } from '../../../core/campaigns/winner.ts';
import { variantsAnswer, winnerBody } from '../../../schemas/campaigns/variants.ts';
import { endpoint } from '../../http/endpoint.ts';
import { presentVariants } from '../../present/campaigns.ts';

const tag = 'campaigns';
const key = 'token';

export const campaignVariantRoutes = [
  endpoint({
    operation: 'campaigns.variants',
    method: 'get',
    path: '/campaigns/{campaignId}/variants',
    key,
    tag,
    summary: 'Compare the variants of a campaign, and see what its test waits for',
    answer: variantsAnswer,
    handler: async ({ deps, project, params }) =>
      presentVariants(await variantFigures(deps, await findCampaign(deps, project, params.campaignId ?? ''))),
  }),
  endpoint({
    operation: 'campaigns.winner',
    method: 'post',
    path: '/campaigns/{campaignId}/winner',
    key,
    tag,
    summary: 'Choose the variant that the rest of the audience gets',
    body: winnerBody,
    answer: variantsAnswer,
    errors: { 409: 'The campaign has no test, or another winner already.' },
    handler: async ({ deps, project, params: { campaignId = '' }, body }) => {
      // Counted first: after the choice is written nothing may fail.
      const counts = await shownVariantCounts(deps, await findCampaign(deps, project, campaignId));
      const decided = await chooseWinner(deps, project, campaignId, body.variantId);
      return presentVariants(figuresOf(decided, counts, deps.clock.now()));
    },
  }),
];
