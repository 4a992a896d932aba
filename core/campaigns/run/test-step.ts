import { MINUTE_MS } from '../../base/time/durations.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { countInFlight } from '../numbers/counts.ts';
import { trialsOf } from '../numbers/variant-figures.ts';
import { countVariants } from '../numbers/variants.ts';
import { betterOf } from '../variants/decision.ts';
import { isUndecided, testStateOf } from '../variants/waiting.ts';
import { settleWinner } from '../winner.ts';
import type { WaitStep } from './sending-plan.ts';

/** How often figures are looked at that were too few at the time of the decision. */
const LOOK_MS = MINUTE_MS;
const HELD_MS = 360 * MINUTE_MS;
const IN_FLIGHT_MS = 1_000;

/**
 * How long the rest waits once the test share has been sent, or `changed` when the campaign was, by a decision or otherwise. null: the rest
 * does not wait. Figures that cannot be read throw, so that nothing is decided without them.
 */
export async function testStep(deps: CampaignsDeps, campaign: Campaign): Promise<WaitStep | 'changed' | null> {
  if (!isUndecided(campaign)) return null;
  const now = deps.clock.now();
  const { decideAt, giveUpAt } = testStateOf(campaign, now)!;
  const wait = (until: number, summary: string): WaitStep => {
    return { kind: 'wait', status: campaign.status, waitMs: Math.max(1, until - now.getTime()), summary };
  };
  if (!decideAt || !giveUpAt) {
    if ((await countInFlight(deps, campaign)) > 0) return wait(now.getTime() + IN_FLIGHT_MS, 'the test is being sent');
    await noteTested(deps, campaign, now);
    return 'changed';
  }
  if (now < decideAt) return wait(decideAt.getTime(), `decides at ${decideAt.toISOString()}`);
  const { variants, test } = campaign;
  const better = betterOf(test!, trialsOf(campaign, await countVariants(deps, campaign)));
  const isOver = now >= giveUpAt;
  if (better === null && isOver && test!.onTie === 'hold')
    return wait(now.getTime() + HELD_MS, 'waits for a person to choose the variant');
  if (better === null && !isOver)
    return wait(Math.min(giveUpAt.getTime(), now.getTime() + LOOK_MS), 'waits for more figures of the variants');
  const variantId = variants![better ?? 0]!.id;
  await settleWinner(deps, campaign, { variantId, by: better === null ? 'tie' : 'figures' }, { wakeRun: false });
  return 'changed';
}

/** Once: the time of the decision counts from here. */
async function noteTested({ db }: CampaignsDeps, { _id, projectId }: Campaign, testedAt: Date): Promise<void> {
  const untold = { _id, projectId, 'freeze.isDone': true, 'freeze.testedAt': { $exists: false } };
  await db.campaigns.updateOne(untold, { $set: { 'freeze.testedAt': testedAt } });
}
