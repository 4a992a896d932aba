import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { fullPath } from '../../api/http/endpoint.ts';
import { endpointTable } from '../../api/http/table.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { type ProviderA, startProviderA } from '../providers/provider-a.ts';
import { type ProviderB, startProviderB } from '../providers/provider-b.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';

interface Request {
  title: string;
  name: string | null;
  expected: number | null;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const requests = readRequests(readFileSync(join(import.meta.dirname, '../../docs/requests.http'), 'utf8'));

describe('docs/requests.http', () => {
  let environment: Environment;
  let a: ProviderA;
  let b: ProviderB;
  const answers = new Map<string, unknown>();
  before(async () => {
    [a, b] = [await startProviderA([]), await startProviderB([])];
    environment = await startEnvironment({ PROVIDER_A_URL: a.url, PROVIDER_B_URL: b.url });
    await seedVerifiedDomain(environment.deps, environment.own.project, 'demo.everpost.test', new ObjectId());
  });
  after(async () => {
    await environment.stop();
    await Promise.all([a.stop(), b.stop()]);
  });

  it('has a request for every endpoint', () => {
    const patterns = endpointTable(createMetrics()).map((endpoint) => ({
      shown: `${endpoint.method.toUpperCase()} ${fullPath(endpoint, endpoint.path)}`,
      form: new RegExp(
        `^${endpoint.method} ${fullPath(endpoint, endpoint.path)
          .replace(/[.]/g, '\\.')
          .replace(/\{\w+\}/g, '[^/]+')}$`,
        'i',
      ),
    }));
    const made = requests.map(({ method, url }) => `${method} ${url.replace('{{url}}', '').split('?')[0]}`);
    expect(
      patterns.filter(({ form }) => !made.some((request) => form.test(request))).map(({ shown }) => shown),
    ).to.deep.equal([]);
  });

  for (const request of requests)
    it(`runs: ${request.title}`, async () => {
      const { own, url } = environment;
      const known = {
        url,
        projectKey: own.projectKey,
        adminKey: own.adminKey,
        projectId: own.project._id.toHexString(),
      };
      const fill = (text: string) => fillIn(text, known, answers);
      const response = await fetch(fill(request.url), {
        method: request.method,
        headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, fill(value)])),
        body: request.body === undefined ? undefined : withFiles(fill(request.body)),
        redirect: 'manual',
      });
      const text = await readAnswer(response);
      if (request.expected === null) expect(response.status, text.slice(0, 500)).to.be.within(200, 299);
      else expect(response.status, text.slice(0, 500)).to.equal(request.expected);
      if (request.name) answers.set(request.name, JSON.parse(text));
    });
});

/** Of an event stream that may stay open the first words are enough. */
async function readAnswer(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value);
}

function readRequests(page: string): Request[] {
  return page
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

/** A line `< ./file` is that file, in a form whose lines end as forms end them. */
function withFiles(body: string): string | Uint8Array {
  if (!/^< /m.test(body)) return body;
  const parts = body.split('\n').map((line) => {
    const file = /^< (.*)/.exec(line)?.[1];
    return file ? readFileSync(join(import.meta.dirname, '../../docs', file)) : Buffer.from(line);
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
