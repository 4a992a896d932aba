import { previewTemplate } from '../../core/composing/previews.ts';
import {
  createTemplate,
  deleteTemplate,
  findTemplate,
  listTemplates,
  updateTemplate,
} from '../../core/templates/templates.ts';
import {
  createTemplateBody,
  previewAnswer,
  previewBody,
  templateAnswer,
  templatesAnswer,
  templatesQuery,
  updateTemplateBody,
} from '../../schemas/templates.ts';
import { endpoint } from '../http/endpoint.ts';
import { presentPage, presentTemplate } from '../present/present.ts';

const tag = 'templates';

export const templateRoutes = [
  endpoint({
    operation: 'templates.create',
    method: 'post',
    path: '/templates',
    key: 'token',
    tag,
    summary: 'Create a template; a source that does not parse is refused with the line',
    body: createTemplateBody,
    answer: templateAnswer,
    status: 201,
    handler: async ({ deps, project, body, request }) =>
      presentTemplate(await createTemplate(deps, project, body as typeof body & TemplateObjects, request)),
  }),
  endpoint({
    operation: 'templates.list',
    method: 'get',
    path: '/templates',
    key: 'token',
    tag,
    summary: 'List templates, newest first',
    query: templatesQuery,
    answer: templatesAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('templates', await listTemplates(deps, project, query), presentTemplate),
  }),
  endpoint({
    operation: 'templates.get',
    method: 'get',
    path: '/templates/{templateId}',
    key: 'token',
    tag,
    summary: 'Get a template',
    answer: templateAnswer,
    handler: async ({ deps, project, params }) =>
      presentTemplate(await findTemplate(deps, project, params.templateId ?? '')),
  }),
  endpoint({
    operation: 'templates.update',
    method: 'patch',
    path: '/templates/{templateId}',
    key: 'token',
    tag,
    summary: 'Update a template; mail that is queued keeps what it was queued with',
    body: updateTemplateBody,
    answer: templateAnswer,
    handler: async ({ deps, project, params, body }) =>
      presentTemplate(
        await updateTemplate(deps, project, params.templateId ?? '', body as typeof body & TemplateObjects),
      ),
  }),
  endpoint({
    operation: 'templates.delete',
    method: 'delete',
    path: '/templates/{templateId}',
    key: 'token',
    tag,
    summary: 'Delete a template that no draft, schedule or active automation uses',
    errors: { 409: 'It is used.' },
    handler: async ({ deps, project, params }) => deleteTemplate(deps, project, params.templateId ?? ''),
  }),
  endpoint({
    operation: 'templates.preview',
    method: 'post',
    path: '/templates/{templateId}/preview',
    key: 'token',
    tag,
    summary: 'Render a template with data, without sending it',
    body: previewBody,
    answer: previewAnswer,
    errors: { 422: 'The template fails with these data.' },
    handler: async ({ deps, project, params, body }) =>
      previewTemplate(deps, project, params.templateId ?? '', body.dynamicData ?? {}),
  }),
];

/** Free objects: JSON Schema does not describe them further. */
interface TemplateObjects {
  editorJson?: Record<string, unknown> | null;
  parentBodyProperties?: Record<string, unknown> | null;
}
