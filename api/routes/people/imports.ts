import type { ObjectId } from 'mongodb';
import type { Deps } from '../../../core/base/deps.ts';
import { derivedId } from '../../../core/base/ids.ts';
import type { Project } from '../../../core/base/model.ts';
import { everyImportError } from '../../../core/people/imports/exports.ts';
import { createImport, getImport, type ImportOptions, listImports } from '../../../core/people/imports/imports.ts';
import type { ContactImport } from '../../../core/people/imports/model.ts';
import { previewImport, readStart } from '../../../core/people/imports/preview/preview.ts';
import { importData } from '../../../core/people/imports/progress.ts';
import {
  CSV_TYPES,
  exportQuery,
  FORM_TYPE,
  importAcceptedAnswer,
  importAnswer,
  importOptions,
  importPreviewAnswer,
  importsAnswer,
  importsQuery,
  NDJSON_TYPES,
} from '../../../schemas/people/imports.ts';
import { type UploadDescription, withUpload } from '../../http/body/uploads.ts';
import { DOWNLOAD_BYTES, endpoint, type RequestFacts } from '../../http/endpoint.ts';
import { importErrorsDownload } from '../../http/streams/exports.ts';
import { validateQuery } from '../../http/validate.ts';
import { presentPage } from '../../present/page.ts';

const tag = 'imports';

export const importRoutes = [
  endpoint({
    operation: 'contacts.import',
    method: 'post',
    path: '/contacts/import',
    key: 'token',
    tag,
    summary: 'Import contacts from a CSV or NDJSON file of up to 100 MB',
    description:
      'Send the file as the body, or as the file of a form whose fields may carry the options. A CSV file begins with the names of its columns, one of them email; columns that are not contact fields become contactProperties; an empty cell leaves the stored value unchanged. Columns of consent state (status, groups, unsubscribedAt, consentText and others) suppress addresses and write records of consent; they never remove a suppression. NDJSON has the body of POST /contacts/email on each line.',
    query: importOptions,
    bodyLimit: 'import',
    rawBody: [FORM_TYPE, ...CSV_TYPES, ...NDJSON_TYPES],
    answer: importAcceptedAnswer,
    status: 202,
    handler: async ({ deps, project, query, request }) => {
      const made = await receiveImport(deps, project, query, request);
      return { importId: made._id, status: made.status };
    },
  }),
  endpoint({
    operation: 'contacts.previewImport',
    method: 'post',
    path: '/contacts/import/preview',
    key: 'token',
    tag,
    summary: 'Count what an import of this file would change, without writing anything',
    description:
      'Send the file and the options as to POST /contacts/import. The answer shows what its columns become, the rows that would fail, and the addresses that would be suppressed. Of a larger file the first 100,000 rows are read, 400,000 groups in them, or 16 MiB.',
    query: importOptions,
    bodyLimit: 'import',
    rawBody: [FORM_TYPE, ...CSV_TYPES, ...NDJSON_TYPES],
    isComputed: true,
    answer: importPreviewAnswer,
    handler: ({ deps, project, query, request: { incoming } }) =>
      withUpload(incoming, 'import', async ({ file, described }) => {
        const start = await readStart(file);
        return previewImport(deps, project, start, readOptions(await described, query, firstOf(start.bytes)));
      }),
  }),
  endpoint({
    operation: 'imports.list',
    method: 'get',
    path: '/contacts/imports',
    key: 'token',
    tag,
    summary: 'List imports, newest first',
    query: importsQuery,
    answer: importsAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('imports', await listImports(deps, project, query), importData),
  }),
  endpoint({
    operation: 'imports.get',
    method: 'get',
    path: '/contacts/imports/{importId}',
    key: 'token',
    tag,
    summary: 'Get the progress of an import',
    answer: importAnswer,
    handler: async ({ deps, project, params }) => importData(await getImport(deps, project, params.importId ?? '')),
  }),
  endpoint({
    operation: 'imports.errors',
    method: 'get',
    path: '/contacts/imports/{importId}/errors',
    key: 'token',
    tag,
    summary: 'Download the rows of an import that failed, with the reasons',
    query: exportQuery,
    heldBytes: DOWNLOAD_BYTES,
    produces: ['text/csv', 'application/x-ndjson'],
    handler: async ({ deps, project, params, query }) => {
      const { _id: importId, projectId } = await getImport(deps, project, params.importId ?? '');
      return importErrorsDownload(query.format ?? 'csv', everyImportError(deps, { projectId, importId }));
    },
  }),
];

type Options = { format?: 'csv' | 'ndjson'; listIds?: string; runWorkflow?: boolean };

async function receiveImport(
  deps: Deps,
  project: Project,
  query: Options,
  { incoming, at, seed, by }: RequestFacts,
): Promise<ContactImport> {
  const importId: ObjectId = derivedId(at, 'import', seed.toHexString());
  return withUpload(incoming, 'import', ({ file, described }) => {
    const start = { first: '' };
    const optionsOf = async () => readOptions(await described, query, start.first);
    return createImport(deps, project, importId, remembering(file, start), optionsOf, { by });
  });
}

function readOptions(
  { fileName, contentType, fields }: UploadDescription,
  query: Options,
  first: string,
): ImportOptions {
  const { listIds, runWorkflow, format }: Options = { ...query, ...validateQuery(importOptions, fields) };
  return {
    format: format ?? formatOf(contentType, fileName, first),
    fileName: fileName?.slice(0, 255) ?? null,
    listIds: listIds
      ?.split(',')
      .map((id) => id.trim())
      .filter(Boolean),
    runWorkflow,
  };
}

/** Programs name types and files inconsistently; the first character is reliable. */
function formatOf(contentType: string, fileName: string | null, first: string): ContactImport['format'] {
  if (NDJSON_TYPES.includes(contentType) || /\.(ndjson|jsonl)$/i.test(fileName ?? '')) return 'ndjson';
  if (CSV_TYPES.includes(contentType) || /\.(csv|tsv)$/i.test(fileName ?? '')) return 'csv';
  return first === '{' ? 'ndjson' : 'csv';
}

async function* remembering(file: AsyncIterable<Uint8Array>, start: { first: string }): AsyncGenerator<Uint8Array> {
  for await (const piece of file) {
    start.first ||= firstOf(piece);
    yield piece;
  }
}

function firstOf(piece: Uint8Array): string {
  return new TextDecoder()
    .decode(piece.subarray(0, 1_024))
    .replace(/^\ufeff/, '')
    .trimStart()
    .slice(0, 1);
}
