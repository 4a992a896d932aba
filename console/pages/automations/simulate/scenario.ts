import type { Automation, EntryCriteria, SimulateAutomationBody, Simulation } from '../../../../client/index.ts';
import { type Asked, settings, type WhatIfs, withWhatIfs } from './what-ifs.ts';

/** The request for a simulation: who the person is, and what they do. Pure. */

export interface Scenario {
  /** A stored contact; null: one that is made up. */
  contactId: string | null;
  /** Of one that is made up: fields of a contact, and contactProperties. */
  made: Pick<Person, 'firstName' | 'lastName' | 'email' | 'contactProperties'>;
  /** The entry names a segment, which people are not put into: they enter by hand. */
  isBySegment: boolean;
  /** After the entry. */
  after: 'nothing' | 'event' | 'unsubscribes' | 'deleted';
  eventName: string;
  afterDays: number;
  /** At the steps of the way. */
  whatIfs: WhatIfs;
}

type Person = NonNullable<SimulateAutomationBody['contact']>;
type Definition = Pick<Automation, 'entryCriteria' | 'steps'>;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** An act can only change what comes after it, so each round settles one more of them. */
const ROUNDS_MAX = 50;

/** Acts at steps come so long after the person gets there, which only an answer says: it is asked again until it agrees. */
export async function simulated(
  ask: (body: Asked) => PromiseLike<Simulation>,
  definition: Definition,
  scenario: Scenario,
  from: Date,
): Promise<{ asked: Asked; answer: Simulation }> {
  const begun = requestOf(definition, scenario, from);
  let asked = begun;
  let answer = await ask(asked);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const next = withWhatIfs(begun, definition.steps, scenario.whatIfs, answer);
    if (JSON.stringify(next) === JSON.stringify(asked)) break;
    asked = next;
    answer = await ask(asked);
  }
  return { asked, answer };
}

/** With what the entry criteria wait for, so that the contact enters. */
export function requestOf({ entryCriteria: entry }: Pick<Automation, 'entryCriteria'>, scenario: Scenario, from: Date) {
  const { contactId, made, isBySegment, after, eventName, afterDays, whatIfs } = scenario;
  const start = from.toISOString();
  const later = new Date(from.getTime() + afterDays * DAY_MS).toISOString();
  const body: Asked = {
    contact: contactId ? { contactId } : {},
    events: [],
    changes: [],
    acts: [],
    answers: settings(whatIfs),
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
  if (!contactId) makeUp(body.contact, made);
  if (after === 'event' && eventName) body.events.push({ at: later, eventName });
  if (after === 'unsubscribes') body.changes.push({ at: later, unsubscribed: true });
  if (after === 'deleted') body.changes.push({ at: later, deleted: true });
  return body;
}

/** A typed value wins over one that the entry needs. */
function makeUp(contact: Person, { contactProperties, ...fields }: Scenario['made']): void {
  const properties = { ...contact.contactProperties, ...contactProperties };
  Object.assign(contact, fields, Object.keys(properties).length > 0 && { contactProperties: properties });
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
