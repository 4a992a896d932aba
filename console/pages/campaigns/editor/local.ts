import type { Campaign, UpdateCampaignBody } from '../../../../client/index.ts';
import { timezone } from '../../../locale.ts';

type Late = NonNullable<Campaign['localTime']>['late'];

/** The fields of a local time, as the interface names them in a refusal. */
export interface LocalFields {
  'localTime/date': string;
  'localTime/time': string;
  'localTime/fallbackTimezone': string;
  'localTime/late': Late;
}

export const LATE: ReadonlyArray<{ value: Late; label: string }> = [
  { value: 'next_day', label: 'get it at this time of the next day' },
  { value: 'now', label: 'get it at once' },
  { value: 'skip', label: 'do not get it' },
];

export function localOf(local: Campaign['localTime']): LocalFields {
  const { date = '', time = '09:00', fallbackTimezone = timezone, late = 'next_day' } = local ?? {};
  return {
    'localTime/date': date,
    'localTime/time': time,
    'localTime/fallbackTimezone': fallbackTimezone,
    'localTime/late': late,
  };
}

/** As the interface takes it; null until it is whole. */
export function localBody(fields: LocalFields): NonNullable<UpdateCampaignBody['localTime']> | null {
  const [date, time] = [fields['localTime/date'], fields['localTime/time']];
  const { 'localTime/fallbackTimezone': fallbackTimezone, 'localTime/late': late } = fields;
  return date && time ? { date, time, fallbackTimezone, late } : null;
}

/** '2026-12-24, 09:00 where each person is' */
export function localWords({ date, time }: { date: string; time: string }): string {
  return `${date}, ${time} where each person is`;
}
