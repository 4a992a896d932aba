import { nextUpdate } from '../base/database/seen.ts';
import { conflict, invalid } from '../base/errors.ts';
import type { Project } from '../base/model.ts';
import { publishEvents } from '../events/events.ts';
import { requestRun, wakeStarts } from '../jobs/starts.ts';
import { findCampaign } from './definition/campaigns.ts';
import type { CampaignsDeps } from './deps.ts';
import type { Campaign, CampaignWinner, VariantId } from './model.ts';
import { isUnderWay, stateConflict } from './status.ts';
import { moveCampaign } from './transition.ts';

/** A person takes the variant that the rest gets, also while figures are too few or the test is held. A repeat changes nothing. */
export async function chooseWinner(
  deps: CampaignsDeps,
  project: Pick<Project, '_id'>,
  campaignId: string,
  variantId: VariantId,
): Promise<Campaign> {
  for (;;) {
    const campaign = await findCampaign(deps, project, campaignId);
    const { variants, test, winner, status, freeze } = campaign;
    if (!variants?.some(({ id }) => id === variantId))
      throw invalid('The campaign has no such variant.', 'variantId: names no variant of the campaign');
    if (!test) throw conflict('INVALID_STATE', 'All people get a variant: nobody waits for a winner.');
    if (winner?.variantId === variantId) return campaign;
    if (winner) throw conflict('INVALID_STATE', `Variant ${winner.variantId} is the winner already.`);
    if (!(isUnderWay(campaign) || status === 'paused') || !freeze?.isDone) throw stateConflict('decided', status);
    const decided = await settleWinner(deps, campaign, { variantId, by: 'person' }, { wakeRun: true });
    if (decided) return decided;
  }
}

/** Written once, with its event: null when another decision, or a change of the campaign, came first. */
export async function settleWinner(
  deps: CampaignsDeps,
  before: Campaign,
  { variantId, by }: Pick<CampaignWinner, 'variantId' | 'by'>,
  { wakeRun }: { wakeRun: boolean },
): Promise<Campaign | null> {
  const { _id, projectId, status, updatedAt, name } = before;
  const at = deps.clock.now();
  const undecided = { _id, projectId, status, updatedAt, winner: null };
  const winner: CampaignWinner = { variantId, by, at };
  const set = { winner, updatedAt: nextUpdate(before, at) };
  const decided = await moveCampaign(deps, undecided, { $set: set }, async (session, after) => {
    if (wakeRun) await requestRun(deps, 'campaign', after, { session });
    const id = _id.toHexString();
    const data = { id, campaignId: id, name, status, ...winner };
    await publishEvents(deps, projectId, [{ type: 'campaign.variant_decided', key: `${id} winner`, data }], session);
  });
  if (decided && wakeRun) wakeStarts(deps, 'campaign', projectId);
  return decided;
}
