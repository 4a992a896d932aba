import { type Filter, isFilter, isMembership, LIST_FIELD, MEMBERSHIPS, type Membership } from './model.ts';
import type { Problem } from './read-condition.ts';

/** A contact, as far as it is in lists. */
export interface Listed {
  listIds?: ReadonlyArray<{ toHexString(): string }>;
}

const LIST_ID = /^[0-9a-f]{24}$/i;

/** Whether there is such a list is asked where the filter is saved, since that takes the database. */
export function readMembership(given: Record<string, unknown>): Membership | Problem {
  const operator = MEMBERSHIPS.find((name) => name === given.operator);
  if (!operator) return { problem: `/operator: must be one of ${MEMBERSHIPS.join(', ')} for ${LIST_FIELD}` };
  if (given.fieldType !== undefined && given.fieldType !== null)
    return { problem: `/fieldType: must not be given for ${LIST_FIELD}` };
  const { value, id } = given;
  if (typeof value !== 'string' || !LIST_ID.test(value)) return { problem: '/value: must be the id of a list' };
  return { ...(typeof id === 'string' ? { id } : {}), field: LIST_FIELD, operator, value: value.toLowerCase() };
}

export function membershipHolds({ operator, value }: Membership): (subject: { contact: Listed }) => boolean {
  const isNot = operator === 'not_in_list';
  return ({ contact: { listIds = [] } }) => listsOf(listIds).has(value) !== isNot;
}

/** The lists that the filter names, each with its place in the body. */
export function listsNamedIn({ groups }: Filter, path: string): Array<{ listId: string; field: string }> {
  return groups.flatMap((entry, index) => {
    const place = `${path}/groups/${index}`;
    if (isFilter(entry)) return listsNamedIn(entry, place);
    return isMembership(entry) ? [{ listId: entry.value, field: `${place}/value` }] : [];
  });
}

type ListIds = NonNullable<Listed['listIds']>;

/** Made once for a contact, however many conditions it is compared with. Lists of ids are replaced, never changed. */
const sets = new WeakMap<ListIds, ReadonlySet<string>>();

function listsOf(listIds: ListIds): ReadonlySet<string> {
  const known = sets.get(listIds);
  if (known) return known;
  const made = new Set(listIds.map((id) => id.toHexString()));
  sets.set(listIds, made);
  return made;
}
