import { createForm, deleteForm, getForm, listForms, updateForm } from '../../../core/forms/forms.ts';
import { pageQuery } from '../../../schemas/common.ts';
import { createFormBody, formAnswer, formsAnswer, updateFormBody } from '../../../schemas/forms.ts';
import { endpoint } from '../../http/endpoint.ts';
import { presentForm } from '../../present/forms.ts';
import { presentPage } from '../../present/page.ts';

const tag = 'forms';

export const formRoutes = [
  endpoint({
    operation: 'forms.create',
    method: 'post',
    path: '/forms',
    key: 'token',
    tag,
    summary: 'Create a form by which people subscribe',
    description: 'Its page is at `url`, and `embed` has what to put in a page of an allowed origin.',
    body: createFormBody,
    answer: formAnswer,
    status: 201,
    errors: { 404: 'A list, template or group is unknown.' },
    handler: async ({ deps, project, body, request }) =>
      presentForm(await createForm(deps, project, body, request), project, deps.config),
  }),
  endpoint({
    operation: 'forms.list',
    method: 'get',
    path: '/forms',
    key: 'token',
    tag,
    summary: 'List forms, newest first',
    query: pageQuery,
    answer: formsAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('forms', await listForms(deps, project, query), (form) => presentForm(form, project, deps.config)),
  }),
  endpoint({
    operation: 'forms.get',
    method: 'get',
    path: '/forms/{formId}',
    key: 'token',
    tag,
    summary: 'Get a form, with what to embed in a page',
    answer: formAnswer,
    handler: async ({ deps, project, params }) =>
      presentForm(await getForm(deps, project, params.formId ?? ''), project, deps.config),
  }),
  endpoint({
    operation: 'forms.update',
    method: 'patch',
    path: '/forms/{formId}',
    key: 'token',
    tag,
    summary: 'Update a form; fields, texts and redirects are given whole',
    body: updateFormBody,
    answer: formAnswer,
    errors: {
      404: 'The form, or a list, template or group that it names, is unknown.',
      409: 'It was changed after updatedAt.',
    },
    handler: async ({ deps, project, params, body }) =>
      presentForm(await updateForm(deps, project, params.formId ?? '', body), project, deps.config),
  }),
  endpoint({
    operation: 'forms.delete',
    method: 'delete',
    path: '/forms/{formId}',
    key: 'token',
    tag,
    summary: 'Delete a form; people who wait for their confirmation can still confirm',
    errors: { 409: 'It lets people into an active automation.' },
    handler: async ({ deps, project, params }) => deleteForm(deps, project, params.formId ?? ''),
  }),
];
