import type { Automation, EntryCriteria, SimulateAutomationBody, Simulation } from '../../../client/index.ts';
import { END, ENTRY, type Walked, type Way, waysOf } from './graph/flow.ts';

/** The acts of a simulated contact, and where it is at a moment. Pure. */

export interface Scenario {
  /** A stored contact; null: one that is made up. */
  contactId: string | null;
  /** The entry names a segment, which people are not put into: they enter by hand. */
  isBySegment: boolean;
  /** After the entry. */
  after: 'nothing' | 'opens' | 'clicks' | 'event' | 'unsubscribes' | 'deleted';
  eventName: string;
  /** Of a click; empty: any link. */
  url: string;
  afterDays: number;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** With what the entry criteria wait for, so that the contact enters. */
export function requestOf({ entryCriteria: entry }: Pick<Automation, 'entryCriteria'>, scenario: Scenario, from: Date) {
  const { contactId, isBySegment, after, eventName, url, afterDays } = scenario;
  const start = from.toISOString();
  const later = new Date(from.getTime() + afterDays * DAY_MS).toISOString();
  const body: Required<Omit<SimulateAutomationBody, 'version' | 'answers' | 'preview'>> = {
    contact: contactId ? { contactId } : {},
    events: [],
    changes: [],
    acts: [],
    byHand: isBySegment,
    from: start,
  };
  const listId = isBySegment ? undefined : entry.listId;
  if (entry.type === 'event_trigger' && entry.eventName) body.events.push({ at: start, eventName: entry.eventName });
  if (entry.type === 'contact_added_to_list' && listId) body.changes.push({ at: start, listIds: [listId] });
  if (entry.type === 'list_left' && listId) {
    Object.assign(body.contact, { listIds: [listId] });
    body.changes.push({ at: start, removeListIds: [listId] });
  }
  if (entry.type === 'form_submitted' && entry.formId)
    body.acts.push({ at: start, kind: 'submits', formId: entry.formId });
  if (entry.type === 'email_received' && entry.address)
    body.acts.push({ at: start, kind: 'writes', address: entry.address });
  if (entry.type === 'date_reached' && entry.property && !contactId)
    Object.assign(body.contact, change(entry.property, dateReachedAfter(entry, from)));
  if (entry.type === 'contact_property_changes_from_to' && entry.property) {
    const { property, fromValue = null, toValue = 'a new value' } = entry;
    if (fromValue !== null) Object.assign(body.contact, change(property, fromValue));
    body.changes.push({ at: start, ...change(property, toValue) });
  }
  // A person opens a mail before clicking in it.
  if (after === 'opens' || after === 'clicks') body.acts.push({ at: later, kind: 'opens' });
  if (after === 'clicks') body.acts.push({ at: later, kind: 'clicks', ...(url && { url }) });
  if (after === 'event' && eventName) body.events.push({ at: later, eventName });
  if (after === 'unsubscribes') body.changes.push({ at: later, unsubscribed: true });
  if (after === 'deleted') body.changes.push({ at: later, deleted: true });
  return body;
}

/** A day that the criteria reach soon after `from`. */
function dateReachedAfter({ offset }: Pick<EntryCriteria, 'offset'>, from: Date): string {
  const unitMs = { minutes: 60_000, hours: HOUR_MS, days: DAY_MS };
  const sign = offset?.direction === 'before' ? 1 : -1;
  const awayMs = offset ? sign * offset.value * unitMs[offset.unit] : 0;
  return new Date(from.getTime() + 2 * DAY_MS + awayMs).toISOString().slice(0, 10);
}

function change(property: string, value: unknown): object {
  const name = /^(?:contactProperties|customFields)\.(.+)$/.exec(property)?.[1];
  return name ? { contactProperties: { [name]: value } } : { [property]: value };
}

export interface Moment {
  key: string;
  at: number;
  kind: 'entered' | Happening['type'] | 'completed' | 'exited' | 'skipped';
  stepId: string | null;
  until: number | null;
  branchId: string | null | undefined;
  words: string;
  /** Of an update_contact that works. */
  update?: Happening['update'];
}

type Happening = Simulation['entries'][number]['steps'][number];

/** All that happens, in its order. */
export function momentsOf({ entries, skipped }: Simulation): Moment[] {
  const empty = { stepId: null, until: null, branchId: undefined };
  const all = entries.flatMap((entry, index): Moment[] => [
    { ...empty, key: `${index} in`, at: Date.parse(entry.enteredAt), kind: 'entered', words: entry.enteredBy },
    ...entry.steps.map(
      (step, number): Moment => ({
        ...{ key: `${index} ${number}`, at: Date.parse(step.at), kind: step.type, stepId: step.stepId },
        ...{ until: step.until ? Date.parse(step.until) : null, branchId: step.branchId },
        ...{ words: step.rule ?? step.reason ?? '', update: step.update },
      }),
    ),
    ...(entry.exit
      ? [
          {
            ...{ ...empty, key: `${index} out`, at: Date.parse(entry.exit.at), kind: entry.exit.status },
            words: entry.exit.reason ?? '',
          },
        ]
      : []),
  ]);
  const missed = skipped.map(
    ({ at, trigger, reason }, index): Moment => ({
      ...{ ...empty, key: `skipped ${index}`, at: Date.parse(at), kind: 'skipped' },
      words: `${trigger}: ${reason.replace(/_/g, ' ')}`,
    }),
  );
  return [...all, ...missed].sort((a, b) => a.at - b.at);
}

export interface Scale {
  unit: 'hour' | 'day';
  unitMs: number;
  /** The last place of the slider: everything has happened by then. */
  last: number;
}

export function scaleOf(moments: readonly Moment[], from: number): Scale {
  const end = Math.max(from, ...moments.map(({ at, until }) => until ?? at));
  const [unit, unitMs] = end - from > 3 * DAY_MS ? (['day', DAY_MS] as const) : (['hour', HOUR_MS] as const);
  return { unit, unitMs, last: Math.max(1, Math.ceil((end - from) / unitMs)) };
}

/** How waits for something from outside end: the ways out of their steps have these names. */
const ENDS: readonly string[] = ['heard', 'timed_out', 'webhook_answered', 'webhook_failed'];

/** The steps and ways that were passed up to `until`. */
export function walkedAt(steps: Automation['steps'], moments: readonly Moment[], until: number): Walked {
  const ways = waysOf(steps);
  const walked = { steps: new Set<string>(), ways: new Set<string>(), at: null as string | null };
  let last: { id: string; branchId: string | null | undefined } | null = null;
  for (const { at, kind, stepId, branchId } of moments) {
    if (at > until || kind === 'skipped' || kind === 'branch_left') continue;
    if (kind === 'exited') {
      last = null;
      continue;
    }
    const id = kind === 'entered' ? ENTRY : kind === 'completed' ? END : stepId;
    if (id === null) continue;
    const way = last && wayBetween(ways, last, id);
    if (way) walked.ways.add(way.id);
    walked.steps.add(id);
    walked.at = id;
    last = { id, branchId: ENDS.includes(kind) ? kind : branchId };
  }
  return walked;
}

function wayBetween(ways: readonly Way[], from: { id: string; branchId: string | null | undefined }, to: string) {
  const found = ways.filter((way) => way.from === from.id && way.to === to);
  return found.find(({ branchId }) => branchId === from.branchId) ?? found[0];
}
