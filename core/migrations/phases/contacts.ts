import { ObjectId } from 'mongodb';
import { AppError } from '../../base/errors.ts';
import { derivedId } from '../../base/ids.ts';
import type { PropertyType } from '../../base/model.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { type ContactChange, type ContactOutcome, changeContactsTogether } from '../../people/changes/changes.ts';
import { importWriter } from '../../people/changes/counts.ts';
import type { Migration, MigrationNote, MigrationPhase } from '../model.ts';
import { type PhaseRun, withNotes } from '../progress/progress.ts';
import { sourceMobile, sourceName, sourceValue } from '../rules/values.ts';
import type { Source, SourceContact } from '../source.ts';
import { fieldMappings } from './fields.ts';

/** The target of a source property; source names ignore case. */
export interface MappedField {
  sourceName: string;
  fieldName: string;
  fieldType: PropertyType;
}

export interface Imported {
  created: number;
  updated: number;
  failed: number;
  skipped: number;
  errors: MigrationNote[];
  review: MigrationNote[];
}

/** A field that is already declared here keeps its type, whatever the mapping says. */
export async function mappedFields(run: PhaseRun, source: Source): Promise<MappedField[]> {
  const mappings = await fieldMappings(run, source);
  if (mappings.length === 0) return [];
  const { migration, deps } = run;
  const isNameless = mappings.some(({ sourceId, sourceName }) => sourceId !== null || sourceName === null);
  const fields = isNameless ? await source.listFields() : [];
  const names = new Map(fields.map(({ id, name }) => [id, name]));
  const declared = await deps.db.customFields
    .find({ projectId: migration.projectId, fieldName: { $in: mappings.map(({ fieldName }) => fieldName) } })
    .toArray();
  const types = new Map(declared.map(({ fieldName, fieldType }) => [fieldName, fieldType]));
  return mappings.flatMap(({ sourceId, sourceName, fieldName, fieldType }) => {
    const name = (sourceId === null ? undefined : names.get(sourceId)) ?? sourceName;
    if (!name) return [];
    return [{ sourceName: name.toLowerCase(), fieldName, fieldType: types.get(fieldName) ?? fieldType }];
  });
}

/**
 * Writing a page twice is harmless: contacts are upserted by address, and the id of a new one is derived from job and address, so the
 * second time it still counts as created by this job.
 */
export async function importContacts(
  { deps, migration }: PhaseRun,
  contacts: SourceContact[],
  { mapped, addListIds, place = 0 }: { mapped: MappedField[]; addListIds: ObjectId[]; place?: number },
): Promise<Imported> {
  const imported: Imported = { created: 0, updated: 0, failed: 0, skipped: 0, errors: [], review: [] };
  const changes: ContactChange[] = [];
  for (const contact of contacts) {
    const email = normalizeEmail(contact.email);
    if (email) changes.push(changeOf(migration, contact, email, mapped, addListIds, imported.review));
    else if (contact.email === '') imported.skipped += 1;
    else countFailure(imported, contact.email, 'is not an email address');
  }
  const outcomes = await changeContactsTogether(deps, { _id: migration.projectId }, changes, {
    writer: importWriter(idAtPlace(migration, place)),
  });
  for (const [index, outcome] of outcomes.entries()) {
    const { newId, email = '' } = changes[index] as ContactChange;
    if (outcome instanceof AppError) countFailure(imported, email, outcome.message);
    else imported[isOwn(outcome, newId) ? 'created' : 'updated'] += 1;
  }
  return imported;
}

/** Pages that are written at the same time change separate parts of the counts. */
function idAtPlace({ _id }: Migration, place: number): ObjectId {
  const bytes = Buffer.from(_id.id);
  bytes[11] = (bytes[11] ?? 0) + place;
  return new ObjectId(bytes);
}

function changeOf(
  { _id, createdAt, runWorkflow }: Migration,
  contact: SourceContact,
  email: string,
  mapped: MappedField[],
  addListIds: ObjectId[],
  review: MigrationNote[],
): ContactChange {
  const { firstName, lastName, mobile } = contact;
  return {
    email,
    newId: derivedId(createdAt, 'migrated contact', _id.toHexString(), email),
    whenMissing: 'create',
    whenPresent: 'change',
    set: { firstName: sourceName(firstName), lastName: sourceName(lastName), mobile: sourceMobile(mobile) },
    properties: propertiesOf(contact, mapped, review),
    addListIds,
    // A migration should not greet every contact again, unless the caller asks for it.
    runWorkflow: runWorkflow === true,
  };
}

function propertiesOf({ email, properties }: SourceContact, mapped: MappedField[], review: MigrationNote[]) {
  const entries: [string, unknown][] = [];
  for (const { sourceName: name, fieldName, fieldType } of mapped) {
    const value = sourceValue(fieldType, properties[name]);
    if (value === undefined) review.push({ item: email, message: `${name} is no ${fieldType} and was left out` });
    else if (value !== null) entries.push([fieldName, value]);
  }
  return Object.fromEntries(entries);
}

function isOwn({ after }: ContactOutcome, newId: ObjectId): boolean {
  return after?._id.equals(newId) ?? false;
}

function countFailure(imported: Imported, item: string, message: string): void {
  imported.failed += 1;
  imported.errors.push({ item, message });
}

export type Counts = Pick<MigrationPhase, 'succeeded' | 'failed' | 'skipped' | 'created' | 'updated' | 'details'>;

export function countsOf({ succeeded, failed, skipped, created, updated, details }: MigrationPhase): Counts {
  return { succeeded, failed, skipped, created, updated, details };
}

export function addContacts(counts: Counts, page: Imported): Counts {
  return {
    succeeded: counts.succeeded + page.created + page.updated,
    created: counts.created + page.created,
    updated: counts.updated + page.updated,
    failed: counts.failed + page.failed,
    skipped: counts.skipped + page.skipped,
    details: counts.details,
  };
}

/** Members of a list are counted apart: one contact may be in many lists. */
export function addMembers(counts: Counts, page: Imported): Counts {
  const memberships = (counts.details.memberships ?? 0) + page.created + page.updated;
  return { ...counts, details: { ...counts.details, memberships } };
}

export function notesOf(
  phase: MigrationPhase,
  { errors, review }: Imported,
): Pick<MigrationPhase, 'errors' | 'review'> {
  return { errors: withNotes(phase.errors, errors), review: withNotes(phase.review, review) };
}
