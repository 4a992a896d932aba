import type { MailDeps } from '../../deps.ts';
import type { CountedPart, Message, SmtpReply } from '../model.ts';
import { states } from '../states.ts';

/** The numbers of the series; docs/decisions/0019-series.md says which time each has. Stored by their place: add new ones at the end. */
export const COUNTS = [
  'sent',
  'delivered',
  'opened',
  'humanOpened',
  'clicked',
  'bounced',
  'deferred',
  'complained',
  'unsubscribed',
  'accepted',
] as const;
export type CountName = (typeof COUNTS)[number];

export interface Fact {
  did: CountName;
  at: Date;
  by: 1 | -1;
  /** Of a deferral; null when the connection ended without one. */
  reply?: SmtpReply | null;
}

export type CountedRow = Pick<
  Message,
  'state' | 'createdAt' | 'campaignId' | 'sentAt' | 'endedAt' | 'timeline' | 'counted'
>;

const DEFERRED_LINE = 'deferred';
/** A mail that is sent within this time is counted once, with its outcome; one that waits for longer is counted twice. */
const ACCEPTED_AFTER_MS = 10_000;
/** The fields of a row that its facts are read from. */
export const FACT_FIELDS = {
  ...{ state: 1, createdAt: 1, campaignId: 1, sentAt: 1, endedAt: 1, counted: 1 },
  ...{ 'timeline.type': 1, 'timeline.at': 1, 'timeline.reply': 1 },
} as const;

/** Everything that happened to the mail. */
export function factsOf(row: CountedRow): Fact[] {
  return [...acceptance(row), ...factsAt(timesOf(row), 1), ...deferrals(row)];
}

/** Changes that wait to be counted. */
export function waitingFacts(row: CountedRow): Fact[] {
  const { counted } = row;
  if (!counted) return [];
  const accepted = counted.isNew ? acceptance(row) : [];
  const changed = [...factsAt(timesOf(row), 1), ...factsAt(counted, -1), ...deferrals(row).slice(counted.deferred)];
  return [...accepted, ...changed];
}

/** Without the changes that wait: the same however often the row changes in between. */
export function countedFacts(row: CountedRow): Fact[] {
  const { counted } = row;
  if (!counted) return factsOf(row);
  const accepted = counted.isNew ? [] : acceptance(row);
  return [...accepted, ...factsAt(counted, 1), ...deferrals(row).slice(0, counted.deferred)];
}

/** The fields of a new row, of any lane but campaigns: it is to be counted as accepted. */
export function newlyAccepted({ clock }: Pick<MailDeps, 'clock'>): Required<Pick<Message, 'counted' | 'countDueAt'>> {
  const countDueAt = new Date(clock.now().getTime() + ACCEPTED_AFTER_MS);
  return { counted: { isNew: true, deferred: 0 }, countDueAt };
}

/** Recipients of campaigns have no row when they are accepted: the freeze counts them. */
function acceptance({ createdAt, campaignId }: CountedRow): Fact[] {
  return createdAt && !campaignId ? [{ did: 'accepted', at: createdAt, by: 1 }] : [];
}

function timesOf({ state, sentAt, endedAt }: CountedRow): Pick<CountedPart, 'sentAt' | 'bouncedAt'> {
  const bouncedAt = state === states.bounced ? (endedAt ?? sentAt) : undefined;
  return { ...(sentAt ? { sentAt } : {}), ...(bouncedAt ? { bouncedAt } : {}) };
}

function factsAt({ sentAt, bouncedAt }: Pick<CountedPart, 'sentAt' | 'bouncedAt'>, by: 1 | -1): Fact[] {
  const facts: Fact[] = [];
  if (sentAt) facts.push({ did: 'sent', at: sentAt, by });
  if (sentAt && !bouncedAt) facts.push({ did: 'delivered', at: sentAt, by });
  if (bouncedAt) facts.push({ did: 'bounced', at: bouncedAt, by });
  return facts;
}

function deferrals({ timeline = [] }: CountedRow): Fact[] {
  const lines = timeline.filter(({ type }) => type === DEFERRED_LINE);
  return lines.map(({ at, reply }) => ({ did: 'deferred', at, by: 1, reply: reply ?? null }));
}

/**
 * For the first stage of an update that may change what is counted: the job that counts finds the row, and learns from `counted` what
 * it was before the first change that waits. `when` is an expression.
 */
export function waitToBeCounted(when: unknown = true): object {
  const isDeferral = { $eq: ['$$line.type', DEFERRED_LINE] };
  const lines = { $filter: { input: { $ifNull: ['$timeline', []] }, as: 'line', cond: isDeferral } };
  const before = {
    sentAt: '$sentAt',
    bouncedAt: { $cond: [{ $eq: ['$state', states.bounced] }, '$endedAt', '$$REMOVE'] },
    deferred: { $size: lines },
  };
  return {
    counted: { $cond: [when, { $ifNull: ['$counted', before] }, '$counted'] },
    countDueAt: { $cond: [when, '$$NOW', '$countDueAt'] },
  };
}
