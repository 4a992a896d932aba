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
  { fieldName, fieldType, label = '', description = '', defaultValue = null }: CustomFieldInput,
  { at, seed }: Origin,
): Promise<CustomField> {
  if (RESERVED_FIELD_NAMES.includes(fieldName))
    throw invalid('fieldName: is the name of a field that every contact has.', 'fieldName: is reserved');
  const now = deps.clock.now();
  const field: CustomField = {
    _id: derivedId(at, 'custom field', seed.toHexString()),
    projectId: project._id,
    fieldName,
    fieldType,
    label,
    description,
    defaultValue: readDefault(fieldType, defaultValue),
    createdAt: now,
    updatedAt: now,
  };
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
    label: label ?? field.label ?? '',
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

function readDefault(type: PropertyType, given: PropertyValue | null): PropertyValue | null {
  if (given === null) return null;
  const read = coerce(type, given);
  if (!read.ok) throw invalid(`defaultValue: must be a ${type}.`, `defaultValue: must be a ${type}`);
  return read.value;
}

function taken() {
  return conflict('ALREADY_EXISTS', 'This project has a custom field with this name already.', 'fieldName: is taken');
}
