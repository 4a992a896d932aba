import type { ObjectId } from 'mongodb';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, CampaignTest, CampaignVariant, VariantCounts } from '../model.ts';
import type { Trials } from '../variants/beta.ts';
import { type Comparison, comparisonOf, type Lead, leadInWords, leadOf } from '../variants/decision.ts';
import { type TestState, testStateOf } from '../variants/waiting.ts';
import { shownVariantCounts } from './variants.ts';

export interface VariantFigures {
  campaignId: ObjectId;
  metric: CampaignTest['metric'] | null;
  test: TestState | null;
  holdOut: number;
  lead: Lead | null;
  explanation: string;
  countedAt: Date | null;
  variants: Array<VariantCounts & Comparison & { variant: CampaignVariant }>;
}

/** The variants side by side. */
export async function variantFigures(deps: CampaignsDeps, campaign: Campaign): Promise<VariantFigures> {
  return figuresOf(campaign, await shownVariantCounts(deps, campaign), deps.clock.now());
}

export function figuresOf(campaign: Campaign, counts: readonly VariantCounts[], now: Date): VariantFigures {
  const { _id: campaignId, freeze } = campaign;
  const variants = campaign.variants ?? [];
  const test = testStateOf(campaign, now);
  const trials = trialsOf(campaign, counts);
  const compared = comparisonOf(trials);
  const lead = leadOf(
    variants.map(({ id }) => id),
    trials,
  );
  return {
    campaignId,
    metric: variants.length > 0 ? metricOf(campaign) : null,
    test,
    holdOut: freeze?.holdOut ?? 0,
    lead,
    explanation: inWords(
      campaign,
      test,
      leadInWords(
        lead,
        trials.some(({ n }) => n > 0),
      ),
    ),
    countedAt: freeze?.isDone ? now : null,
    variants: variants.map((variant, index) => ({ variant, ...counts[index]!, ...compared[index]! })),
  };
}

/** Of those who have the mail, how many did what the metric counts. */
export function trialsOf(campaign: Campaign, counts: readonly VariantCounts[]): Trials[] {
  const metric = metricOf(campaign);
  return counts.map(({ sent: n, ...count }) => {
    const successes = metric === null ? 0 : metric.startsWith('event:') ? count.events : count[metric as 'humanOpens'];
    return { successes: Math.min(successes, n), n };
  });
}

/** Of the test, else of what is tracked. */
function metricOf({ test, trackingClick, trackingOpen }: Campaign): CampaignTest['metric'] | null {
  if (test) return test.metric;
  if (trackingClick) return 'humanClicks';
  return trackingOpen ? 'humanOpens' : null;
}

function inWords({ variants, test }: Campaign, state: TestState | null, lead: string): string {
  if (!variants) return 'The campaign has one mail for all.';
  if (!state || !test) return lead;
  const { winner, decideAt } = state;
  const reasons = { figures: 'by its figures', tie: 'because the figures did not decide', person: 'by hand' };
  if (winner) return `${lead} ${winner.variantId} was chosen ${reasons[winner.by]}.`;
  if (state.state === 'held') return `${lead} The others wait for a person to choose.`;
  if (state.state !== 'measuring' || !decideAt) return lead;
  return `${lead} Decided from ${decideAt.toISOString()} on, when ${test.minPerVariant} have each variant.`;
}
