import type { CampaignInput } from './campaigns.ts';
import { invalid } from './errors.ts';
import type { Campaign } from './model.ts';

const PAST_TOLERANCE_MS = 60_000;

export type Timing = Pick<Campaign, 'status' | 'sendMode' | 'sendNow' | 'scheduledAt' | 'startsAt'>;

/** Draft or scheduled, and due when: "Campaign states" of the decisions. A PATCH that says nothing of the time leaves it alone. */
export function timingOf(campaign: Campaign, input: CampaignInput, now: Date, sendNowDelaySeconds: number): Timing {
  const { sendNow, scheduledAt } = wishedTime(campaign, input, now);
  const sendMode = input.sendMode ?? modeOf(campaign, input, scheduledAt);
  if (sendMode === 'gradual' && !campaign.gradual)
    throw invalid('sendMode gradual needs gradual {emailsPerDay, growth, timezone}.', 'gradual: is required');
  const kept = { sendMode, sendNow, scheduledAt };
  const saysNothing = input.publish === undefined && input.sendNow === undefined && input.scheduledAt === undefined;
  if (input.publish === false) return { ...kept, status: 'draft', startsAt: null };
  if (saysNothing) return { ...kept, status: campaign.status, startsAt: campaign.startsAt };
  if (sendNow) return { ...kept, status: 'scheduled', startsAt: new Date(now.getTime() + sendNowDelaySeconds * 1_000) };
  if (scheduledAt) return { ...kept, status: 'scheduled', startsAt: later(scheduledAt, campaign.gradual?.startAt) };
  if (input.publish === true && sendMode === 'gradual')
    return { ...kept, status: 'scheduled', startsAt: campaign.gradual?.startAt ?? now };
  if (input.publish === true)
    throw invalid('Say when: sendNow or scheduledAt.', 'publish: say when: sendNow or scheduledAt');
  return { ...kept, status: 'draft', startsAt: null };
}

/** What this call says of the time wins over what was said before. */
function wishedTime(
  campaign: Campaign,
  input: CampaignInput,
  now: Date,
): { sendNow: boolean; scheduledAt: Date | null } {
  const scheduledAt = input.scheduledAt ? new Date(input.scheduledAt) : null;
  if (input.sendNow === true && scheduledAt)
    throw invalid('Give sendNow or scheduledAt, not both.', 'scheduledAt: does not go with sendNow');
  if (scheduledAt && scheduledAt.getTime() < now.getTime() - PAST_TOLERANCE_MS)
    throw invalid('scheduledAt is in the past.', 'scheduledAt: is more than a minute in the past');
  if (input.sendNow === true) return { sendNow: true, scheduledAt: null };
  if (scheduledAt) return { sendNow: false, scheduledAt };
  return {
    sendNow: input.sendNow ?? campaign.sendNow,
    scheduledAt: input.scheduledAt === null ? null : campaign.scheduledAt,
  };
}

function modeOf(campaign: Campaign, input: CampaignInput, scheduledAt: Date | null): Campaign['sendMode'] {
  if (input.gradual === null) return scheduledAt ? 'scheduled' : 'immediate';
  if (campaign.gradual) return 'gradual';
  return scheduledAt ? 'scheduled' : 'immediate';
}

/** `startAt` defaults to `scheduledAt`; when both are given the plan's own start holds. */
function later(scheduledAt: Date, startAt: Date | null | undefined): Date {
  return startAt ?? scheduledAt;
}
