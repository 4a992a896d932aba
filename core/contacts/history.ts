import { ObjectId } from 'mongodb';
import { CONTACT_FIELDS } from '../../schemas/contacts.ts';
import type { Deps } from '../base/deps.ts';
import type { PropertyValue, Session } from '../base/model.ts';
import type { Contact, ContactHistory, FieldChange } from './model.ts';
import type { ProjectRules } from './project-rules.ts';
import type { PublishedChange } from './subscribers.ts';

/** Of one change; more of them only count. */
const FIELDS_KEPT_MAX = 50;
const VALUE_KEPT_MAX = 200;

/** In the transaction of the change: who asks what happened to a contact finds each change once. */
export async function recordHistory(
  { db, clock }: Deps,
  session: Session,
  projectId: ObjectId,
  _rules: ProjectRules,
  changes: PublishedChange[],
): Promise<void> {
  const at = clock.now();
  const written = changes.flatMap((change) => historyOf(change, { projectId, at }) ?? []);
  if (written.length > 0) await db.contactHistory.insertMany(written, { session });
}

function historyOf(
  { before, after, importId }: PublishedChange,
  given: Pick<ContactHistory, 'projectId' | 'at'>,
): ContactHistory | null {
  if (!after) return null;
  const fields = before ? changedFields(before, after) : [];
  const joinedListIds = without(after.listIds, before?.listIds ?? []);
  const leftListIds = without(before?.listIds ?? [], after.listIds);
  if (before && fields.length + joinedListIds.length + leftListIds.length === 0) return null;
  return {
    ...{ _id: new ObjectId(), ...given, contactId: after._id, kind: before ? 'updated' : 'created' },
    ...(fields.length > 0 ? { fields: fields.slice(0, FIELDS_KEPT_MAX), fieldCount: fields.length } : {}),
    ...(joinedListIds.length > 0 ? { joinedListIds } : {}),
    ...(leftListIds.length > 0 ? { leftListIds } : {}),
    ...(importId ? { importId } : {}),
  };
}

function changedFields(before: Contact, after: Contact): FieldChange[] {
  const own = (['email', ...CONTACT_FIELDS] as const).map((field) => [field, before[field], after[field]] as const);
  const [was, is] = [before.contactProperties, after.contactProperties];
  const names = was === is ? [] : [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const others = names.map((name) => [`contactProperties.${name}`, was[name], is[name]] as const);
  return [...own, ...others].flatMap(([field, from, to]) =>
    from === to ? [] : { field, from: cut(from), to: cut(to) },
  );
}

function cut(value: PropertyValue | null | undefined): PropertyValue | null {
  return typeof value === 'string' ? value.slice(0, VALUE_KEPT_MAX) : (value ?? null);
}

function without(ids: ObjectId[], others: ObjectId[]): ObjectId[] {
  if (ids === others) return [];
  const known = new Set(others.map((id) => id.toHexString()));
  return ids.filter((id) => !known.has(id.toHexString()));
}
