import {
  createCustomField,
  createCustomFields,
  deleteCustomField,
  getCustomField,
  listCustomFields,
  updateCustomField,
} from '../../../core/people/contacts/custom-fields.ts';
import { pageQuery } from '../../../schemas/common.ts';
import {
  createCustomFieldBody,
  createCustomFieldsBody,
  createdCustomFieldsAnswer,
  customFieldAnswer,
  customFieldsAnswer,
  updateCustomFieldBody,
} from '../../../schemas/people/custom-fields.ts';
import { endpoint } from '../../http/endpoint.ts';
import { presentPage } from '../../present/page.ts';
import { presentCustomField } from '../../present/people.ts';

const tag = 'custom fields';

export const customFieldRoutes = [
  endpoint({
    operation: 'customFields.list',
    method: 'get',
    path: '/custom-fields',
    key: 'token',
    tag,
    summary: 'List the declared fields, by name',
    query: pageQuery,
    answer: customFieldsAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('customFields', await listCustomFields(deps, project, query), presentCustomField),
  }),
  endpoint({
    operation: 'customFields.create',
    method: 'post',
    path: '/custom-fields',
    key: 'token',
    tag,
    summary: 'Declare a field; values written from now on must have its type',
    body: createCustomFieldBody,
    answer: customFieldAnswer,
    status: 201,
    errors: { 409: 'A field with this name is declared already.' },
    handler: async ({ deps, project, body, request }) =>
      presentCustomField(await createCustomField(deps, project, body, request)),
  }),
  endpoint({
    operation: 'customFields.bulk',
    method: 'post',
    path: '/custom-fields/bulk',
    key: 'token',
    tag,
    summary: 'Declare several fields: all of them or none; a name that is declared already keeps its field',
    body: createCustomFieldsBody,
    answer: createdCustomFieldsAnswer,
    status: 201,
    handler: async ({ deps, project, body, request }) => {
      const { fields, createdCount } = await createCustomFields(deps, project, body.customFields, request);
      return { customFields: fields.map(presentCustomField), createdCount };
    },
  }),
  endpoint({
    operation: 'customFields.get',
    method: 'get',
    path: '/custom-fields/{customFieldId}',
    key: 'token',
    tag,
    summary: 'Get a declared field',
    answer: customFieldAnswer,
    handler: async ({ deps, project, params }) =>
      presentCustomField(await getCustomField(deps, project, params.customFieldId ?? '')),
  }),
  endpoint({
    operation: 'customFields.update',
    method: 'patch',
    path: '/custom-fields/{customFieldId}',
    key: 'token',
    tag,
    summary: 'Change the label, the description or the default value of a declared field; name and type stay',
    body: updateCustomFieldBody,
    answer: customFieldAnswer,
    handler: async ({ deps, project, params, body }) =>
      presentCustomField(await updateCustomField(deps, project, params.customFieldId ?? '', body)),
  }),
  endpoint({
    operation: 'customFields.delete',
    method: 'delete',
    path: '/custom-fields/{customFieldId}',
    key: 'token',
    tag,
    summary: 'Delete the declaration of a field; contacts keep their values',
    handler: async ({ deps, project, params }) => deleteCustomField(deps, project, params.customFieldId ?? ''),
  }),
];
