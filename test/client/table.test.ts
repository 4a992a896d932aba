import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Operation, operations } from '../../client/operations.ts';
import type { Resources } from '../../client/resources.ts';
import type {
  Contact,
  SendMailBody,
  SimulateAutomationBody,
  TemplateContent,
  WebhookEvent,
} from '../../client/types.ts';
import type { createAutomationBody } from '../../schemas/automations/automations.ts';
import type { simulateBody } from '../../schemas/automations/simulation.ts';
import type { createCampaignBody } from '../../schemas/campaigns/campaigns.ts';
import type { batchMailBody, bulkMailBody, sendMailBody } from '../../schemas/mail/mails.ts';
import type { migrateABody } from '../../schemas/migrations/starts.ts';
import type { upsertContactBody } from '../../schemas/people/contacts.ts';
import type { Described } from '../../schemas/schema.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Documented {
  operationId: string;
  parameters: Array<{ in: string }>;
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>;
}
const document = JSON.parse(read('docs/openapi.json')) as {
  paths: Record<string, Record<string, Documented>>;
  components: { schemas: Record<string, { properties?: Record<string, { $ref?: string }> }> };
};
const documented = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => [one.operationId, { request: `${method} ${path}`, one }] as const),
  ),
);
const rows = Object.entries(operations as Record<string, Record<string, Operation>>).flatMap(([resource, verbs]) =>
  Object.entries(verbs).map(([verb, row]) => ({ name: `${resource}.${verb}`, row })),
);

describe('The table of the client', () => {
  it('has a row for every operation of the OpenAPI document that takes a key, but for the MCP server', () => {
    const wanted = [...documented.keys()].filter((name) => !/^(system|public|mcp)\./.test(name));
    expect(rows.map(({ name }) => name).toSorted()).to.deep.equal(wanted.toSorted());
    expect(rows.length).to.be.greaterThan(120);
  });

  it('makes the requests that the document describes', () => {
    for (const { name, row } of rows)
      expect(`${row.method.toLowerCase()} ${row.path}`, name).to.equal(documented.get(name)?.request);
  });

  it('says of each how it answers and what it takes, as the document does', () => {
    for (const { name, row } of rows) {
      const { one } = documented.get(name)!;
      expect(row.kind, name).to.equal(kindIn(one));
      expect(row.entries, name).to.equal(row.kind === 'page' ? listIn(one) : undefined);
      const takesQuery = one.parameters.some((parameter) => parameter.in === 'query');
      const takesBody = one.requestBody?.content['application/json'] !== undefined;
      expect(row.takes, name).to.equal(takesBody ? 'body' : takesQuery ? 'query' : undefined);
    }
  });

  it('has types that import nothing, and typed calls for the same operations', () => {
    expect(read('client/types.ts')).to.not.match(/^\s*import |\bimport\(/m);
    const interfaces = read('client/resources.ts').matchAll(/^export interface (\w+)Calls \{\n([\s\S]*?)^\}$/gm);
    const typed = [...interfaces].flatMap(([, resource, calls]) =>
      [...calls!.matchAll(/^ {2}(\w+)\(/gm)].map(
        ([, verb]) => `${resource![0]!.toLowerCase()}${resource!.slice(1)}.${verb}`,
      ),
    );
    expect(typed.toSorted()).to.deep.equal(rows.map(({ name }) => name).toSorted());
  });
});

function dataOf({ responses }: Documented): Record<string, { $ref?: string; type?: string }> {
  return named(envelopeOf({ responses }).data?.$ref);
}

function envelopeOf({ responses }: Pick<Documented, 'responses'>): ReturnType<typeof named> {
  const [answer] = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return named(answer?.[1].content?.['application/json']?.schema.$ref);
}

function named(reference: string | undefined): Record<string, { $ref?: string; type?: string }> {
  return document.components.schemas[reference?.split('/').at(-1) ?? '']?.properties ?? {};
}

function kindIn(one: Documented): Operation['kind'] {
  const types = Object.entries(one.responses).flatMap(([status, { content }]) =>
    status.startsWith('2') ? Object.keys(content ?? {}) : [],
  );
  if (one.requestBody?.content['multipart/form-data']) return 'upload';
  if (types.includes('text/event-stream')) return 'stream';
  // JSON without the envelope of answers is a file.
  if (!types.includes('application/json') || !envelopeOf(one).success) return 'download';
  return dataOf(one).pagination ? 'page' : 'json';
}

function listIn(one: Documented): string | undefined {
  return Object.entries(dataOf(one)).find(([, { type }]) => type === 'array')?.[0];
}

/** Checked by the compiler: the client takes every body that the schema describes, and no field that it does not. */
type Body<Call extends (body: never) => unknown> = Parameters<Call>[0];
type Takes<Given extends Expected, Expected> = [Given, Expected];
/** Content blocks are described to callers alone: their schema has no type of its own. */
type WithBlocks<Given> = Given extends object
  ? { [Name in keyof Given]: Name extends 'content' ? Content<Given[Name]> : WithBlocks<Given[Name]> }
  : Given;
type Content<Given> = Given extends object ? TemplateContent : Given;
type Checked = [
  Takes<Described<typeof sendMailBody>, Body<Resources['mails']['send']>>,
  Takes<Described<typeof bulkMailBody>, Body<Resources['mails']['bulk']>>,
  Takes<Described<typeof batchMailBody>, Body<Resources['mails']['batch']>>,
  Takes<Described<typeof upsertContactBody>, Body<Resources['contacts']['upsert']>>,
  Takes<WithBlocks<Described<typeof createCampaignBody>>, Body<Resources['campaigns']['create']>>,
  Takes<WithBlocks<Described<typeof createAutomationBody>>, Body<Resources['automations']['create']>>,
  Takes<Described<typeof simulateBody>, SimulateAutomationBody>,
  Takes<Described<typeof migrateABody>, Body<Resources['migrations']['startProviderA']>>,
];

describe('The types of the client', () => {
  it('refuse a field that is missing, misspelled or of another type, and narrow an event by its type', () => {
    const body: SendMailBody = { to: { email: 'a@example.org' }, from: { email: 'b@example.com' }, text: 'x' };
    // @ts-expect-error from is missing
    const without: SendMailBody = { to: body.to };
    // @ts-expect-error subjekt is no field
    const misspelled: SendMailBody = { ...body, subjekt: 'x' };
    // @ts-expect-error to is one recipient
    const several: SendMailBody = { ...body, to: [body.to] };
    // @ts-expect-error a contact has no such field
    const unknownField = (contact: Contact) => contact.surname;
    const url = (event: WebhookEvent) => (event.type === 'email.clicked' ? event.data.url : null);
    const bodies = [] as unknown as Checked;
    expect([without, misspelled, several, unknownField, url, bodies]).to.have.length(6);
  });
});
