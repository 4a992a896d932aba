import { ObjectId } from 'mongodb';
import type { PropertyValue, Session } from '../../base/model.ts';
import type { PeopleDeps } from '../deps.ts';
import { changedValues } from '../fields.ts';
import type { ContactHistory, FieldChange } from '../model.ts';
import type { ProjectRules } from '../project-rules.ts';
import type { PublishedChange } from '../subscribers.ts';

/** Of one change; more of them only count. */
const FIELDS_KEPT_MAX = 50;
const VALUE_KEPT_MAX = 200;

/** In the transaction of the change, so that each change is in the history once. */
export async function recordHistory(
  { db, clock }: PeopleDeps,
  session: Session,
  projectId: ObjectId,
  _rules: ProjectRules,
  changes: PublishedChange[],
): Promise<void> {
  const at = clock.now();
  const written = changes.flatMap((change) => historyOf(change, { projectId, at }) ?? []);
  if (written.length > 0) await db.contactHistory.insertMany(written, { session });
}

/** The first contact that had the address and left it since this time. null: none did. */
export async function contactThatLeft(
  { db }: { db: Pick<PeopleDeps['db'], 'contactHistory'> },
  projectId: ObjectId,
  email: string,
  since: Date,
): Promise<ObjectId | null> {
  const left = {
    'fields.field': 'email',
    fields: { $elemMatch: { field: 'email', from: email } },
    at: { $gte: since },
  };
  const change = await db.contactHistory.findOne(
    { projectId, ...left },
    { projection: { contactId: 1 }, hint: 'former', sort: { at: 1 } },
  );
  return change?.contactId ?? null;
}

function historyOf(
  { before, after, importId, causedBy }: PublishedChange,
  given: Pick<ContactHistory, 'projectId' | 'at'>,
): ContactHistory | null {
  if (!after) return null;
  const fields = before ? changedValues(before, after) : [];
  const automationId = causedBy?.at(-1);
  const joinedListIds = without(after.listIds, before?.listIds ?? []);
  const leftListIds = without(before?.listIds ?? [], after.listIds);
  if (before && fields.length + joinedListIds.length + leftListIds.length === 0) return null;
  return {
    ...{ _id: new ObjectId(), ...given, contactId: after._id, kind: before ? 'updated' : 'created' },
    ...(fields.length > 0
      ? { fields: fields.slice(0, FIELDS_KEPT_MAX).map(shortened), fieldCount: fields.length }
      : {}),
    ...(joinedListIds.length > 0 ? { joinedListIds } : {}),
    ...(leftListIds.length > 0 ? { leftListIds } : {}),
    ...(importId ? { importId } : {}),
    ...(automationId ? { automationId } : {}),
  };
}

/** An address is kept whole, since it finds what names it. */
function shortened({ field, from, to }: FieldChange): FieldChange {
  return field === 'email' ? { field, from, to } : { field, from: cut(from), to: cut(to) };
}

function cut(value: PropertyValue | null): PropertyValue | null {
  return typeof value === 'string' ? value.slice(0, VALUE_KEPT_MAX) : value;
}

function without(ids: ObjectId[], others: ObjectId[]): ObjectId[] {
  if (ids === others) return [];
  const known = new Set(others.map((id) => id.toHexString()));
  return ids.filter((id) => !known.has(id.toHexString()));
}
