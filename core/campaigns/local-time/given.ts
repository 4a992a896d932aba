import type { updateCampaignBody } from '../../../schemas/campaigns/campaigns.ts';
import type { Described } from '../../../schemas/schema.ts';
import { invalid } from '../../base/errors.ts';
import { MINUTE_MS } from '../../base/time/durations.ts';
import type { Campaign, CampaignLocalTime } from '../model.ts';
import { anywhere, isDate } from './rules.ts';

type CampaignInput = Described<typeof updateCampaignBody>;

/** The local time that the campaign has after this call; another time that the call gives takes its place. */
export function localTimeOf(campaign: Campaign, input: CampaignInput): CampaignLocalTime | null {
  const { localTime, sendMode } = input;
  if (localTime) {
    refuseOthers(campaign, input);
    refuseNoDate(localTime);
    const { date, time, fallbackTimezone, late } = localTime;
    return { date, time, fallbackTimezone, late };
  }
  const isReplaced = localTime === null || input.scheduledAt === null || otherTimes(input).length > 0;
  const kept = isReplaced ? null : (campaign.localTime ?? null);
  if (kept && sendMode !== undefined && sendMode !== 'scheduled')
    throw invalid('A campaign at local time is scheduled.', 'sendMode: does not go with localTime');
  return kept;
}

export function refuseNoDate(localTime: CampaignLocalTime | null | undefined): void {
  if (localTime && !isDate(localTime.date))
    throw invalid('The calendar has no such day.', 'localTime/date: is not a date');
}

/**
 * When it begins: as the first zone of the world has the time, or now. With a test so much earlier that the winner is known by then, if
 * figures come in time.
 */
export function firstOf(localTime: CampaignLocalTime, now: Date, test: Campaign['test'] = null): Date {
  const { first } = anywhere(localTime);
  const begin = new Date(first.getTime() - (test ? test.decideAfterMinutes * MINUTE_MS : 0));
  return begin > now ? begin : now;
}

export function refuseOver(localTime: CampaignLocalTime, now: Date, test: Campaign['test'] = null): void {
  if (anywhere(localTime).last < now)
    throw invalid('This time is over in all time zones.', 'localTime/date: this time is over in all time zones');
  if (test && anywhere(localTime).first.getTime() - test.decideAfterMinutes * MINUTE_MS < now.getTime())
    throw invalid(
      'The first zone has this time before the test could be decided.',
      'localTime: the first zone has it before test/decideAfterMinutes are over',
    );
}

function refuseOthers({ sendMode: before }: Campaign, input: CampaignInput): void {
  const [other] = otherTimes(input);
  if (other) throw invalid(`Give localTime or ${other}, not both.`, `localTime: does not go with ${other}`);
  const { sendMode = before === 'gradual' && input.gradual !== null ? before : 'scheduled' } = input;
  if (sendMode !== 'scheduled')
    throw invalid('A campaign at local time is scheduled.', `localTime: does not go with sendMode ${sendMode}`);
}

function otherTimes({ sendNow, scheduledAt, gradual }: CampaignInput): string[] {
  const given = Object.entries({ sendNow, scheduledAt, gradual });
  return given.flatMap(([name, value]) => (value ? [name] : []));
}
