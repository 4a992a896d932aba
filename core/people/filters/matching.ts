import type { ContactField } from '../../../schemas/people/contacts.ts';
import { readDate } from '../../base/text/coercion.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { behaviourHolds, type Past } from './behaviour.ts';
import { type Listed, membershipHolds } from './membership.ts';
import { type Condition, type Entry, type Filter, isBehaviour, isFilter, isInLastDays, isMembership } from './model.ts';
import { compileTest, isNegative } from './value-tests.ts';

/** The contact as it is stored; times may also be ISO strings, as in JSON. */
export interface FilterSubject {
  contact: Listed &
    Partial<Record<ContactField, string | null>> & {
      email?: string;
      contactProperties?: Readonly<Record<string, unknown>>;
      createdAt?: Date | string;
      updatedAt?: Date | string;
    };
  event?: { name: string; properties: Readonly<Record<string, unknown>> };
  /** The time that windows are held against; needed where a filter has one. */
  nowMs?: number;
  /** Left out: the contact did nothing. */
  past?: Past | undefined;
}

type Holds = (subject: FilterSubject) => boolean;

/** Compile once, match many: the result for one contact and the event in question. */
export function compileFilter(filter: Filter): Holds {
  const entries = filter.groups.map(compileEntry);
  return filter.logicalOperator === 'AND'
    ? (subject) => entries.every((holds) => holds(subject))
    : (subject) => entries.some((holds) => holds(subject));
}

function compileEntry(entry: Entry): Holds {
  if (isFilter(entry)) return compileFilter(entry);
  if (isBehaviour(entry)) return behaviourHolds(entry);
  if (isMembership(entry)) return membershipHolds(entry);
  const read = compileField(entry.field);
  if (isInLastDays(entry)) return compileLastDays(entry, read);
  const matches = compileTest(entry);
  return (subject) => matches(read(subject));
}

/** A date of the last days up to now; a date that is still to come is none. */
function compileLastDays(condition: Condition, read: (subject: FilterSubject) => unknown): Holds {
  const days = Number(condition.value);
  const isNot = isNegative(condition);
  return (subject) => {
    const [ms, nowMs] = [readDate(read(subject)), subject.nowMs ?? 0];
    const isIn = ms !== null && ms > nowMs - days * DAY_MS && ms <= nowMs;
    return isIn !== isNot;
  };
}

export function compileField(field: string): (subject: FilterSubject) => unknown {
  const name = field.slice(field.lastIndexOf('.') + 1);
  if (field === 'event.name') return ({ event }) => event?.name;
  if (field.startsWith('event.')) return ({ event }) => own(event?.properties, name);
  if (field.startsWith('contactProperties.')) return ({ contact }) => own(contact.contactProperties, name);
  return ({ contact }) => own(contact, name);
}

function own(record: object | undefined, name: string): unknown {
  return record && Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined;
}
