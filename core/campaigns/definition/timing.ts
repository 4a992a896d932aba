import { invalid } from '../../base/errors.ts';
import { firstOf, localTimeOf, refuseOver } from '../local-time/given.ts';
import type { Campaign } from '../model.ts';
import type { CampaignInput } from './input.ts';

const PAST_TOLERANCE_MS = 60_000;

type Timing = Pick<Campaign, 'status' | 'sendMode' | 'sendNow' | 'scheduledAt' | 'startsAt' | 'localTime'>;

/** Draft or scheduled, and the start time. A PATCH without a time leaves it alone. */
export function timingOf(campaign: Campaign, input: CampaignInput, now: Date, sendNowDelaySeconds: number): Timing {
  const localTime = localTimeOf(campaign, input);
  const { sendNow, scheduledAt } = localTime
    ? { sendNow: false, scheduledAt: firstOf(localTime, now, campaign.test) }
    : wishedTime(campaign.localTime ? { ...campaign, scheduledAt: null } : campaign, input, now);
  const sendMode = localTime ? 'scheduled' : modeOf(campaign, input, scheduledAt);
  if (sendMode === 'gradual' && !campaign.gradual)
    throw invalid('sendMode gradual needs gradual {emailsPerDay, growth, timezone}.', 'gradual: is required');
  if (localTime && (input.localTime || input.publish || input.test)) refuseOver(localTime, now, campaign.test);
  const kept = { sendMode, sendNow, scheduledAt, localTime };
  const startAt = sendMode === 'gradual' ? campaign.gradual?.startAt : null;
  if (input.publish === false) return { ...kept, status: 'draft', startsAt: null };
  const isQuiet = saysNothing(campaign, input);
  const publishes = !isQuiet || (campaign.status === 'scheduled' && input.sendMode !== undefined);
  if (publishes && sendNow && sendMode === 'scheduled')
    throw invalid(
      'Give sendNow, or sendMode scheduled with scheduledAt.',
      'sendNow: does not go with sendMode scheduled; sendMode: must be immediate or gradual with sendNow',
    );
  if (isQuiet) {
    const { status, startsAt } = campaign;
    return { ...kept, ...(localTime ? { scheduledAt: campaign.scheduledAt } : {}), status, startsAt };
  }
  if (sendNow) return { ...kept, status: 'scheduled', startsAt: new Date(now.getTime() + sendNowDelaySeconds * 1_000) };
  if (startAt || scheduledAt) {
    // `startAt` defaults to `scheduledAt`; when both are given the plan's own start wins.
    const startsAt = startAt ?? (scheduledAt as Date);
    if (scheduledAt || input.publish === true) {
      refusePast(startsAt, now, startAt ? 'gradual/startAt' : 'scheduledAt');
      return { ...kept, status: 'scheduled', startsAt };
    }
  }
  if (input.publish === true && sendMode === 'gradual') return { ...kept, status: 'scheduled', startsAt: now };
  if (input.publish === true)
    throw invalid('Say when: sendNow or scheduledAt.', 'publish: say when: sendNow or scheduledAt');
  return { ...kept, status: 'draft', startsAt: null };
}

/** The time of this call wins over a former one. */
function wishedTime(
  campaign: Campaign,
  input: CampaignInput,
  now: Date,
): { sendNow: boolean; scheduledAt: Date | null } {
  const scheduledAt = input.scheduledAt ? new Date(input.scheduledAt) : null;
  if (input.sendNow === true && scheduledAt)
    throw invalid('Give sendNow or scheduledAt, not both.', 'scheduledAt: does not go with sendNow');
  if (scheduledAt) refusePast(scheduledAt, now, 'scheduledAt');
  if (input.sendNow === true) return { sendNow: true, scheduledAt: null };
  if (scheduledAt) return { sendNow: false, scheduledAt };
  return {
    sendNow: input.sendNow ?? campaign.sendNow,
    scheduledAt: input.scheduledAt === null ? null : campaign.scheduledAt,
  };
}

/** Whether this call, with what was stored before it, publishes: a draft of an author says publish: false. */
export function publishes({ publish, sendNow, scheduledAt, gradual, localTime }: CampaignInput): boolean {
  if (publish !== undefined) return publish;
  return sendNow === true || Boolean(scheduledAt) || Boolean(gradual) || Boolean(localTime);
}

export function refusePast(at: Date, now: Date, field: string): void {
  if (at.getTime() < now.getTime() - PAST_TOLERANCE_MS)
    throw invalid(`${field} is in the past.`, `${field}: is more than a minute in the past`);
}

/** A scheduled campaign whose plan begins at another time is rescheduled. */
function saysNothing(campaign: Campaign, input: CampaignInput): boolean {
  const { publish, sendNow, scheduledAt, gradual, localTime } = input;
  const movesTest = campaign.localTime && input.test !== undefined;
  const movesStart = campaign.status === 'scheduled' && (gradual?.startAt !== undefined || movesTest);
  const times = [publish, sendNow, scheduledAt, localTime];
  return times.every((time) => time === undefined) && !movesStart;
}

function modeOf(campaign: Campaign, input: CampaignInput, scheduledAt: Date | null): Campaign['sendMode'] {
  const { sendMode, gradual, sendNow } = input;
  if (sendMode) return sendMode;
  if (gradual) return 'gradual';
  const isKept = gradual === undefined && sendNow === undefined && input.scheduledAt === undefined;
  if (isKept || (campaign.sendMode === 'gradual' && gradual !== null)) return campaign.sendMode;
  return scheduledAt ? 'scheduled' : 'immediate';
}
