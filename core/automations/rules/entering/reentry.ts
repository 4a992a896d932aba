import { DAY_MS } from '../../../base/time/durations.ts';
import type { AutomationDefinition, Reentry } from '../../model/definition.ts';
import type { ReentryRefusal } from '../../model/enrollment.ts';

/** A contact is created once; everything else may happen to a person again. */
export function reentryOf({
  reentry,
  entryCriteria,
}: Pick<AutomationDefinition, 'reentry' | 'entryCriteria'>): Reentry {
  return reentry ?? (entryCriteria.type === 'contact_created' ? 'once' : 'after_exit');
}

/** Why a person who is not inside may not enter; `leftMs` is when they left last, null when they never entered. */
export function reentryRefusal(reentry: Reentry, leftMs: number | null, nowMs: number): ReentryRefusal | null {
  if (leftMs === null || reentry === 'after_exit') return null;
  if (reentry === 'once') return 'entered_before';
  return nowMs < leftMs + reentry.afterDays * DAY_MS ? 'too_early' : null;
}
