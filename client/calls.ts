import { Download } from './downloads.ts';
import { EverpostError } from './errors.ts';
import type { Operation } from './operations.ts';
import { type Asked, Pages, type Pagination } from './pages.ts';
import type { Repeats } from './retries.ts';
import { openStream, type Stream, type StreamOptions } from './streams.ts';
import { type Opened, type PostOptions, type Request, readText, type Settings, send } from './transport.ts';
import { formOf, type Uploadable } from './uploads.ts';

/** An upload may take as long as a slow line needs for 100 MB. */
const UPLOAD_MS_MAX = 600_000;

/** A call as the caller wrote it: ids, then a body, a file or a query, then options. */
interface Given {
  ids: unknown[];
  body: unknown;
  file: unknown;
  query: Record<string, unknown>;
  options: PostOptions & StreamOptions;
}

/** The method of a resource: a promise, pages, or a stream, by the kind of its answer. */
export function callOf(settings: Settings, name: string, operation: Operation): (...args: unknown[]) => unknown {
  const split = splitterOf(operation);
  return (...args) => {
    const given = split(args);
    const ask = (asked: Asked = {}) => askFor(settings, name, operation, withPage(operation, given, asked));
    switch (operation.kind) {
      case 'page':
        return new Pages(
          ask as (asked: Asked) => Promise<{ pagination: Pagination }>,
          pageOf(given),
          operation.entries ?? '',
        );
      case 'stream':
        return streamOf(settings, name, operation, given);
      case 'download':
        return download(settings, name, operation, given);
      default:
        return ask();
    }
  };
}

function splitterOf({ path, kind, takes }: Operation): (args: unknown[]) => Given {
  const count = path.split('{').length - 1;
  return (args) => {
    const rest = args.slice(count);
    return {
      ids: args.slice(0, count),
      file: kind === 'upload' ? rest.shift() : undefined,
      body: takes === 'body' ? (rest.shift() ?? {}) : undefined,
      query: takes === 'query' ? ((rest.shift() as Given['query'] | undefined) ?? {}) : {},
      options: (rest[0] as Given['options'] | undefined) ?? {},
    };
  };
}

/** Lists take the page in their query, searches in their body. */
function pageOf({ body, query }: Given): Asked {
  const { page, limit } = (body ?? query) as Asked;
  return { page, limit };
}

function withPage({ kind, takes }: Operation, given: Given, asked: Asked): Given {
  if (kind !== 'page' || !takes) return given;
  const page = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return takes === 'body'
    ? { ...given, body: { ...(given.body as object), ...page } }
    : { ...given, query: { ...given.query, ...page } };
}

async function askFor(settings: Settings, name: string, operation: Operation, given: Given): Promise<unknown> {
  const request = requestOf(settings, name, operation, given);
  return send(settings, request, async (opened) => dataOf(operation, opened));
}

/** `data` of the envelope. JSON that does not end is an answer that was cut off. */
async function dataOf(operation: Operation, opened: Opened): Promise<unknown> {
  const { headers, status } = opened.response;
  const text = await readText(opened);
  const facts = { status, requestId: headers.get('x-request-id') };
  if (!headers.get('content-type')?.startsWith('application/json'))
    throw new EverpostError('The answer is not JSON: is baseUrl the address of an Everpost API?', facts);
  const data = parse(text, facts);
  if (operation.secret && headers.get('idempotency-replayed') && !(operation.secret in (data as object)))
    throw new EverpostError(lostSecret, { ...facts, code: 'SECRET_LOST', record: data });
  return data;
}

const lostSecret =
  'It was made, but its secret was in an answer that did not arrive, and is not shown again: delete what `record` names and make another, or rotate its secret.';

function parse(text: string, facts: { requestId: string | null }): unknown {
  try {
    return JSON.parse(text).data;
  } catch (cause) {
    throw new EverpostError('The answer was cut off.', { ...facts, code: 'NETWORK', cause });
  }
}

async function download(settings: Settings, name: string, operation: Operation, given: Given): Promise<Download> {
  return send(settings, requestOf(settings, name, operation, given), async (opened) => new Download(opened));
}

const campaignIsOver = ({ status }: { status: string }) => ['sent', 'failed', 'aborted'].includes(status);
const migrationIsOver = ({ status }: { status: string }) => {
  return ['completed', 'completed_with_errors', 'failed', 'cancelled'].includes(status);
};

/** The stream of the project has no end, and begins after the event that the caller names. */
const streamRules: Record<string, Pick<Stream<never>, 'isLast' | 'mayRepeat'>> = {
  'campaigns.watch': { isLast: campaignIsOver },
  'migrations.watch': { isLast: migrationIsOver },
  'stream.open': { mayRepeat: true },
};

async function* streamOf(
  settings: Settings,
  name: string,
  operation: Operation,
  given: Given,
): AsyncGenerator<unknown, void> {
  const { after, ...query } = given.query as { after?: string };
  const request = requestOf(settings, name, operation, { ...given, query });
  yield* openStream(settings, { request, after, onOpen: given.options.onOpen, ...streamRules[name] });
}

/** Throws for arguments that no request can be made of. */
function requestOf(settings: Settings, name: string, operation: Operation, given: Given): Request {
  const { method, path } = operation;
  const { options, file, body } = given;
  const upload = file === undefined ? null : formOf(file as Uploadable);
  const contentType = upload?.contentType ?? (body === undefined ? undefined : 'application/json');
  const key =
    method === 'POST' && operation.kind !== 'upload' ? (options.idempotencyKey ?? crypto.randomUUID()) : undefined;
  return {
    operation: name,
    method,
    path: pathOf(name, path, given.ids) + queryOf(given.query),
    headers: {
      ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    body: upload?.body ?? (body === undefined ? undefined : JSON.stringify(body)),
    repeats: repeatsOf(operation),
    timeoutMs: options.timeoutMs ?? (operation.kind === 'upload' ? UPLOAD_MS_MAX : settings.timeoutMs),
    signal: options.signal,
  };
}

function repeatsOf({ method, kind }: Operation): Repeats {
  if (kind === 'upload') return 'never';
  return method === 'PATCH' ? 'refused' : 'always';
}

/** An id that is missing would make another path of it: DELETE /contacts/ is not the removal of a contact. */
function pathOf(name: string, path: string, ids: unknown[]): string {
  let index = 0;
  return path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const id = ids[index++];
    if (typeof id !== 'string' || id === '' || id === '.' || id === '..')
      throw new EverpostError(`${name} needs ${parameter}, a text.`, {
        code: 'VALIDATION_ERROR',
        details: `${parameter}: must be a text that is not empty`,
      });
    return encodeURIComponent(id);
  });
}

/** Lists are comma separated, times are ISO 8601. */
function queryOf(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value));
  const pairs = new URLSearchParams(given.map(([name, value]): [string, string] => [name, text(value)]));
  return given.length === 0 ? '' : `?${pairs}`;
}
