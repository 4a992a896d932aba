import type { ObjectId } from 'mongodb';
import type { PropertyValue } from '../../base/model.ts';
import type { Pause } from '../../base/work/breathe.ts';
import type { Tally } from '../../people/filters/filters.ts';
import type { Contact } from '../../people/model.ts';
import type { ExitReason, Heard, ReentryRefusal, WebhookAnswer } from '../model/enrollment.ts';
import { type PersonEvent, stepMeant } from './awaited.ts';
import type { CompiledAutomation } from './compile.ts';
import { type Occurrence as DateOccurrence, LATE_MS_MAX, movesOccurrences, nextOccurrence } from './dates.ts';
import { reentryOf, reentryRefusal } from './entering/reentry.ts';
import { decide } from './interpreter.ts';
import type { Facts, PersonChange, Position, StepEvent } from './moves/decision.ts';

type Event = { name: string; properties: Record<string, PropertyValue> };

/** The events around one contact, beginning with its creation. */
export interface World {
  fromMs: number;
  contact: Contact;
  /** A caller enters the contact at the beginning, whatever the entry criteria are. */
  isEntered: boolean;
  /** At the beginning. */
  isUnsubscribed(groupId: string | null): boolean;
  /** The contact's past; events of the simulation are added. */
  tally: Tally;
  /** Whose mails the contact opens. */
  automationId: ObjectId;
  /** Of the webhook of a step; null: it never takes the event. */
  answerAt(stepId: string): WebhookAnswer | null;
  /** Changes the contact by the rules of real changes. */
  change(person: Contact, update: PersonChange['update'], atMs: number): ReturnType<Facts['change']>;
  occurrences: Array<
    | { kind: 'event'; atMs: number; event: Event }
    | { kind: 'submits'; atMs: number; formId: string }
    | { kind: 'writes'; atMs: number; address: string }
    /** Without a step: on the last mail. */
    | {
        kind: 'act';
        atMs: number;
        act: 'opens' | 'clicks' | 'replies';
        url?: string | undefined;
        stepId?: string | undefined;
      }
    | {
        kind: 'change';
        atMs: number;
        apply(before: Contact): Contact;
        deleted: boolean;
        unsubscribed: boolean | null;
      }
  >;
}

type Occurrence = World['occurrences'][number];
type Act = Extract<Occurrence, { kind: 'act' }>;

const EVENT_OF_ACT = { opens: 'email.opened', clicks: 'email.clicked', replies: 'email.replied' } as const;

interface SimulatedEntry {
  enteredAt: Date;
  enteredBy: string;
  steps: Array<StepEvent & { at: Date }>;
  exit: { at: Date; status: 'completed' | 'exited'; reason: ExitReason | null } | null;
}

export interface Simulation {
  entries: SimulatedEntry[];
  skipped: Array<{ at: Date; trigger: string; reason: 'inside' | 'own_change' | ReentryRefusal }>;
  /** The mails, each with the person as they are when it leaves, and the event that let them in. */
  sent: Array<{ at: Date; stepId: string; contact: Contact; event: Event | undefined }>;
}

interface Inside {
  entry: SimulatedEntry;
  position: Position;
  event: Event | undefined;
  untilMs: number;
  enteredMs: number;
  /** Since then, but the one that began it. */
  events: PersonEvent[];
  /** The steps of the mails that were sent since then. */
  mailed: Set<string>;
  heard: Heard[];
}

