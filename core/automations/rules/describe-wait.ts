import type { AutomationDelay, AutomationUntil } from '../model/definition.ts';
import type { WaitStep } from './waits.ts';

/** For the Web UI: the current wait, in the caller's own units. */
function describeDelay({ value, unit }: AutomationDelay): string {
  const name = { minutes: 'minute', mins: 'minute', hours: 'hour', days: 'day' }[unit];
  return `${value} ${name}${value === 1 ? '' : 's'}`;
}

/** "until 3 days before contactProperties.renewsAt", "until 09:00 on mon, fri in the zone of the person" */
function describeUntil({ time, weekdays, timezone, property, offset }: AutomationUntil): string {
  if (property !== undefined) return offset ? `${describeDelay(offset)} ${offset.direction} ${property}` : property;
  const days = weekdays ? ` on ${weekdays.join(', ')}` : '';
  const zone = timezone === 'contact' ? 'the zone of the person' : (timezone ?? 'the zone of the project');
  return `${time}${days} in ${zone}`;
}

/** "wait 3 days, then welcome-2" */
export function describeWait(step: WaitStep, then: string | null): string {
  return `wait ${describeEnd(step)}, then ${then ?? 'the end'}`;
}

function describeEnd(step: WaitStep): string {
  if (step.type === 'wait') return describeDelay(step.delay);
  if (step.type === 'wait_until') return `until ${describeUntil(step.until)}`;
  const { eventName, timeout } = step.waitEvent;
  return `for ${eventName}, ${describeDelay(timeout)} at most`;
}
