import { refuseStrangers } from '../../../core/accounts/members.ts';
import { testTemplate } from '../../../core/mail/accept/send-test.ts';
import { previewTemplate, previewWritten } from '../../../core/mail/previews/drafts.ts';
import { convertSource } from '../../../core/templates/convert/convert.ts';
import { listVersions, publishTemplate, readTemplate, restoreTemplate } from '../../../core/templates/publish.ts';
import { startersIn } from '../../../core/templates/starters/starters.ts';
import { createTemplate, deleteTemplate, listTemplates, updateTemplate } from '../../../core/templates/templates.ts';
import { renderedBlocks } from '../../../core/templates/written.ts';
import { testAnswer } from '../../../schemas/campaigns/campaigns.ts';
import { pageQuery } from '../../../schemas/common.ts';
import { convertedAnswer, convertTemplateBody } from '../../../schemas/templates/conversions.ts';
import {
  previewAnswer,
  previewBody,
  previewDraftBody,
  renderAnswer,
  renderTemplateBody,
} from '../../../schemas/templates/previews.ts';
import { startersAnswer, startersQuery } from '../../../schemas/templates/starters.ts';
import {
  createTemplateBody,
  publishTemplateBody,
  restoreTemplateBody,
  templateAnswer,
  templateQuery,
  templatesAnswer,
  templatesQuery,
  testTemplateBody,
  updateTemplateBody,
  versionsAnswer,
} from '../../../schemas/templates/templates.ts';
import { endpoint, PREVIEWS_A_MINUTE } from '../../http/endpoint.ts';
import { presentLongPage, presentPage } from '../../present/page.ts';
import { presentTemplate, presentTemplateAt, presentVersion } from '../../present/templates.ts';

const tag = 'templates';
const DRAFTS =
  'For an editor that asks while a person types. A fault of the template is 400, with `field: line 3, column 14: what is wrong` as `details`. `previewUrl` shows the newest of the last 40 previews of a project; 600 a minute.';

