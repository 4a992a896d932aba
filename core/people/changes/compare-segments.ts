import type { ObjectId } from 'mongodb';
import { type FilterSubject, type Past, TIME } from '../filters/filters.ts';
import type { Contact } from '../model.ts';
import type { ProjectRules } from '../project-rules.ts';

/** The data that segments are compared by, apart from the contact. */
export interface View {
  now: Date;
  /** The past of a contact, as this transaction sees it; null: it was not read, because no segment may ask. */
  pastOf: ((contactId: ObjectId) => Past) | null;
}

/** Contacts whose windows pass within this time are written together. */
const WINDOWS_TOGETHER_MS = 10_000;

type Compared = Pick<Contact, 'segmentIds' | 'windowDueAt'>;

/**
 * Only segments that use a changed field are compared again; null: all of them. Ids that do not change are the same array, a time that does
 * not change is the same date.
 */
export function compareSegments(
  rules: Pick<ProjectRules, 'segments'>,
  contact: Contact,
  before: Contact | null,
  changedFields: ReadonlySet<string> | null,
  { now, pastOf }: View,
): Compared {
  const known = before?.segmentIds ?? [];
  const wasIn = (id: ObjectId) => known.some((one) => one.equals(id));
  const mayDiffer = (fields: ReadonlySet<string>) =>
    !changedFields || [...fields].some((field) => changedFields.has(field));
  const subject: FilterSubject = { contact, nowMs: now.getTime(), past: pastOf?.(contact._id) };
  // The time kept so far is right for the segments that are not compared.
  const isWhole = !changedFields || changedFields.has(TIME);
  const dueAt = before?.windowDueAt;
  let dueMs = isWhole ? Infinity : (dueAt?.getTime() ?? Infinity);
  const ids = rules.segments.flatMap(({ _id, fields, matches, nextChange }) => {
    if (!mayDiffer(fields)) return wasIn(_id) ? [_id] : [];
    if (nextChange) dueMs = Math.min(dueMs, afterRounding(nextChange(subject)));
    return matches(subject) ? [_id] : [];
  });
  const segmentIds = ids.length === known.length && ids.every(wasIn) ? known : ids;
  if (dueMs === Infinity) return { segmentIds };
  return { segmentIds, windowDueAt: dueAt?.getTime() === dueMs ? dueAt : new Date(dueMs) };
}

/** Whether the contact is compared by the time of that change. */
export function isDueBefore({ windowDueAt }: Pick<Contact, 'windowDueAt'>, changeMs: number): boolean {
  return changeMs === Infinity || (windowDueAt !== undefined && windowDueAt.getTime() <= afterRounding(changeMs));
}

function afterRounding(ms: number): number {
  return Math.ceil(ms / WINDOWS_TOGETHER_MS) * WINDOWS_TOGETHER_MS;
}
