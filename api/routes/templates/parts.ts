import type { PartKind, PartName } from '../../../core/templates/assemble/keys.ts';
import { createPart, listParts, publishPart, readPart, updatePart } from '../../../core/templates/parts/parts.ts';
import { getRepublication, startRepublication } from '../../../core/templates/parts/republish.ts';
import { touchedByPart } from '../../../core/templates/parts/touched.ts';
import { listVersions, restoreTemplate } from '../../../core/templates/publish.ts';
import { deleteTemplate } from '../../../core/templates/templates.ts';
import { shownVersion } from '../../../core/templates/versions.ts';
import { pageQuery } from '../../../schemas/common.ts';
import type { OperationName } from '../../../schemas/operations.ts';
import { brandPreviewAnswer } from '../../../schemas/templates/brand.ts';
import {
  createLayoutBody,
  createSnippetBody,
  layoutsAnswer,
  partAnswer,
  partQuery,
  partsQuery,
  republicationAnswer,
  republishBody,
  snippetsAnswer,
  updateLayoutBody,
  updateSnippetBody,
} from '../../../schemas/templates/parts.ts';
import { publishTemplateBody, restoreTemplateBody, versionsAnswer } from '../../../schemas/templates/templates.ts';
import { endpoint, PREVIEWS_A_MINUTE, TOUCHED_COST } from '../../http/endpoint.ts';
import { presentLongPage, presentPage } from '../../present/page.ts';
import { presentPart, presentRepublication, presentTouched, presentVersion } from '../../present/templates.ts';

const tag = 'templates';

interface Words {
  kind: PartKind;
  plural: 'layouts' | 'snippets';
  param: string;
  create: string;
  list: string;
}

const layouts: Words = {
  ...{ kind: 'layout', plural: 'layouts', param: 'layoutId' },
  create: 'Create a layout, the frame of mails; {{{content}}}, or a block of type content, is the place of the mail',
  list: 'List layouts, newest first',
};
const snippets: Words = {
  ...{ kind: 'snippet', plural: 'snippets', param: 'snippetName' },
  create: 'Create a snippet, which mails name as {{> name}} or in a block of type snippet',
  list: 'List snippets, newest first',
};

