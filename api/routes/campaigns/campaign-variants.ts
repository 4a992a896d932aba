import { findCampaign } from '../../../core/campaigns/definition/campaigns.ts';
import { variantFigures } from '../../../core/campaigns/numbers/variant-figures.ts';
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
    handler: async ({ deps, project, params, body }) =>
      presentVariants(
        await variantFigures(deps, await chooseWinner(deps, project, params.campaignId ?? '', body.variantId)),
      ),
  }),
];
