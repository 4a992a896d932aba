import { type Entry, type Filter, isBehaviour, isFilter, isMembership } from './model.ts';

type Given = Record<string, unknown>;

/** As the caller gave it, with every fieldType made explicit, so that declaring a field later does not change its meaning. */
export function storedForm(given: Given, { logicalOperator, groups }: Filter): Given {
  const entries = (given.groups ?? given.conditions) as Given[];
  return { logicalOperator, groups: groups.map((entry, index) => formOf(entries[index] ?? {}, entry)) };
}

/** Whether a filter as it is stored asks about behaviour, on any level. */
export function asksAboutBehaviour(stored: object | null): boolean {
  if (!stored) return false;
  if ('behaviour' in stored) return true;
  return 'groups' in stored && Array.isArray(stored.groups) && stored.groups.some(asksAboutBehaviour);
}

function formOf(given: Given, entry: Entry): Given {
  if (isFilter(entry)) return storedForm(given, entry);
  if (isBehaviour(entry) || isMembership(entry)) return { ...entry };
  const { field, operator, value } = given;
  const { id, fieldType } = entry;
  return { ...(id === undefined ? {} : { id }), field, operator, ...(value === undefined ? {} : { value }), fieldType };
}
