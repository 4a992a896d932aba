import type { createCustomFieldBody } from '../../../schemas/people/custom-fields.ts';
import { RESERVED_FIELD_NAMES } from '../../../schemas/people/custom-fields.ts';
import type { Described } from '../../../schemas/schema.ts';
import { isDuplicateKey } from '../../base/database/idempotent-insert.ts';
import { inTransaction } from '../../base/database/transactions.ts';
import { conflict, invalid, notFound } from '../../base/errors.ts';
import { derivedId, findById } from '../../base/ids.ts';
import type { Origin } from '../../base/maker.ts';
import type { Project, PropertyType, PropertyValue } from '../../base/model.ts';
import { type Page, type PageOf, pageOf } from '../../base/paging.ts';
import { coerce } from '../../base/text/coercion.ts';
import type { PeopleDeps } from '../deps.ts';
import type { CustomField } from '../model.ts';
import { projectRulesOf, touchProjectRules } from '../project-rules.ts';

type CustomFieldInput = Described<typeof createCustomFieldBody>;

type Tenant = Pick<Project, '_id'>;

/** Existing values of contacts keep their type; new values are coerced to the declared one. */
export async function createCustomField(
  deps: PeopleDeps,
  project: Tenant,
  input: CustomFieldInput,
  { at, seed }: Origin,
): Promise<CustomField> {
  const _id = derivedId(at, 'custom field', seed.toHexString());
  const field = newField(input, { _id, projectId: project._id, now: deps.clock.now() });
  try {
    await inTransaction(deps, async (session) => {
      await touchProjectRules(deps, project, session);
      await deps.db.customFields.insertOne(field, { session });
    });
    return field;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // A repeat of the same request meets the field of the first try.
    const own = await deps.db.customFields.findOne({ _id: field._id, projectId: project._id });
    if (!own) throw taken();
    return own;
  }
}

/** All of them or none. A name that is declared already keeps its field as it is: the answer has each name's field, in their order. */
export async function createCustomFields(
  deps: PeopleDeps,
  project: Tenant,
  inputs: readonly CustomFieldInput[],
  { at, seed }: Origin,
): Promise<{ fields: CustomField[]; createdCount: number }> {
  const projectId = project._id;
  const now = deps.clock.now();
  const made = inputs.map((input, index) => {
    const _id = derivedId(at, 'custom field', seed.toHexString(), index);
    return newField(input, { _id, projectId, now }, `customFields/${index}/`);
  });
  const names = new Set<string>();
  for (const [index, { fieldName }] of made.entries()) {
    const at = `customFields/${index}/fieldName`;
    if (names.has(fieldName))
      throw invalid(`${at}: ${fieldName} is in this call twice. Leave one of them out.`, `${at}: is there twice`);
    names.add(fieldName);
  }
  const fields = await inTransaction(deps, async (session) => {
    await touchProjectRules(deps, project, session);
    const stored = await deps.db.customFields
      .find({ projectId, fieldName: { $in: [...names] } }, { session, hint: 'field_name' })
      .toArray();
    const known = new Map(stored.map((field) => [field.fieldName, field]));
    const missing = made.filter(({ fieldName }) => !known.has(fieldName));
    if (missing.length > 0) await deps.db.customFields.insertMany(missing, { session });
    return made.map((field) => known.get(field.fieldName) ?? field);
  });
  // A repeat of the same request finds the fields of the first try.
  const createdCount = fields.filter(({ _id }, index) => _id.equals(made[index]?._id)).length;
  return { fields, createdCount };
}

export async function listCustomFields(deps: PeopleDeps, project: Tenant, page: Page): Promise<PageOf<CustomField>> {
  return pageOf(deps.db.customFields, { projectId: project._id }, page, {
    sort: { fieldName: 1 },
    hint: 'field_name',
  });
}

export async function declaredFields(deps: PeopleDeps, project: Tenant): Promise<CustomField[]> {
  const { fields } = await projectRulesOf(deps, project._id);
  return [...fields.values()].sort((a, b) => (a.fieldName < b.fieldName ? -1 : 1));
}

export function getCustomField(deps: PeopleDeps, project: Tenant, id: string): Promise<CustomField> {
  return findById(deps.db.customFields, project, id, 'CUSTOM_FIELD');
}

/** Stored values were coerced by name and type, so these cannot change: the label is what a person renames. */
export async function updateCustomField(
  deps: PeopleDeps,
  project: Tenant,
  id: string,
  { fieldName, fieldType, label, description, defaultValue }: Partial<CustomFieldInput>,
): Promise<CustomField> {
  const field = await getCustomField(deps, project, id);
  for (const [name, given, stored] of [
    ['fieldName', fieldName, field.fieldName],
    ['fieldType', fieldType, field.fieldType],
  ])
    if (given !== undefined && given !== stored)
      throw invalid(
        `${name}: cannot change; change its label, or create another custom field.`,
        `${name}: cannot change`,
      );
  const change = {
    label: label ?? field.label,
    description: description ?? field.description,
    defaultValue: defaultValue === undefined ? field.defaultValue : readDefault(field.fieldType, defaultValue),
    updatedAt: deps.clock.now(),
  };
  return inTransaction(deps, async (session) => {
    await touchProjectRules(deps, project, session);
    const updated = await deps.db.customFields.findOneAndUpdate(
      { _id: field._id, projectId: project._id },
      { $set: change },
      { returnDocument: 'after', session },
    );
    if (!updated) throw notFound('CUSTOM_FIELD');
    return updated;
  });
}

/** Contacts keep the values, undeclared. */
export async function deleteCustomField(deps: PeopleDeps, project: Tenant, id: string): Promise<void> {
  const { _id } = await getCustomField(deps, project, id);
  await inTransaction(deps, async (session) => {
    await touchProjectRules(deps, project, session);
    const { deletedCount } = await deps.db.customFields.deleteOne({ _id, projectId: project._id }, { session });
    if (deletedCount === 0) throw notFound('CUSTOM_FIELD');
  });
}

/** `at` is where the input is in the request's body: '' or 'customFields/2/'. */
function newField(
  { fieldName, fieldType, label = '', description = '', defaultValue = null }: CustomFieldInput,
  { _id, projectId, now }: Pick<CustomField, '_id' | 'projectId'> & { now: Date },
  at = '',
): CustomField {
  if (RESERVED_FIELD_NAMES.includes(fieldName))
    throw invalid(`${at}fieldName: is the name of a field that every contact has.`, `${at}fieldName: is reserved`);
  return {
    _id,
    projectId,
    fieldName,
    fieldType,
    label,
    description,
    defaultValue: readDefault(fieldType, defaultValue, at),
    createdAt: now,
    updatedAt: now,
  };
}

function readDefault(type: PropertyType, given: PropertyValue | null, at = ''): PropertyValue | null {
  if (given === null) return null;
  const read = coerce(type, given);
  if (!read.ok) throw invalid(`${at}defaultValue: must be a ${type}.`, `${at}defaultValue: must be a ${type}`);
  return read.value;
}

function taken() {
  return conflict('ALREADY_EXISTS', 'This project has a custom field with this name already.', 'fieldName: is taken');
}
