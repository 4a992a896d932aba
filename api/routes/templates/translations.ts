import {
  deleteTranslation,
  listTranslations,
  putTranslation,
  readTranslation,
} from '../../../core/templates/translations/translations.ts';
import {
  deleteTranslationQuery,
  type GivenTexts,
  putTranslationBody,
  translationAnswer,
  translationQuery,
  translationsAnswer,
} from '../../../schemas/templates/translations.ts';
import { endpoint } from '../../http/endpoint.ts';
import { presentTranslation, presentTranslations } from '../../present/present.ts';

const tag = 'templates';
const ONE = '/templates/{templateId}/translations/{language}';
const UNKNOWN = { 404: 'The template is unknown, or has no translation in this language.' };
const NEWER = { 409: 'There is a newer version than newestVersion.' };

export const translationRoutes = [
  endpoint({
    operation: 'templates.translations',
    method: 'get',
    path: '/templates/{templateId}/translations',
    key: 'token',
    tag,
    summary: 'List the languages of a template, with what is missing in each or older than the base',
    description: 'Of the draft, or the published version where there is none; `version` names another one.',
    query: translationQuery,
    answer: translationsAnswer,
    handler: async ({ deps, project, params, query }) =>
      presentTranslations(await listTranslations(deps, project, params.templateId ?? '', query.version)),
  }),
  endpoint({
    operation: 'templates.translation',
    method: 'get',
    path: ONE,
    key: 'token',
    tag,
    summary: 'Get a template in one language, with the texts of the base',
    query: translationQuery,
    answer: translationAnswer,
    errors: UNKNOWN,
    handler: async ({ deps, project, params: { templateId = '', language = '' }, query }) =>
      presentTranslation(await readTranslation(deps, project, templateId, { language, ...query })),
  }),
  endpoint({
    operation: 'templates.translate',
    method: 'put',
    path: ONE,
    key: 'token',
    tag,
    summary: 'Save a template in one language as its draft; what is left out is that of the base',
    description:
      'It takes the place of the whole translation. Texts of blocks by their ids, or whole code as emailTemplate; a fault names the text.',
    body: putTranslationBody,
    answer: translationAnswer,
    errors: NEWER,
    handler: async ({ deps, project, params: { templateId = '', language = '' }, body, request: { by } }) => {
      const input = body as typeof body & { texts?: GivenTexts };
      return presentTranslation(await putTranslation(deps, project, templateId, { ...input, language }, { by }));
    },
  }),
  endpoint({
    operation: 'templates.deleteTranslation',
    method: 'delete',
    path: ONE,
    key: 'token',
    tag,
    summary: 'Remove a language from the draft of a template',
    query: deleteTranslationQuery,
    errors: { ...UNKNOWN, ...NEWER },
    handler: async ({ deps, project, params: { templateId = '', language = '' }, query, request: { by } }) =>
      deleteTranslation(deps, project, templateId, { ...query, language }, { by }),
  }),
];
