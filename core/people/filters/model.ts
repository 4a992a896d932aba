import type { PropertyType, PropertyValue } from '../../base/model.ts';

export const OPERATORS = {
  string: ['equals', 'not_equals', 'contains', 'not_contains', 'starts_with', 'ends_with', 'is_empty', 'is_not_empty'],
  number: ['equals', 'not_equals', 'greater_than', 'less_than', 'between'],
  boolean: ['equals', 'not_equals'],
  date: [
    ...['equals', 'not_equals', 'before', 'after', 'between', 'is_empty', 'is_not_empty'],
    ...['in_last_days', 'not_in_last_days'],
  ],
} as const satisfies Record<PropertyType, readonly string[]>;

export type Operator = (typeof OPERATORS)[PropertyType][number];

/** How a value is compared. */
export interface ValueTest {
  fieldType: PropertyType;
  operator: Operator;
  /** Coerced to fieldType; two values for between; a number of days for in_last_days; absent for is_empty and is_not_empty. */
  value?: PropertyValue | [PropertyValue, PropertyValue];
}

export interface Condition extends ValueTest {
  id?: string;
  /** The canonical path: email, contactProperties.plan, event.properties.amount. */
  field: string;
}

/** The lists of a contact, as a field of filters. */
export const LIST_FIELD = 'listIds';
export const MEMBERSHIPS = ['in_list', 'not_in_list'] as const;

/** Whether the contact is in a list. Segments cannot be asked about: they follow from filters, so two could ask about each other. */
export interface Membership {
  id?: string;
  field: typeof LIST_FIELD;
  operator: (typeof MEMBERSHIPS)[number];
  /** The id of the list. */
  value: string;
}

export const BEHAVIOURS = ['opened', 'humanOpened', 'clicked', 'received', 'event'] as const;
export type BehaviourKind = (typeof BEHAVIOURS)[number];

/** Something that a contact did, or never did, in a window of time. */
export interface Behaviour {
  id?: string;
  behaviour: BehaviourKind;
  operator: 'at_least' | 'never';
  /** 1 when left out. */
  count?: number;
  /** Without a window: as long as facts are kept. */
  withinDays?: number;
  /** ISO 8601; both ends belong to the window. */
  from?: string;
  to?: string;
  campaignId?: string;
  automationId?: string;
  url?: string;
  eventName?: string;
  properties?: Record<string, ValueTest>;
}

export type Leaf = Condition | Behaviour | Membership;
export type Entry = Leaf | Filter;

export interface Filter {
  logicalOperator: 'AND' | 'OR';
  groups: Entry[];
}

export function isFilter(entry: Entry): entry is Filter {
  return 'groups' in entry;
}

export function isBehaviour(entry: Entry): entry is Behaviour {
  return 'behaviour' in entry;
}

export function isMembership(entry: Entry): entry is Membership {
  return 'field' in entry && entry.field === LIST_FIELD;
}

/** The conditions of all levels, in their order. */
export function leavesOf({ groups }: Filter): Leaf[] {
  return groups.flatMap((entry) => (isFilter(entry) ? leavesOf(entry) : [entry]));
}

export function behavioursOf(filter: Filter): Behaviour[] {
  return leavesOf(filter).filter(isBehaviour);
}

/** Whether the filter asks about fields or lists of the contact too. */
export function hasConditions(filter: Filter): boolean {
  return leavesOf(filter).some((leaf) => !isBehaviour(leaf));
}

export function isInLastDays({ operator }: Pick<Condition | Membership, 'operator'>): boolean {
  return operator === 'in_last_days' || operator === 'not_in_last_days';
}

/** A short value is searched in a text of any length too, so it counts as this many characters. */
const SEARCHED_LENGTH_MIN = 64;

/**
 * Each change of a contact is compared with all segments and the entry criteria of all active automations of its project at once: with as
 * many searches as this allows, each in a text of 4,096 characters, that takes less than the 50 ms for which an event loop may be held.
 */
export const SEARCHED_LENGTH_MAX = 20_000;

/** The characters that the filter searches in texts. Texts that are compared whole, or at one end, take no time to speak of. */
export function searchedLength(filter: Filter): number {
  return leavesOf(filter)
    .flatMap((leaf): ValueTest[] => {
      if (isMembership(leaf)) return [];
      return isBehaviour(leaf) ? Object.values(leaf.properties ?? {}) : [leaf];
    })
    .filter(({ operator }) => operator === 'contains' || operator === 'not_contains')
    .reduce((sum, { value }) => sum + Math.max(SEARCHED_LENGTH_MIN, String(value).length), 0);
}

/** Follows "the". `where`: the filters that are counted together. */
export function searchedTooLong(where: string, most: number, found: number): string {
  return (
    `values of contains and not_contains in ${where} may have ${most} characters together, each counted as ${SEARCHED_LENGTH_MIN} ` +
    `at least, and they have ${found}; shorten or remove some of them, or use equals or starts_with`
  );
}
