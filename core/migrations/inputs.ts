import type { planBody } from '../../schemas/migrations/plans.ts';
import type { migrateABody, migrateBBody } from '../../schemas/migrations/starts.ts';
import type { Described } from '../../schemas/schema.ts';
import { invalid, unprocessable } from '../base/errors.ts';
import type { PropertyType } from '../base/model.ts';
import type { MigrationInput } from './migrations.ts';
import type { MigrationMapping, MigrationSelection } from './model.ts';

type Id = string | number;

type KeyFields = Described<typeof planBody>;
type MigrateABody = Described<typeof migrateABody>;
type MigrateBBody = Described<typeof migrateBBody>;

interface MappingFields {
  providerAFieldId?: Id | undefined;
  providerAFieldName?: string | undefined;
  sendgridFieldId?: Id | undefined;
  sendgridFieldName?: string | undefined;
  providerBFieldId?: Id | undefined;
  providerBFieldName?: string | undefined;
  resendFieldId?: Id | undefined;
  resendFieldName?: string | undefined;
  fieldName: string;
  fieldType: PropertyType;
}

/** Printable ASCII only: it is sent in a header. */
const KEY = /^[\x21-\x7e]+$/;

export function requireKey(body: KeyFields): string {
  const key = givenKey(body);
  if (key === null) throw invalid('Give the key of the source provider as apiKey.', 'apiKey: is required');
  return key;
}

/** null: no key was given. */
export function givenKey(body: KeyFields): string | null {
  const given = body.apiKey ?? body.providerAApiKey ?? body.providerBApiKey ?? body.sendgridApiKey ?? body.resendApiKey;
  if (given === undefined) return null;
  const key = given.trim();
  if (!KEY.test(key)) throw unprocessable('INVALID_PROVIDER_KEY', 'The key of the source provider is not one.');
  return key;
}

export function inputForA(body: MigrateABody): MigrationInput {
  const { templateIds, unsubscribeGroupIds, customFieldIds, contactListIds } = body;
  const selection = selectionOf(body.migrateAll, {
    templateIds,
    groupIds: unsubscribeGroupIds,
    fieldIds: customFieldIds,
    listIds: contactListIds,
    topicIds: undefined,
  });
  const required = body.requireSuppressions ? { requireSuppressions: true } : {};
  return { provider: 'providerA', ...commonOf(body, selection), ...required };
}

export function inputForB(body: MigrateBBody): MigrationInput {
  const { templateIds, customFieldIds, audienceIds, topicIds } = body;
  const selection = selectionOf(body.migrateAll, {
    templateIds,
    groupIds: undefined,
    fieldIds: customFieldIds,
    listIds: audienceIds,
    topicIds,
  });
  return { provider: 'providerB', ...commonOf(body, selection) };
}

function commonOf(body: MigrateABody | MigrateBBody, selection: MigrationSelection) {
  return {
    key: requireKey(body),
    selection,
    mappings: (body.customFieldMappings ?? []).map(mappingOf),
    updateTemplates: body.onExistUpdateHTML ?? false,
    runWorkflow: body.runWorkflow ?? false,
  };
}

type Given = Record<keyof MigrationSelection, Id[] | undefined>;

/** Everything, or only the named items. Fields are made of mappings, even when everything else is selected. */
function selectionOf(migrateAll: boolean | undefined, given: Given): MigrationSelection {
  const named = Object.values(given).some((ids) => ids !== undefined && ids.length > 0);
  if (!migrateAll && !named)
    throw invalid(
      'Say what to migrate: migrateAll: true, or at least one id.',
      'migrateAll: must be true when no ids are given',
    );
  const chosen = (ids: Id[] | undefined) => (migrateAll ? null : [...new Set((ids ?? []).map(String))]);
  return {
    templateIds: chosen(given.templateIds),
    groupIds: chosen(given.groupIds),
    fieldIds: [...new Set((given.fieldIds ?? []).map(String))],
    listIds: chosen(given.listIds),
    topicIds: chosen(given.topicIds),
  };
}

function mappingOf(mapping: MappingFields, index: number): MigrationMapping {
  const { fieldName, fieldType } = mapping;
  const id = mapping.providerAFieldId ?? mapping.sendgridFieldId ?? mapping.providerBFieldId ?? mapping.resendFieldId;
  const name =
    mapping.providerAFieldName ?? mapping.sendgridFieldName ?? mapping.providerBFieldName ?? mapping.resendFieldName;
  if (id === undefined && name === undefined)
    throw invalid(
      'A custom field mapping names the field of the source by id or by name.',
      `customFieldMappings/${index}: must name a field of the source`,
    );
  return { sourceId: id === undefined ? null : String(id), sourceName: name ?? null, fieldName, fieldType };
}
