import type { AutomationDelay } from '../model.ts';

/** For the Web UI: the current wait, in the caller's own units. */
function describeDelay({ value, unit }: AutomationDelay): string {
  const name = { minutes: 'minute', mins: 'minute', hours: 'hour', days: 'day' }[unit];
  return `${value} ${name}${value === 1 ? '' : 's'}`;
}

/** "wait 3 days, then welcome-2" */
export function describeWait(delay: AutomationDelay, then: string | null): string {
  return `wait ${describeDelay(delay)}, then ${then ?? 'the end'}`;
}
