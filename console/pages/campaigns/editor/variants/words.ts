import { counted, people, weekday } from '../../../../parts/data/format.ts';
import type { Draft } from '../draft.ts';
import { indexesOf, keyOf, VARIANT_IDS, type VariantFields } from './given.ts';

const MINUTE_MS = 60_000;

export interface Plan {
  holdOut: number;
  /** People of each variant, in their order. */
  each: number[];
  /** People who wait for the better one. */
  rest: number;
}

/** The people of each variant; null: the form cannot be read. */
export function planOf(fields: VariantFields, willReceive: number): Plan | null {
  const holdOutShare = Number(fields.holdOutShare);
  const variants = indexesOf(fields);
  const shares = variants.map((index) => Number(fields[keyOf(index, 'share')]));
  const parts = shares.some((share) => share > 0) ? shares : shares.map(() => 1);
  const whole = parts.reduce((sum, part) => sum + part, 0);
  const test = fields.comparing === 'test' ? Number(fields['test/share']) : 100;
  if (![holdOutShare, test, ...shares].every((n) => Number.isFinite(n) && n >= 0)) return null;
  if (holdOutShare > 90 || test > 100) return null;
  const holdOut = Math.round((willReceive * holdOutShare) / 100);
  const reached = willReceive - holdOut;
  const size = Math.min(reached, Math.max(variants.length, Math.round((reached * test) / 100)));
  let [before, summed] = [0, 0];
  const each = parts.map((part) => {
    summed += part;
    const until = Math.round((size * summed) / whole);
    const own = until - before;
    before = until;
    return own;
  });
  return { holdOut, each, rest: variants.length > 0 ? reached - size : reached };
}

/** 'About 100 people get nothing. 190 people get A, 190 people get B. …' */
export function planWords(draft: Draft, { holdOut, each, rest }: Plan): string {
  const nothing = holdOut > 0 ? `About ${people(holdOut)} ${holdOut === 1 ? 'gets' : 'get'} nothing.` : '';
  if (each.length === 0) return `${nothing} ${people(rest)} ${rest === 1 ? 'gets' : 'get'} the mail.`.trim();
  const all = each.map((n, index) => `${people(n)} ${n === 1 ? 'gets' : 'get'} ${VARIANT_IDS[index]}`).join(', ');
  return [nothing, `${all}.`, draft.comparing === 'test' && decisionWords(draft, rest)].filter(Boolean).join(' ');
}

const GOALS = { humanClicks: 'clicks', humanOpens: 'opens' } as const;

function decisionWords(draft: Draft, rest: number): string {
  const { 'test/metric': metric, event } = draft;
  const goal = metric === 'event' ? `the event ${event}`.trim() : GOALS[metric];
  const after = Number(draft['test/decideAfterMinutes']);
  const [giveUp, least] = [minutesWords(Number(draft['test/giveUpAfterMinutes'])), Number(draft['test/minPerVariant'])];
  const start = draft.when === 'scheduled' ? Date.parse(draft.scheduledAt) : Number.NaN;
  const at = Number.isNaN(start)
    ? `${minutesWords(after)} after the last of them`
    : `From about ${weekday(start + after * MINUTE_MS)} on`;
  const tie = draft['test/onTie'] === 'first' ? 'A goes to them' : 'they wait until you choose';
  const who = rest === 1 ? 'the other person' : `the other ${people(rest)}`;
  const first = `${at[0]?.toUpperCase()}${at.slice(1)}, and once ${counted(least, 'person has', 'people have')} each, the mail that does better by ${goal} goes to ${who}.`;
  return `${first} If the figures have not decided after ${giveUp}, ${tie}.`;
}

/** '90 minutes', '2 hours', '3 days' */
export function minutesWords(minutes: number): string {
  if (minutes % 1_440 === 0) return counted(minutes / 1_440, 'day');
  return minutes % 60 === 0 ? counted(minutes / 60, 'hour') : counted(minutes, 'minute');
}

/** Fewer people than a decision needs; null: enough. */
export function tooFew(draft: Draft, { each }: Plan): string | null {
  const least = Number(draft['test/minPerVariant']);
  const smallest = Math.min(...each);
  if (each.length === 0 || draft.comparing !== 'test' || !(smallest < least)) return null;
  return `One variant reaches only ${people(smallest)}, and you want ${people(least)} for each. Test with a larger part, or ask for fewer.`;
}
