import type { ObjectId } from 'mongodb';
import type { Campaign, CampaignTest, CampaignVariant } from '../model.ts';
import { type TestState, testStateOf } from './test-state.ts';

interface Figures {
  total: number;
  sent: number;
  humanOpens: number;
  humanClicks: number;
  unsubscribes: number;
  bounces: number;
  events: number;
  rate: number;
  interval: { from: number; to: number };
  probabilityBest: number;
}

export interface VariantFigures {
  campaignId: ObjectId;
  metric: CampaignTest['metric'] | null;
  test: TestState | null;
  holdOut: number;
  explanation: string;
  countedAt: Date | null;
  variants: Array<Figures & { variant: CampaignVariant }>;
}

/** The variants side by side. */
export function variantFigures(campaign: Campaign): VariantFigures {
  const { _id: campaignId, freeze } = campaign;
  const variants = campaign.variants ?? [];
  return {
    campaignId,
    metric: variants.length > 0 ? metricOf(campaign) : null,
    test: testStateOf(campaign),
    holdOut: freeze?.holdOut ?? 0,
    explanation: variants.length > 0 ? 'Nothing has been sent yet.' : 'The campaign has one mail for all.',
    countedAt: null,
    variants: variants.map((variant) => ({ variant, ...nothing(variants.length) })),
  };
}

/** Of the test, else of what is tracked. */
export function metricOf({ test, trackingClick, trackingOpen }: Campaign): CampaignTest['metric'] | null {
  if (test) return test.metric;
  if (trackingClick) return 'humanClicks';
  return trackingOpen ? 'humanOpens' : null;
}

function nothing(variants: number): Figures {
  return {
    ...{ total: 0, sent: 0, humanOpens: 0, humanClicks: 0, unsubscribes: 0, bounces: 0, events: 0, rate: 0 },
    interval: { from: 0, to: 100 },
    probabilityBest: 1 / variants,
  };
}
