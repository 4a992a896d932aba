import type { CampaignCounts } from '../model.ts';

/** The rates of a campaign, from its counts, by the formulas of the interface. */
interface Rates {
  openRate: number;
  clickRate: number;
  bounceRate: number;
  unsubscribedRate: number;
  complaintRate: number;
  successRate: number;
  deliveryRate: number;
  trueOpenRate: number;
}

/** The relay's 250, less later bounces. */
export function deliveredOf({ sent, bounced }: Pick<CampaignCounts, 'sent' | 'bounced'>): number {
  return Math.max(0, sent - bounced);
}

export function processedOf({
  suppressed,
  failed,
  sent,
  unknown,
}: Pick<CampaignCounts, 'suppressed' | 'failed' | 'sent' | 'unknown'>): number {
  return suppressed + failed + sent + unknown;
}

/** While a gradual campaign is sending, only the recipients processed so far have been attempted. */
export function attemptedOf(counts: CampaignCounts, isGradualUnderWay: boolean): number {
  const base = isGradualUnderWay ? processedOf(counts) : counts.totalContacts;
  return Math.max(0, base - counts.suppressed - counts.failed);
}

export function ratesOf(counts: CampaignCounts, attempted: number): Rates {
  const delivered = deliveredOf(counts);
  return {
    openRate: percent(counts.opened, delivered),
    clickRate: percent(counts.clicked, delivered),
    bounceRate: percent(counts.bounced, counts.sent),
    unsubscribedRate: percent(counts.unsubscribed, delivered),
    complaintRate: percent(counts.spamReported, delivered),
    successRate: percent(counts.sent, attempted),
    deliveryRate: percent(delivered, counts.sent),
    trueOpenRate: percent(counts.humanOpened, delivered),
  };
}

/** 0 to 100 with two decimals; 0 when there is nothing to divide by. */
function percent(part: number, base: number): number {
  if (base <= 0) return 0;
  return Math.min(100, Math.max(0, Math.round((part / base) * 10_000) / 100));
}
