import type { Condition, DeclaredTypes, FilterSubject } from '../../people/filters/filters.ts';
import type { EntryCriteria, EntryType } from '../model/definition.ts';
import { compileCriteria } from './criteria.ts';
import type { DateCriteria } from './dates.ts';
import { propertyPath } from './definition.ts';

/** A contact with the fields that filters and lists read. */
export type Person = FilterSubject['contact'] & {
  _id: { toHexString(): string };
  listIds: ReadonlyArray<{ toHexString(): string }>;
  segmentIds: ReadonlyArray<{ toHexString(): string }>;
};

interface PersonChange {
  before: Person | null;
  after: Person | null;
}

/** The compiled entry criteria of one automation. */
export interface CompiledEntry {
  type: EntryType;
  eventName: string | null;
  formId: string | null;
  /** Of ours, to which a mail lets its sender in. */
  address: string | null;
  dates: DateCriteria | null;
  /** Whether this change enrolls the contact. Contacts that already matched before the change do not enter. */
  isEnteredBy(change: PersonChange): boolean;
  /** Whether the filter lets the person in: asked where no change of the contact is the entry. */
  admits(subject: FilterSubject): boolean;
  /** For entry_criteria_no_longer_met; always true when the criteria cannot cease to match. */
  stillHolds(person: Person): boolean;
}

export function compileEntry(entry: EntryCriteria, declared: DeclaredTypes): CompiledEntry {
  const { matches } = compileCriteria(entry.filterCriteria ?? null, declared);
  const never = () => false;
  const always = () => true;
  const base = {
    type: entry.type,
    eventName: null,
    formId: null,
    address: null,
    dates: null,
    isEnteredBy: never,
    admits: matches,
    stillHolds: always,
  };
  switch (entry.type) {
    case 'contact_created':
      return { ...base, isEnteredBy: ({ before, after }) => !before && !!after && matches({ contact: after }) };
    case 'event_trigger':
      return { ...base, eventName: entry.eventName ?? null };
    case 'form_submitted':
      return { ...base, formId: entry.formId ?? null };
    case 'email_received':
      return { ...base, address: entry.address ?? null };
    case 'date_reached':
      return { ...base, dates: entry };
    case 'contact_added_to_list': {
      const isIn = (person: Person | null) => !!person && isInList(person, entry.listId ?? '');
      return {
        ...base,
        isEnteredBy: ({ before, after }) => !!after && isIn(after) && !isIn(before) && matches({ contact: after }),
        stillHolds: isIn,
      };
    }
    case 'list_left': {
      const isIn = (person: Person) => isInList(person, entry.listId ?? '');
      return {
        ...base,
        isEnteredBy: ({ before, after }) =>
          !!before && !!after && isIn(before) && !isIn(after) && matches({ contact: after }),
        stillHolds: (person) => !isIn(person),
      };
    }
    case 'contact_property_matches_with': {
      const holds = (person: Person | null) => !!person && matches({ contact: person });
      return {
        ...base,
        isEnteredBy: ({ before, after }) => holds(after) && !holds(before),
        stillHolds: holds,
      };
    }
    case 'contact_property_changes_from_to':
      return { ...base, ...compileChange(entry, declared, matches) };
  }
}

function compileChange(
  { property = '', fromValue, toValue }: EntryCriteria,
  declared: DeclaredTypes,
  matches: (subject: FilterSubject) => boolean,
): Pick<CompiledEntry, 'isEnteredBy' | 'stillHolds'> {
  const path = propertyPath(property) ?? '';
  const stored = (person: Person) => {
    const record = path.startsWith('contactProperties.') ? person.contactProperties : person;
    const name = path.slice(path.lastIndexOf('.') + 1);
    return record && Object.hasOwn(record, name) ? ((record as Record<string, unknown>)[name] ?? null) : null;
  };
  const hasFrom = valueTest(path, fromValue, declared);
  const hasTo = valueTest(path, toValue, declared);
  return {
    isEnteredBy: ({ before, after }) =>
      !!before &&
      !!after &&
      stored(before) !== stored(after) &&
      hasFrom(before) &&
      hasTo(after) &&
      matches({ contact: after }),
    stillHolds: hasTo,
  };
}

/** Compares as the filter engine does; "" means an empty property, an absent value means any value. */
function valueTest(path: string, value: unknown, declared: DeclaredTypes): (person: Person) => boolean {
  if (value === undefined) return () => true;
  const condition = value === '' ? { field: path, operator: 'is_empty' } : { field: path, operator: 'equals', value };
  const fieldType: Partial<Condition> = value === '' ? { fieldType: 'string' } : {};
  const { matches } = compileCriteria({ groups: [{ ...condition, ...fieldType }] }, declared);
  return (contact) => matches({ contact });
}

function isInList({ listIds, segmentIds }: Person, listId: string): boolean {
  return listIds.some((id) => id.toHexString() === listId) || segmentIds.some((id) => id.toHexString() === listId);
}
