import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Environment } from './environment.ts';

/** One request of docs/requests.http. */
export interface WrittenRequest {
  title: string;
  name: string | null;
  expected: number | null;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const docs = join(import.meta.dirname, '../../docs');

export function readRequests(): WrittenRequest[] {
  return readFileSync(join(docs, 'requests.http'), 'utf8')
    .split(/^### /m)
    .slice(1)
    .map((block) => {
      const [title = '', ...lines] = block.split('\n');
      const directive = (name: string) =>
        lines
          .find((line) => line.startsWith(`# @${name} `))
          ?.slice(name.length + 4)
          .trim() ?? null;
      const start = lines.findIndex((line) => /^[A-Z]+ /.test(line));
      const blank = lines.indexOf('', start);
      const [method = '', url = ''] = (lines[start] ?? '').split(' ');
      const headers = lines.slice(start + 1, blank).map((line) => line.split(/: (.*)/s) as [string, string]);
      const body = lines
        .slice(blank + 1)
        .join('\n')
        .trim();
      return {
        title,
        name: directive('name'),
        expected: directive('expect') === null ? null : Number(directive('expect')),
        method,
        url,
        headers: Object.fromEntries(headers.map(([name, value]) => [name, value])),
        body: body === '' ? undefined : body,
      };
    });
}

/** Makes the requests of one run of the page; later ones use what the named ones before them were answered. */
export function requestMaker({ own, url }: Pick<Environment, 'own' | 'url'>) {
  const answers = new Map<string, unknown>();
  const { projectKey, adminKey } = own;
  const known = { url, projectKey, adminKey, projectId: own.project._id.toHexString() };
  const fill = (text: string) => fillIn(text, known, answers);
  return async (request: WrittenRequest): Promise<{ status: number; text: string }> => {
    const response = await fetch(fill(request.url), {
      method: request.method,
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, fill(value)])),
      body: request.body === undefined ? undefined : withFiles(fill(request.body)),
      redirect: 'manual',
    });
    const text = await readAnswer(response);
    if (request.name && response.ok) answers.set(request.name, JSON.parse(text));
    return { status: response.status, text };
  };
}

/** Of an event stream that may stay open the first words are enough. */
async function readAnswer(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value);
}

/** A line `< ./file` is that file, in a form whose lines end as forms end them. */
function withFiles(body: string): string | Uint8Array {
  if (!/^< /m.test(body)) return body;
  const parts = body.split('\n').map((line) => {
    const file = /^< (.*)/.exec(line)?.[1];
    return file ? readFileSync(join(docs, file)) : Buffer.from(line);
  });
  return Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\r\n')]));
}

/** {{url}} and {{name.response.body.data.id}}; any other {{word}} belongs to a template of ours and stays. */
function fillIn(text: string, known: Record<string, string>, answers: Map<string, unknown>): string {
  return text.replace(/\{\{(\w+)(?:\.response\.body\.([\w.]+))?\}\}/g, (all, name: string, path?: string) => {
    if (path === undefined) return known[name] ?? all;
    const value = path
      .split('.')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], answers.get(name));
    expect(value, `${all}: the request @name ${name} must come first and answer it`).to.be.a('string');
    return String(value);
  });
}
