import { importTranslations, translationsCsv } from '../../../core/templates/translations/csv.ts';
import {
  deleteTranslation,
  listTranslations,
  putTranslation,
  readTranslation,
} from '../../../core/templates/translations/translations.ts';
import { CSV_TYPES, FORM_TYPE } from '../../../schemas/people/imports.ts';
import {
  deleteTranslationQuery,
  type GivenTexts,
  putTranslationBody,
  translationAnswer,
  translationQuery,
  translationsAnswer,
} from '../../../schemas/templates/translations.ts';
import { wholeFile, withUpload } from '../../http/body/uploads.ts';
import { Download, endpoint } from '../../http/endpoint.ts';
import { validateQuery } from '../../http/validate.ts';
import { presentTranslation, presentTranslations } from '../../present/templates.ts';

const tag = 'templates';
const ONE = '/templates/{templateId}/translations/{language}';
const UNKNOWN = { 404: 'The template is unknown, or has no translation in this language.' };
const NEWER = { 409: 'There is a newer version than newestVersion.' };

export const translationRoutes = [
  endpoint({
    operation: 'templates.exportTranslations',
    method: 'get',
    path: '/templates/{templateId}/translations.csv',
    key: 'token',
    tag,
    summary: 'Download the texts of a template with its languages as CSV, to be translated and imported again',
    query: translationQuery,
    produces: ['text/csv'],
    handler: async ({ deps, project, params: { templateId = '' }, query }) => {
      const csv = await translationsCsv(deps, project, templateId, query.version);
      return new Download('text/csv; charset=utf-8', 'translations.csv', once(csv));
    },
  }),
  endpoint({
    operation: 'templates.importTranslations',
    method: 'post',
    path: '/templates/{templateId}/translations.csv',
    key: 'token',
    tag,
    summary: 'Save the languages of such a file as the draft of a template, or nothing where a line is at fault',
    description:
      'A column for each language; an empty cell is no text, and what the file does not have stays. 8 MiB at most.',
    query: deleteTranslationQuery,
    bodyLimit: 'texts',
    rawBody: [FORM_TYPE, ...CSV_TYPES],
    answer: translationsAnswer,
    errors: NEWER,
    handler: ({ deps, project, params: { templateId = '' }, query, request: { incoming, by } }) =>
      withUpload(incoming, 'texts', async ({ file, described }) => {
        const bytes = await wholeFile(file);
        const { newestVersion } = { ...validateQuery(deleteTranslationQuery, (await described).fields), ...query };
        const given = { file: bytes, newestVersion };
        return presentTranslations(await importTranslations(deps, project, templateId, given, { by }));
      }),
  }),
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

async function* once(text: string) {
  yield text;
}
