import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Deps } from '../../core/base/deps.ts';
import { AppError } from '../../core/base/errors.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { shape } from '../../schemas/schema.ts';
import { Download, type Endpoint, endpoint, Page } from '../http/endpoint.ts';
import { openApiDocument } from '../http/openapi/document.ts';

/** The endpoint is public, and each check costs MongoDB and Temporal a request. */
const READY_KEPT_MS = 1_000;

/** Endpoints without a key: health, metrics, the OpenAPI document and the pages made of it. */
export function systemRoutes(endpoints: () => Endpoint[], metrics: Metrics): Endpoint[] {
  let document: string | null = null;
  const ready = keptFor(READY_KEPT_MS, readiness);
  return [
    endpoint({
      operation: 'system.live',
      method: 'get',
      path: '/health/live',
      key: 'none',
      tag: 'system',
      summary: 'Check that the process runs',
      answer: shape({
        title: 'Liveness',
        type: 'object',
        required: ['status'],
        properties: { status: { const: 'live' } },
      }),
      handler: async () => ({ status: 'live' }),
    }),
    endpoint({
      operation: 'system.ready',
      method: 'get',
      path: '/health/ready',
      key: 'none',
      tag: 'system',
      summary: 'Check that the process can do its work',
      description:
        'The process is ready while MongoDB answers and it has not been asked to stop. Redis and Temporal are shown as up or down.',
      answer: shape({
        title: 'Readiness',
        type: 'object',
        required: ['status', 'mongodb', 'redis', 'temporal'],
        properties: {
          status: { const: 'ready' },
          mongodb: { enum: ['up'] },
          redis: { enum: ['up', 'down'] },
          temporal: { enum: ['up', 'down'] },
        },
      }),
      handler: ({ deps }) => ready(deps),
    }),
    endpoint({
      operation: 'system.metrics',
      method: 'get',
      path: '/metrics',
      key: 'none',
      tag: 'system',
      summary: 'Measurements for Prometheus',
      produces: ['text/plain'],
      handler: async () =>
        new Page(200, { 'Content-Type': metrics.registry.contentType }, await metrics.registry.metrics()),
    }),
    endpoint({
      operation: 'system.openapi',
      method: 'get',
      path: '/openapi.json',
      key: 'none',
      tag: 'system',
      summary: 'Get this interface as OpenAPI 3.1',
      produces: ['application/json'],
      handler: async () => {
        document ??= JSON.stringify(openApiDocument(endpoints()));
        return new Page(200, { 'Content-Type': 'application/json' }, document);
      },
    }),
    endpoint({
      operation: 'system.docs',
      method: 'get',
      path: '/docs',
      key: 'none',
      tag: 'system',
      summary: 'Read and try this interface in a page',
      produces: ['text/html'],
      handler: async () => new Page(200, pageHeaders, docsPage),
    }),
    endpoint({
      operation: 'system.docsFile',
      method: 'get',
      path: '/docs/{file}',
      key: 'none',
      tag: 'system',
      summary: 'Get a file of the docs page',
      produces: ['text/css', 'text/javascript'],
      errors: { 404: 'No such file.' },
      handler: async ({ params }) => docsFile(params.file ?? ''),
    }),
  ];
}

async function readiness(deps: Deps) {
  const ping = deps.mongo.db('admin').command({ ping: 1 });
  const [temporal] = await Promise.all([deps.workflows.isUp(), ping]);
  return { status: 'ready', mongodb: 'up', redis: upOrDown(deps.signals.isUp()), temporal: upOrDown(temporal) };
}

/** Returns the same answer, or the same error, to all callers within that time. */
function keptFor<T>(ms: number, ask: (deps: Deps) => Promise<T>): (deps: Deps) => Promise<T> {
  let kept: { until: number; answer: Promise<T> } | null = null;
  return (deps) => {
    if (kept === null || performance.now() >= kept.until) kept = { until: performance.now() + ms, answer: ask(deps) };
    return kept.answer;
  };
}

function upOrDown(up: boolean): 'up' | 'down' {
  return up ? 'up' : 'down';
}

const docsFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const docsFiles: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

function docsFile(name: string): Download {
  const type = Object.hasOwn(docsFiles, name) ? docsFiles[name] : undefined;
  if (!type) throw new AppError('not_found', 'There is no such file.', { code: 'NOT_FOUND' });
  return new Download(type, null, createReadStream(join(docsFolder, name)));
}

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self' 'sha256-SCRIPT'; img-src 'self' data:",
  'X-Content-Type-Options': 'nosniff',
};

const docsScript =
  "SwaggerUIBundle({url:'/openapi.json',dom_id:'#docs',deepLinking:true,tryItOutEnabled:true,validatorUrl:null})";
const docsPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Everpost: the REST interface</title>
<link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="docs"></div><script src="/docs/swagger-ui-bundle.js"></script><script>${docsScript}</script></body></html>
`;
pageHeaders['Content-Security-Policy'] = pageHeaders['Content-Security-Policy'].replace('SCRIPT', sha256(docsScript));

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
