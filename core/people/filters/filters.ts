import { readMembership } from './membership.ts';
import {
  type Behaviour,
  type Condition,
  type Entry,
  type Filter,
  isBehaviour,
  isInLastDays,
  type Leaf,
  LIST_FIELD,
  leavesOf,
  type Membership,
} from './model.ts';
import { type BehaviourLimits, readBehaviour } from './read-behaviour.ts';
import { isObject, isProblem, type Problem, readCondition, type DeclaredTypes as Types } from './read-condition.ts';

export { type Fact, type Past, Tally } from './behaviour.ts';
export { compileField, compileFilter, type FilterSubject } from './matching.ts';
export { listsNamedIn } from './membership.ts';
export {
  type Behaviour,
  type BehaviourKind,
  behavioursOf,
  type Condition,
  type Filter,
  hasConditions,
  isBehaviour,
  isFilter,
  LIST_FIELD,
  SEARCHED_LENGTH_MAX,
  searchedLength,
  searchedTooLong,
} from './model.ts';
export { filterToQuery } from './queries.ts';
export type { BehaviourLimits } from './read-behaviour.ts';
export { readDateField } from './read-condition.ts';
export { asksAboutBehaviour, storedForm } from './stored-form.ts';
export { compileWindows } from './windows.ts';

const ENTRIES_MAX = 50;
const CONDITIONS_MAX = 100;
const LEVELS_MAX = 5;
const PROBLEMS_MAX = 5;
/** Segments that use this have to be compared again when time passes. */
export const TIME = 'time';

export interface DeclaredTypes extends Types {
  /** refused: behaviour and windows are not allowed here. Left out: the filter is stored already, and was checked. */
  behaviour?: BehaviourLimits | 'refused';
}

type ParsedFilter = { ok: true; filter: Filter } | { ok: false; details: string };

/** The problems and conditions so far, of all levels. */
interface Reading {
  declared: DeclaredTypes;
  problems: string[];
  conditions: number;
}

/** Parses filterCriteria as callers write them into the one form that is matched; `path` is their location in the body, for messages. */
export function parseFilter(input: unknown, declared: DeclaredTypes, path = 'filterCriteria'): ParsedFilter {
  const reading: Reading = { declared, problems: [], conditions: 0 };
  const filter = readGroups(input, path, 1, reading);
  if (reading.conditions > CONDITIONS_MAX)
    return { ok: false, details: `${path}: must hold ${CONDITIONS_MAX} conditions at most, on all levels together` };
  if (!filter || reading.problems.length > 0) return { ok: false, details: reading.problems.join('; ') };
  return { ok: true, filter };
}

/** The fields and kinds of behaviour that the filter depends on: while none of them changes, its result does not change. */
export function filterFields(filter: Filter): string[] {
  return [...new Set(leavesOf(filter).flatMap(fieldsOf))];
}

/** The name under which a kind of behaviour is among the fields of a filter. */
export function behaviourField(kind: Behaviour['behaviour']): string {
  return `behaviour.${kind}`;
}

function fieldsOf(leaf: Leaf): string[] {
  if (isBehaviour(leaf)) return [behaviourField(leaf.behaviour), TIME];
  return isInLastDays(leaf) ? [leaf.field, TIME] : [leaf.field];
}

function readGroups(input: unknown, path: string, level: number, reading: Reading): Filter | null {
  const fail = (problem: string) => {
    reading.problems.push(problem);
    return null;
  };
  if (!isObject(input)) return fail(`${path}: must be an object with logicalOperator and groups`);
  if (level > LEVELS_MAX) return fail(`${path}: must not be deeper than ${LEVELS_MAX} levels`);
  const logicalOperator = readLogicalOperator(input.logicalOperator);
  if (!logicalOperator) fail(`${path}/logicalOperator: must be AND or OR`);
  const given = input.groups ?? input.conditions;
  if (!Array.isArray(given) || given.length < 1 || given.length > ENTRIES_MAX)
    return fail(`${path}/groups: must hold 1 to ${ENTRIES_MAX} entries`);
  const groups: Entry[] = [];
  for (const [index, group] of given.entries()) {
    const entry = readEntry(group, `${path}/groups/${index}`, level, reading);
    if (entry) groups.push(entry);
    if (reading.problems.length >= PROBLEMS_MAX || reading.conditions > CONDITIONS_MAX) break;
  }
  return logicalOperator && { logicalOperator, groups };
}

function readEntry(group: unknown, path: string, level: number, reading: Reading): Entry | null {
  if (isObject(group) && isNested(group)) return readGroups(group, path, level + 1, reading);
  reading.conditions += 1;
  const read = readLeaf(group, reading.declared);
  if (!isProblem(read)) return read;
  reading.problems.push(`${path}${read.problem}`);
  return null;
}

function isNested(group: Record<string, unknown>): boolean {
  return group.field === undefined && group.behaviour === undefined && ('groups' in group || 'conditions' in group);
}

function readLeaf(group: unknown, declared: DeclaredTypes): Leaf | Problem {
  if (!isObject(group)) return { problem: ': must be an object with field, operator and value' };
  const { behaviour: limits } = declared;
  if (group.behaviour !== undefined) {
    if (group.field !== undefined) return { problem: '/behaviour: must not be given with field' };
    if (limits === 'refused') return { problem: '/behaviour: is not allowed here; use it in a segment or a branch' };
    return readBehaviour(group, limits);
  }
  const read: Condition | Membership | Problem =
    group.field === LIST_FIELD ? readMembership(group) : readCondition(group, declared);
  if (limits === 'refused' && !isProblem(read) && isInLastDays(read))
    return { problem: `/operator: ${read.operator} is not allowed here; use it in a segment or a branch` };
  return read;
}

function readLogicalOperator(given: unknown): 'AND' | 'OR' | null {
  const text = given === undefined || given === null ? 'AND' : typeof given === 'string' ? given.toUpperCase() : '';
  return text === 'AND' || text === 'OR' ? text : null;
}