/** Runs until nothing more happens. Events at the moment of a wake-up happen before it. */
export async function simulate(automation: CompiledAutomation, world: World, pause: Pause): Promise<Simulation> {
  const { entry, definition } = automation;
  const result: Simulation = { entries: [], skipped: [], sent: [] };
  let contact: Contact | null = null;
  let isUnsubscribed = world.isUnsubscribed(definition.unsubscribeGroupId);
  let inside: Inside | null = null;
  let leftMs: number | null = null;
  const reentry = reentryOf(definition);
  /** Occurrences of a date are looked at from here on; those of each year would never end. */
  let dateFromMs = world.fromMs;
  let lastDate: string | null = null;
  let areDatesOver = false;
  let nowMs = world.fromMs;
  /** The acts on the last mail of each step, each once. */
  const done = new Map<string, Set<string>>();
  let lastMail: string | null = null;

  function end(atMs: number, status: 'completed' | 'exited', reason: ExitReason | null): void {
    if (!inside) return;
    inside.entry.exit = { at: new Date(atMs), status, reason };
    inside = null;
    leftMs = atMs;
  }

  async function advance(atMs: number): Promise<void> {
    nowMs = atMs;
    if (!inside || !contact) return;
    const past = world.tally.of(contact._id.toHexString());
    const change: Facts['change'] = (person, update) => world.change(person, update, nowMs);
    const { event, events, enteredMs, heard } = inside;
    const facts = { nowMs, person: contact, event, events, enteredMs, heard, isUnsubscribed, past, change };
    const { stepEvents, changes, next } = await decide(automation, inside.position, facts);
    for (const own of changes) followOwn(own, nowMs);
    for (const { type, stepId } of stepEvents) if (type === 'email') noteMail(inside, contact, stepId);
    inside.entry.steps.push(...stepEvents.map((stepEvent) => ({ ...stepEvent, at: new Date(nowMs) })));
    if (next.kind === 'completed') end(nowMs, 'completed', null);
    else if (next.kind === 'exited') end(nowMs, 'exited', next.reason);
    else {
      inside.position = { stepId: next.stepId, waitFromMs: next.fromMs };
      inside.untilMs = next.untilMs;
      const last = stepEvents.at(-1);
      const answer = last?.type === 'webhook' ? world.answerAt(next.stepId) : null;
      // It answers at once.
      if (!answer) return;
      inside.heard.push({ stepId: next.stepId, at: new Date(nowMs), answer });
      await advance(nowMs);
    }
  }

  function noteMail({ mailed, event }: Inside, person: Contact, stepId: string): void {
    result.sent.push({ at: new Date(nowMs), stepId, contact: person, event });
    mailed.add(stepId);
    done.set(stepId, new Set());
    lastMail = stepId;
  }

  /** A change that the automation makes does not enroll the contact in it again. */
  function followOwn({ before, after }: PersonChange, atMs: number): void {
    contact = after;
    noteDate(before, after, atMs);
    if (before === after || !entry.isEnteredBy({ before, after })) return;
    result.skipped.push({ at: new Date(atMs), trigger: entry.type, reason: 'own_change' });
  }

  async function enter(atMs: number, trigger: string, event?: Event): Promise<void> {
    const at = new Date(atMs);
    const refused = inside ? 'inside' : reentryRefusal(reentry, leftMs, atMs);
    if (refused) {
      result.skipped.push({ at, trigger, reason: refused });
      return;
    }
    const made: SimulatedEntry = { enteredAt: at, enteredBy: trigger, steps: [], exit: null };
    result.entries.push(made);
    const position = { stepId: null, waitFromMs: null };
    inside = { entry: made, position, event, untilMs: atMs, enteredMs: atMs, events: [], mailed: new Set(), heard: [] };
    await advance(atMs);
  }

  async function occur(occurrence: Occurrence): Promise<void> {
    const { atMs } = occurrence;
    nowMs = atMs;
    if (!contact) return;
    if (occurrence.kind === 'event') {
      const { event } = occurrence;
      const { name: eventName, properties } = event;
      world.tally.add(contact._id.toHexString(), { kind: 'event', at: new Date(atMs), eventName, properties });
      if (entry.eventName === event.name && entry.admits({ contact, event }))
        await enter(atMs, `event ${event.name}`, event);
      await hear(atMs, event);
      return;
    }
    if (occurrence.kind === 'submits' || occurrence.kind === 'writes') {
      const isEntry =
        occurrence.kind === 'submits' ? entry.formId === occurrence.formId : entry.address === occurrence.address;
      if (isEntry && entry.admits({ contact })) await enter(atMs, entry.type);
      return;
    }
    if (occurrence.kind === 'act') {
      await act(contact, occurrence);
      return;
    }
    if (occurrence.unsubscribed !== null) isUnsubscribed = occurrence.unsubscribed;
    if (isUnsubscribed) end(atMs, 'exited', 'unsubscribed');
    if (occurrence.deleted) {
      contact = null;
      end(atMs, 'exited', 'contact_deleted');
      return;
    }
    await change(contact, occurrence.apply(contact), atMs);
  }

  async function hear(atMs: number, event: Event): Promise<void> {
    if (!inside || !contact || inside.event === event) return;
    const { position, untilMs, enteredMs, events } = inside;
    const happened = { ...event, at: new Date(atMs) };
    events.push(happened);
    const wait = { fromMs: position.waitFromMs ?? enteredMs, untilMs, enteredMs };
    const meant = await stepMeant(automation, position.stepId, happened, { contact, wait });
    if (meant !== null) await advance(atMs);
  }

  async function act(person: Contact, { atMs, act: kind, url, stepId }: Act): Promise<void> {
    const emailStepId = stepId ?? lastMail;
    if (emailStepId === null || !done.has(emailStepId)) return;
    noteAct(person, { atMs, act: kind, url }, emailStepId);
    const step = automation.graph.byId.get(inside?.position.stepId ?? '');
    if (!inside?.mailed.has(emailStepId) || !step) return;
    const waits = automation.awaited.waitsFrom(step, { event: EVENT_OF_ACT[kind], emailStepId, url });
    for (const wait of waits) inside.heard.push({ stepId: wait.stepId, at: new Date(atMs) });
    if (waits.some((wait) => wait.stepId === step.stepId)) await advance(atMs);
  }

  function noteAct({ _id }: Contact, { atMs, act: kind, url }: Omit<Act, 'kind'>, emailStepId: string): void {
    const key = kind === 'opens' ? kind : `${kind} ${url ?? ''}`;
    const known = done.get(emailStepId);
    if (kind === 'replies' || known?.has(key)) return;
    known?.add(key);
    const { automationId } = world;
    const fact = { at: new Date(atMs), automationId, ...(kind === 'clicks' && url !== undefined ? { url } : {}) };
    for (const one of kind === 'opens' ? (['opened', 'humanOpened'] as const) : (['clicked'] as const))
      world.tally.add(_id.toHexString(), { kind: one, ...fact });
  }

  async function change(before: Contact | null, after: Contact, atMs: number): Promise<void> {
    contact = after;
    noteDate(before, after, atMs);
    if (before === after) return;
    if (entry.isEnteredBy({ before, after })) await enter(atMs, entry.type);
    if (before && inside && reachesGoal(inside.position, { before, after })) await advance(atMs);
  }

  function reachesGoal({ stepId }: Position, { before, after }: { before: Contact; after: Contact }): boolean {
    const step = automation.graph.byId.get(stepId ?? '');
    const goals = step ? automation.awaited.goalsFrom(step) : [];
    const { isMeant } = automation.awaited;
    return goals.some((goal) => isMeant(goal, { contact: after }) && !isMeant(goal, { contact: before }));
  }

  /** A new date counts from now on. */
  function noteDate(before: Contact | null, after: Contact, atMs: number): void {
    if (entry.dates && movesOccurrences(entry.dates, automation.zones, before, after) === 'date') dateFromMs = atMs;
  }

  function nextDate(): DateOccurrence | null {
    if (!entry.dates || !contact || areDatesOver) return null;
    return nextOccurrence(entry.dates, contact, automation.zones, dateFromMs);
  }

  async function reach({ atMs, key }: DateOccurrence): Promise<void> {
    // Another zone may have put it into the past.
    nowMs = Math.max(nowMs, atMs);
    dateFromMs = atMs + 1;
    const isEntry = key !== lastDate && nowMs - atMs <= LATE_MS_MAX;
    lastDate = key;
    if (isEntry && contact && entry.admits({ contact })) await enter(nowMs, entry.type);
  }

  if (world.isEntered) {
    contact = world.contact;
    await enter(world.fromMs, 'by hand');
  } else await change(null, world.contact, world.fromMs);
  // Stable, so that events of the same moment keep their order.
  for (const occurrence of world.occurrences.toSorted((a, b) => a.atMs - b.atMs)) {
    await wakeUntil(occurrence.atMs);
    await occur(occurrence);
    await pause();
  }
  await wakeUntil((nextDate()?.atMs ?? world.fromMs) + 1);
  areDatesOver = true;
  await wakeUntil(Number.POSITIVE_INFINITY);
  return result;

  /** A date comes before the end of a wait at the same moment. */
  async function wakeUntil(beforeMs: number): Promise<void> {
    for (;;) {
      const date = nextDate();
      const endMs = inside?.untilMs ?? Number.POSITIVE_INFINITY;
      const isDate = date !== null && date.atMs <= endMs;
      if ((isDate ? date.atMs : endMs) >= beforeMs) return;
      await (isDate ? reach(date) : advance(endMs));
      await pause();
    }
  }
}
