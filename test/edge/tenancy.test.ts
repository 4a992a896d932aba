// Promise: projects are apart.
import { expect } from 'chai';
import { type Endpoint, fullPath, pathParameters } from '../../api/http/endpoint.ts';
import { endpointTable } from '../../api/http/table.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { type Environment, type Tenant, useEnvironment } from '../support/environment.ts';
import { makers } from './makers.ts';

const randomId = 'fedcba9876543210fedcba98';

/** Second parameters of paths, which name a part of the first thing: any that might be there is enough. */
const parts: Record<string, string> = {
  ref: '0',
  file: '0',
  token: '0',
  jobId: '0',
  enrollmentId: '0',
  language: 'fr',
};

describe("Another project's things", () => {
  const table = endpointTable(createMetrics()).filter(
    ({ key, path }) => (key === 'token' || key === 'project') && path.includes('{'),
  );
  const environment = useEnvironment();

  for (const endpoint of table)
    it(`do not exist for ${endpoint.method.toUpperCase()} ${endpoint.path}: the answer is that of a random id, byte by byte`, async () => {
      const [name = ''] = pathParameters(endpoint.path);
      const maker = makers[name];
      expect(maker, `test/edge/tenancy.test.ts needs a line for {${name}}`).to.not.equal(undefined);
      const theirs = await maker!.make(environment.other, environment);
      const before = await snapshot(environment, environment.other);
      const foreign = await ask(endpoint, theirs);
      const random = await ask(
        endpoint,
        maker?.random ?? (name === 'templateId' ? 'A-0123456789abcdef0123' : name === 'groupId' ? 'ZZZZZZ' : randomId),
      );
      expect(foreign.status, foreign.text).to.be.within(400, 404);
      expect(foreign.text).to.equal(random.text);
      expect(foreign.status).to.equal(random.status);
      expect(comparable(foreign.headers)).to.deep.equal(comparable(random.headers));
      expect(await snapshot(environment, environment.other)).to.equal(before);
    });

  function ask(endpoint: Endpoint, id: string) {
    const [name = ''] = pathParameters(endpoint.path);
    const rest = pathParameters(endpoint.path).slice(1);
    for (const part of rest)
      expect(part in parts || part in makers, `a second parameter {${part}} of ${endpoint.path}`).to.equal(true);
    const path = rest.reduce(
      (made, part) => made.replace(`{${part}}`, parts[part] ?? randomId),
      endpoint.path.replace(`{${name}}`, id),
    );
    const init = endpoint.rawBody
      ? { body: 'Block,Field,Text,fr\n', headers: { 'Content-Type': 'text/csv' } }
      : endpoint.body
        ? { body: JSON.stringify(validBody(endpoint)), headers: { 'Content-Type': 'application/json' } }
        : {};
    return environment.own.client.send(endpoint.method.toUpperCase(), fullPath(endpoint, path), init);
  }
});

/** Good enough to pass the schema, so that the id is what decides. */
const bodies: Record<string, unknown> = {
  '/inbound/messages/{inboundId}/reply': { from: { email: 'a@example.com' } },
  '/automations/{automationId}/enrollments': { contactIds: [randomId] },
  '/webhooks/{webhookId}/replay': { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  '/campaigns/{campaignId}/retry': { states: ['failed'] },
  '/campaigns/{campaignId}/test': { emails: ['a@in.test'] },
  '/emails/{emailId}': { scheduledAt: new Date(Date.now() + 3_600_000).toISOString() },
  '/templates/{templateId}/test': { emails: ['a@in.test'], from: { email: 'a@example.com' } },
  '/templates/{templateId}/publish': { version: 1 },
  '/templates/{templateId}/restore': { version: 1 },
  '/layouts/{layoutId}/publish': { version: 1 },
  '/layouts/{layoutId}/restore': { version: 1 },
  '/snippets/{snippetName}/publish': { version: 1 },
  '/snippets/{snippetName}/restore': { version: 1 },
  '/contact-lists/{contactListId}/contacts/remove': { emails: ['theirs@example.com'] },
};

function validBody({ path }: Endpoint): unknown {
  return bodies[path] ?? {};
}

function comparable(headers: Headers): Record<string, string> {
  const volatile = ['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
  return Object.fromEntries([...headers].filter(([name]) => !volatile.includes(name)));
}

/** Everything the neighbour has, so that a write into it shows. Without the data that its own work keeps changing. */
async function snapshot({ deps }: Environment, { project }: Tenant): Promise<string> {
  const kept = Object.values(deps.db).map(({ collectionName }) => collectionName);
  const [first = '', ...others] = kept.filter((name) => !['idempotency', 'domains'].includes(name)).toSorted();
  const theirs = (name: string) => [
    { $match: { projectId: project._id } },
    { $sort: { _id: 1 as const } },
    { $project: { collection: name, document: '$$ROOT' } },
    // Of a key: written after the answer.
    { $unset: 'document.lastUsedAt' },
  ];
  const rest = others.map((coll) => ({ $unionWith: { coll, pipeline: theirs(coll) } }));
  const database = deps.mongo.db(deps.config.mongodbDatabase);
  return JSON.stringify(
    await database
      .collection(first)
      .aggregate([...theirs(first), ...rest])
      .toArray(),
  );
}
