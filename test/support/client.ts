import { expect } from 'chai';

/** A thin HTTP client for tests: says what it got and judges nothing. */
export interface Client {
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  delete(path: string, headers?: Record<string, string>): Promise<Reply>;
  send(method: string, path: string, init?: RequestInit): Promise<Reply>;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape, and assert what they find.
  body: any;
}

/** The data of the answer to a POST that has to succeed. */
export async function made(client: Client, path: string, body: object, headers = {}): Promise<Reply['body']> {
  const reply = await client.post(path, body, headers);
  expect(reply.body?.success, `${path}: ${reply.text}`).to.equal(true);
  return reply.body.data;
}

/** The data of the answer to a request that has to succeed. */
export async function done(reply: Promise<Reply>): Promise<Reply['body']> {
  const { status, body, text } = await reply;
  expect(status, text).to.be.within(200, 202);
  return body.data;
}

/** The template is published with this translation. */
export async function publishFrench(client: Client, templateId: string, translation: object): Promise<void> {
  const { newestVersion: version } = await done(client.put(`/templates/${templateId}/translations/fr`, translation));
  await done(client.post(`/templates/${templateId}/publish`, { version }));
}

export function uploadPicture(client: Client, bytes: Uint8Array, name = 'logo.png'): Promise<Reply> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), name);
  return client.send('POST', '/v1/media', { body: form });
}

/** Paths that begin with /v1 or belong to the root are taken as they are; others get /v1 in front. */
export function createClient(url: string, key: string | null, defaults: Record<string, string> = {}): Client {
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<Reply> => {
    const full = /^\/(v1|openapi\.json|docs|health|metrics|t|u|p|v|f|d|media|previews|sign-in)(\/|$)/.test(path)
      ? path
      : `/v1${path}`;
    const headers = { ...(key === null ? {} : { Authorization: `Bearer ${key}` }), ...defaults, ...init.headers };
    const response = await fetch(url + full, { redirect: 'manual', ...init, method, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parse(text) };
  };
  const json =
    (method: string) =>
    (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send(method, path, {
        headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
  return {
    get: (path, headers = {}) => send('GET', path, { headers }),
    delete: (path, headers = {}) => send('DELETE', path, { headers }),
    post: json('POST'),
    patch: json('PATCH'),
    put: json('PUT'),
    send,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