export const templateRoutes = [
  endpoint({
    operation: 'templates.create',
    method: 'post',
    path: '/templates',
    key: 'token',
    tag,
    summary: 'Create a template; one with a syntax error is refused with the number of the line',
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
      presentLongPage('templates', await listTemplates(deps, project, query), (one) => presentTemplate(one)),
  }),
  endpoint({
    operation: 'templates.starters',
    method: 'get',
    path: '/templates/starters',
    key: 'token',
    tag,
    summary: 'List twelve mails to begin with, as content blocks',
    query: startersQuery,
    answer: startersAnswer,
    handler: async ({ deps, query }) => ({ starters: startersIn(query.language ?? 'en', deps.config.publicUrl) }),
  }),
  endpoint({
    operation: 'templates.get',
    method: 'get',
    path: '/templates/{templateId}',
    key: 'token',
    tag,
    summary: 'Get a template as it is published, or one of its versions',
    query: templateQuery,
    answer: templateAnswer,
    errors: { 404: 'The template is unknown, or the version is gone.' },
    handler: async ({ deps, project, params, query }) =>
      presentTemplateAt(await readTemplate(deps, project, params.templateId ?? '', query.version)),
  }),
  endpoint({
    operation: 'templates.versions',
    method: 'get',
    path: '/templates/{templateId}/versions',
    key: 'token',
    tag,
    summary: 'List the versions of a template, newest first',
    description: 'The last 100, the published one and the draft are kept.',
    query: pageQuery,
    answer: versionsAnswer,
    handler: async ({ deps, project, params, query }) =>
      presentPage('versions', await listVersions(deps, project, params.templateId ?? '', query), presentVersion),
  }),
  endpoint({
    operation: 'templates.publish',
    method: 'post',
    path: '/templates/{templateId}/publish',
    key: 'token',
    tag,
    summary: 'Publish the newest draft of a template; what is sent from now on is made of it',
    body: publishTemplateBody,
    answer: templateAnswer,
    errors: { 409: 'The version is not the newest draft, or another one was saved or published meanwhile.' },
    handler: async ({ deps, project, params, body, request: { by } }) =>
      presentTemplateAt(await publishTemplate(deps, project, params.templateId ?? '', body.version, { by })),
  }),
  endpoint({
    operation: 'templates.restore',
    method: 'post',
    path: '/templates/{templateId}/restore',
    key: 'token',
    tag,
    summary: 'Save the content of an earlier version as the newest draft',
    body: restoreTemplateBody,
    answer: templateAnswer,
    errors: { 404: 'The template is unknown, or the version is gone.', 409: 'There is a newer version.' },
    handler: async ({ deps, project, params, body, request: { by } }) =>
      presentTemplateAt(await restoreTemplate(deps, project, params.templateId ?? '', body, { by })),
  }),
  endpoint({
    operation: 'templates.update',
    method: 'patch',
    path: '/templates/{templateId}',
    key: 'token',
    tag,
    summary: 'Update a template, at once or as a draft; mail that is queued keeps the old version',
    body: updateTemplateBody,
    answer: templateAnswer,
    errors: { 409: 'There is a newer version than newestVersion, or it was changed after updatedAt.' },
    handler: async ({ deps, project, params, body, request: { by } }) =>
      presentTemplateAt(
        await updateTemplate(deps, project, params.templateId ?? '', body as typeof body & TemplateObjects, { by }),
      ),
  }),
  endpoint({
    operation: 'templates.delete',
    method: 'delete',
    path: '/templates/{templateId}',
    key: 'token',
    tag,
    summary: 'Delete a template that no campaign before its start and no active automation uses',
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
    perMinute: PREVIEWS_A_MINUTE,
    handler: async ({ deps, project, params, body }) => previewTemplate(deps, project, params.templateId ?? '', body),
  }),
  endpoint({
    operation: 'templates.previewDraft',
    method: 'post',
    path: '/templates/preview',
    key: 'token',
    tag,
    summary: 'Render a template that is being written, without saving it',
    description: DRAFTS,
    body: previewDraftBody,
    answer: previewAnswer,
    errors: { 422: 'The template fails with these data.' },
    isComputed: true,
    perMinute: PREVIEWS_A_MINUTE,
    handler: async ({ deps, project, body }) => previewWritten(deps, project, body),
  }),
  endpoint({
    operation: 'templates.render',
    method: 'post',
    path: '/templates/render',
    key: 'token',
    tag,
    summary: 'Compile content blocks to HTML and text, without saving them',
    description:
      'Both are sources with {{variables}}. A fault is 400 and names its block, as when the content is saved.',
    body: renderTemplateBody,
    answer: renderAnswer,
    isComputed: true,
    perMinute: PREVIEWS_A_MINUTE,
    handler: async ({ deps, project, body }) => renderedBlocks(deps, project, body),
  }),
  endpoint({
    operation: 'templates.convert',
    method: 'post',
    path: '/templates/convert',
    key: 'token',
    tag,
    summary: 'Make content blocks of HTML or MJML, with a note for each line that they do not have; nothing is saved',
    description:
      'HTML of which no blocks can be made is answered as emailTemplate, and the notes say why; MJML is refused then, with the line.',
    body: convertTemplateBody,
    answer: convertedAnswer,
    isComputed: true,
    perMinute: PREVIEWS_A_MINUTE,
    handler: async ({ body }) => convertSource(body),
  }),
  endpoint({
    operation: 'templates.test',
    method: 'post',
    path: '/templates/{templateId}/test',
    key: 'token',
    tag,
    summary: 'Send a template to a few addresses, with [Test] before its subject',
    body: testTemplateBody,
    answer: testAnswer,
    errors: { 422: 'The domain that it is to come from is not verified.' },
    handler: async ({ deps, project, organization, params, body, request }) => {
      await refuseStrangers(deps, organization._id, body.emails, request);
      return testTemplate(deps, project, params.templateId ?? '', body, request);
    },
  }),
];

/** Free objects: JSON Schema does not describe them further. */
interface TemplateObjects {
  editorJson?: Record<string, unknown> | null;
  parentBodyProperties?: Record<string, unknown> | null;
}