/** Layouts and snippets are drafted, published and restored as templates are. */
function partRoutes({ kind, plural, param, create, list }: Words) {
  const path = `/${plural}/{${param}}`;
  const common = { key: 'token', tag } as const;
  const operation = (name: string) => `${plural}.${name}` as OperationName;
  const named = (params: Record<string, string>): PartName => ({ kind, id: params[param] ?? '' });
  return [
    endpoint({
      ...common,
      operation: operation('create'),
      method: 'post',
      path: `/${plural}`,
      summary: create,
      body: kind === 'layout' ? createLayoutBody : createSnippetBody,
      answer: partAnswer,
      status: 201,
      ...(kind === 'snippet' && { errors: { 409: 'There is a snippet of this name.' } }),
      handler: async ({ deps, project, body, request }) => {
        const template = await createPart(deps, project, kind, body, request);
        return presentPart({ template, version: shownVersion(template) });
      },
    }),
    endpoint({
      ...common,
      operation: operation('list'),
      method: 'get',
      path: `/${plural}`,
      summary: list,
      query: partsQuery,
      answer: kind === 'layout' ? layoutsAnswer : snippetsAnswer,
      handler: async ({ deps, project, query }) =>
        presentLongPage(plural, await listParts(deps, project, kind, query), (template) =>
          presentPart({ template, version: shownVersion(template) }),
        ),
    }),
    endpoint({
      ...common,
      operation: operation('get'),
      method: 'get',
      path,
      summary: `Get a ${kind}, or one of its versions, with what uses it`,
      query: partQuery,
      answer: partAnswer,
      handler: async ({ deps, project, params, query }) =>
        presentPart(await readPart(deps, project, named(params), query.version)),
    }),
    endpoint({
      ...common,
      operation: operation('update'),
      method: 'patch',
      path,
      summary: `Update a ${kind}, at once or as a draft; templates keep the version that they were published with`,
      body: kind === 'layout' ? updateLayoutBody : updateSnippetBody,
      answer: partAnswer,
      errors: { 409: 'There is a newer version than newestVersion, or it was changed after updatedAt.' },
      handler: async ({ deps, project, params, body, request: { by } }) =>
        presentPart(await updatePart(deps, project, named(params), body, { by })),
    }),
    endpoint({
      ...common,
      operation: operation('touched'),
      method: 'get',
      path: `${path}/touched`,
      summary: `List the templates that a version of a ${kind}, or its draft, would change if they were published again`,
      query: partQuery,
      answer: brandPreviewAnswer,
      perMinute: PREVIEWS_A_MINUTE,
      cost: TOUCHED_COST,
      handler: async ({ deps, project, params, query }) =>
        presentTouched(await touchedByPart(deps, project, named(params), query.version)),
    }),
    endpoint({
      ...common,
      operation: operation('delete'),
      method: 'delete',
      path,
      summary: `Delete a ${kind} that nothing uses`,
      errors: { 409: 'It is used.' },
      handler: async ({ deps, project, params }) => deleteTemplate(deps, project, named(params)),
    }),
    endpoint({
      ...common,
      operation: operation('versions'),
      method: 'get',
      path: `${path}/versions`,
      summary: `List the versions of a ${kind}, newest first`,
      query: pageQuery,
      answer: versionsAnswer,
      handler: async ({ deps, project, params, query }) =>
        presentPage('versions', await listVersions(deps, project, named(params), query), presentVersion),
    }),
    endpoint({
      ...common,
      operation: operation('publish'),
      method: 'post',
      path: `${path}/publish`,
      summary: `Publish the newest draft of a ${kind}, for templates that are saved or published from now on`,
      body: publishTemplateBody,
      answer: partAnswer,
      errors: { 409: 'The version is not the newest draft, or another one was saved or published meanwhile.' },
      handler: async ({ deps, project, params, body, request: { by } }) =>
        presentPart(await publishPart(deps, project, named(params), body.version, { by })),
    }),
    endpoint({
      ...common,
      operation: operation('restore'),
      method: 'post',
      path: `${path}/restore`,
      summary: `Save the content of an earlier version of a ${kind} as the newest draft`,
      body: restoreTemplateBody,
      answer: partAnswer,
      errors: { 404: 'It is unknown, or the version is gone.', 409: 'There is a newer version.' },
      handler: async ({ deps, project, params, body, request: { by } }) =>
        presentPart(await restoreTemplate(deps, project, named(params), body, { by })),
    }),
  ];
}

export const layoutRoutes = partRoutes(layouts);
export const snippetRoutes = partRoutes(snippets);

export const republicationRoutes = [
  endpoint({
    operation: 'templates.republish',
    method: 'post',
    path: '/templates/republish',
    key: 'token',
    tag,
    summary: 'Publish templates again, with their layouts, snippets and the brand as they are now',
    description:
      'Each gets a new version of the same content; one whose mail is the same gets none. The job runs in the background; its progress can be read for 30 days after its end.',
    body: republishBody,
    answer: republicationAnswer,
    status: 202,
    errors: { 404: 'There is no such layout or snippet.' },
    handler: async ({ deps, project, body, request }) =>
      presentRepublication(await startRepublication(deps, project, body, request)),
  }),
  endpoint({
    operation: 'templates.republication',
    method: 'get',
    path: '/templates/republications/{republicationId}',
    key: 'token',
    tag,
    summary: 'Get the progress of publishing templates again',
    answer: republicationAnswer,
    handler: async ({ deps, project, params }) =>
      presentRepublication(await getRepublication(deps, project, params.republicationId ?? '')),
  }),
];
