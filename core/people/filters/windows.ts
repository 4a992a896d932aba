import { readDate } from '../../base/text/coercion.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { behaviourChange } from './behaviour.ts';
import { compileField, type FilterSubject } from './matching.ts';
import { type Condition, type Filter, isBehaviour, isInLastDays, isMembership, type Leaf, leavesOf } from './model.ts';

type NextChange = (subject: FilterSubject) => number;

/** When the passing of time may change the result next, in milliseconds; Infinity: never. null: the filter has no windows. */
export function compileWindows(filter: Filter): NextChange | null {
  const changes = leavesOf(filter).flatMap(windowOf);
  if (changes.length === 0) return null;
  return (subject) => Math.min(...changes.map((next) => next(subject)));
}

function windowOf(leaf: Leaf): NextChange[] {
  if (isBehaviour(leaf)) return [behaviourChange(leaf)];
  if (isMembership(leaf)) return [];
  return isInLastDays(leaf) ? [lastDaysChange(leaf)] : [];
}

/** A date enters its window when it comes, and leaves it after the days. */
function lastDaysChange({ field, value }: Condition): NextChange {
  const read = compileField(field);
  const windowMs = Number(value) * DAY_MS;
  return (subject) => {
    const [ms, nowMs] = [readDate(read(subject)), subject.nowMs ?? 0];
    if (ms === null || ms <= nowMs - windowMs) return Infinity;
    return ms > nowMs ? ms : ms + windowMs;
  };
}
