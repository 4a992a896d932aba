import { EverpostError } from '../errors.ts';
import type { Operation } from '../operations.ts';
import type { Repeats } from './retries.ts';
import type { StreamOptions } from './streams.ts';
import type { PostOptions, Request, Settings } from './transport.ts';
import { formOf, type Uploadable } from './uploads.ts';

/** An upload may take as long as a slow line needs for 100 MB. */
const UPLOAD_MS_MAX = 600_000;

/** A call as the caller wrote it: ids, then a body, a file or a query, then options. */
export interface Given {
  ids: unknown[];
  body: unknown;
  file: unknown;
  query: Record<string, unknown>;
  options: PostOptions & StreamOptions;
}

/** Throws for arguments that no request can be made of. */
export function requestOf(settings: Settings, name: string, operation: Operation, given: Given): Request {
  const { method, path } = operation;
  const { options, file, body } = given;
  const upload = file === undefined ? null : formOf(file as Uploadable);
  const contentType = upload?.contentType ?? (body === undefined ? undefined : 'application/json');
  const isKeyed = method === 'POST' && operation.kind !== 'upload';
  const key = isKeyed ? headerText('idempotencyKey', options.idempotencyKey ?? crypto.randomUUID()) : undefined;
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

/** fetch refuses other characters in a header with an error that looks like one of the network. */
export function headerText(name: string, value: string): string {
  if (/^[\x20-\x7e]{1,256}$/.test(value)) return value;
  throw new EverpostError(`${name} must be 1 to 256 printable ASCII characters.`, {
    code: 'VALIDATION_ERROR',
    details: `${name}: must be 1 to 256 printable ASCII characters`,
  });
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
