import { invalid } from '../../../base/errors.ts';
import { readDate } from '../../../base/text/coercion.ts';
import { WITH_ZONE } from '../../../base/text/dates.ts';
import { DAY_MS } from '../../../base/time/durations.ts';

const PAST_TOLERANCE_MS = 60_000;
const AHEAD_DAYS_MAX = 30;

/** The time that a call at `now` chose for a mail. */
export function scheduledTime(text: string, now: Date): Date {
  const at = timeAhead(text, now, 'scheduledAt');
  if (at.getTime() - now.getTime() < -PAST_TOLERANCE_MS)
    throw fault('scheduledAt', 'is more than a minute in the past');
  return at;
}

/** The same, where a time that has passed means at once. */
export function timeAhead(text: string, now: Date, field: string): Date {
  // The schema takes times without a zone as UTC. Here a guess would be a mail at the wrong hour.
  const ms = WITH_ZONE.test(text) ? readDate(text) : null;
  if (ms === null) throw fault(field, 'needs a time of day and a zone: Z, or an offset such as +02:00');
  if (ms - now.getTime() > AHEAD_DAYS_MAX * DAY_MS) throw fault(field, `is more than ${AHEAD_DAYS_MAX} days ahead`);
  return new Date(ms);
}

function fault(field: string, problem: string) {
  return invalid(`${field} ${problem}.`, `${field}: ${problem}`);
}
