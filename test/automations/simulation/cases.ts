import fc from 'fast-check';
import type { LifeEnd } from '../lives.ts';

export type Item = { minute: number } & (
  | { kind: 'plan'; plan: string }
  | { kind: 'join' | 'leave' | 'unsubscribe' | 'delete' }
  | { kind: 'event'; amount: number }
  | { kind: 'home'; home: string | null }
  | { kind: 'due'; due: number | null }
  /** On the last mail; a click on the link that steps ask for, or on another. */
  | { kind: 'act'; act: 'opens' | 'clicks' | 'replies'; isOffer: boolean }
  /** The form, or a mail to the address that entries are by. */
  | { kind: 'submit' | 'write' }
);

export interface Case {
  entry: string;
  reentry: object | string | undefined;
  exits: boolean;
  pairs: Pair[];
  /** Before the branches, so that they see it. */
  update: { plan: string; list: 'join' | 'leave' | null } | null;
  /** A webhook that is waited for, after it. */
  ask: { answers: 'plan' | 'nothing' | 'nonsense' | 'never'; plan: string; hours: number; skipsOver: boolean } | null;
  /** The shares of people, after it: of the first share there is a pair, and the second stays or leaves. */
  split: { share: number; leaves: boolean; pair: Pair } | null;
  branches: Array<{ plan: string; event: boolean; all: boolean; merges: boolean; leaves: boolean; pairs: Pair[] }>;
  elseGoesOn: boolean;
  /** After the pairs, and at the end. */
  goals: Array<{ plan: string; isEvent: boolean } | null>;
  contact: { plan: string; joined: boolean; home: string | null; due: number | null };
  items: Item[];
  /** Whether it is simulated as the draft of an active automation, and published then. */
  isDrafted: boolean;
  /** How the workers end, one after the other; the last one stays. */
  lives: LifeEnd[];
}

export interface Pair {
  value: number;
  unit: string;
  checks: [boolean, boolean];
  /** A wait until then, in place of the delay. */
  until: object | null;
  /** Or for an event, for the delay at most; a time-out passes over the mail, where there is a pair after it. */
  event: { since: string; filters: boolean; skips: boolean; act: 'opened' | 'clicked' | 'replied' | null } | null;
}

const plans = fc.constantFrom('pro', 'pro', 'free', 'team', '');
const homes = fc.constantFrom('Asia/Tokyo', 'America/New_York', 'Australia/Lord_Howe', 'Mars/Olympus', null);
/** A date, in minutes after the beginning. */
const dues = fc.option(fc.integer({ min: -1_440, max: 6 * 1_440 }), { freq: 8 });
const direction = fc.constantFrom('before', 'after');
const untils = fc.oneof(
  fc.record(
    {
      time: fc.constantFrom('00:00', '09:00', '13:37', '23:45'),
      weekdays: fc.subarray(['mon', 'wed', 'fri', 'sun'], { minLength: 1 }),
      timezone: fc.constantFrom('contact', 'contact', 'Asia/Kathmandu'),
      latestAfterDays: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: ['time'] },
  ),
  fc.record(
    {
      property: fc.constant('contactProperties.due_on'),
      offset: fc.record({ value: fc.integer({ min: 0, max: 30 }), unit: fc.constant('hours'), direction }),
    },
    { requiredKeys: ['property'] },
  ),
);
const pair: fc.Arbitrary<Pair> = fc.record({
  value: fc.integer({ min: 0, max: 3 }),
  unit: fc.constantFrom('minutes', 'hours', 'hours', 'days', 'days'),
  checks: fc.tuple(fc.boolean(), fc.boolean()),
  until: fc.option(untils, { freq: 2 }),
  event: fc.option(
    fc.record({
      since: fc.constantFrom('step', 'entry'),
      filters: fc.boolean(),
      skips: fc.boolean(),
      act: fc.constantFrom('opened' as const, 'clicked' as const, 'replied' as const, null),
    }),
    { freq: 3 },
  ),
});
const goal = fc.option(fc.record({ plan: plans, isEvent: fc.boolean() }), { freq: 2 });
const minute = fc.integer({ min: 1, max: 5 * 1_440 });
const item: fc.Arbitrary<Item> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ minute, kind: fc.constant('plan' as const), plan: plans }) },
  { weight: 4, arbitrary: fc.record({ minute, kind: fc.constantFrom('join' as const, 'leave' as const) }) },
  {
    weight: 7,
    arbitrary: fc.record({ minute, kind: fc.constant('event' as const), amount: fc.integer({ min: 0, max: 9 }) }),
  },
  { weight: 2, arbitrary: fc.record({ minute, kind: fc.constant('home' as const), home: homes }) },
  { weight: 2, arbitrary: fc.record({ minute, kind: fc.constant('due' as const), due: dues }) },
  {
    weight: 7,
    arbitrary: fc.record({
      minute,
      kind: fc.constant('act' as const),
      act: fc.constantFrom('opens' as const, 'clicks' as const, 'clicks' as const, 'replies' as const),
      isOffer: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ minute, kind: fc.constantFrom('submit' as const, 'write' as const) }) },
  { weight: 1, arbitrary: fc.record({ minute, kind: fc.constantFrom('unsubscribe' as const, 'delete' as const) }) },
);
const lifeEnd: fc.Arbitrary<LifeEnd> = fc.record({
  words: fc.integer({ min: 1, max: 90 }),
  how: fc.constantFrom('killed before', 'killed after', 'replaced'),
});
export const cases: fc.Arbitrary<Case> = fc.record({
  entry: fc.constantFrom('created', 'list', 'matches', 'changes', 'event', 'left', 'date', 'date', 'form', 'mail'),
  reentry: fc.constantFrom(undefined, 'once', 'after_exit', { afterDays: 1 }),
  exits: fc.boolean(),
  pairs: fc.array(pair, { minLength: 1, maxLength: 2 }),
  update: fc.option(fc.record({ plan: plans, list: fc.constantFrom('join' as const, 'leave' as const, null) }), {
    freq: 3,
  }),
  ask: fc.option(
    fc.record({
      answers: fc.constantFrom(
        'plan' as const,
        'plan' as const,
        'nothing' as const,
        'nonsense' as const,
        'never' as const,
      ),
      plan: plans,
      hours: fc.integer({ min: 1, max: 24 }),
      skipsOver: fc.boolean(),
    }),
    { freq: 2 },
  ),
  split: fc.option(fc.record({ share: fc.integer({ min: 20, max: 80 }), leaves: fc.boolean(), pair }), { freq: 2 }),
  branches: fc.array(
    fc.record({
      plan: plans,
      event: fc.boolean(),
      all: fc.boolean(),
      merges: fc.boolean(),
      /** By an exit step, where it does not merge. */
      leaves: fc.boolean(),
      pairs: fc.array(pair, { minLength: 1, maxLength: 2 }),
    }),
    { maxLength: 2 },
  ),
  elseGoesOn: fc.boolean(),
  goals: fc.tuple(goal, goal),
  contact: fc.record({ plan: plans, joined: fc.boolean(), home: homes, due: dues }),
  /** In one minute two things have an order in the run, and none in the simulation. */
  items: fc.uniqueArray(item, { minLength: 3, maxLength: 14, selector: ({ minute: n }) => n }),
  isDrafted: fc.boolean(),
  lives: fc.array(lifeEnd, { maxLength: 5 }),
});
