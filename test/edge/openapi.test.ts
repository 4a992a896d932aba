import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { fullPath, pathParameters } from '../../api/http/endpoint.ts';
import { Components, type Json } from '../../api/http/openapi/components.ts';
import { openApiDocument } from '../../api/http/openapi/document.ts';
import { endpointTable } from '../../api/http/table.ts';
import { validateBody } from '../../api/http/validate.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { eventTypes, STEP_EVENT, TEST_EVENT } from '../../schemas/events/webhooks.ts';
import { examples } from '../../schemas/examples/examples.ts';
import { operationNames } from '../../schemas/operations.ts';
import { filesOfTable } from '../../scripts/openapi.ts';

interface Operation {
  operationId: string;
  tags: string[];
  parameters: Array<{ name: string; in: string }>;
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}
interface Media {
  schema: Json;
  example?: unknown;
}

const table = endpointTable(createMetrics());
const document = openApiDocument(table);
const paths = document.paths as Record<string, Record<string, Operation>>;
const webhooks = document.webhooks as Record<string, { post: Operation }>;
const { schemas } = document.components as { schemas: Record<string, Json> };
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('The OpenAPI document', () => {
  it('and the table and types of the client are committed and fresh; npm run openapi writes them', () => {
    for (const [file, text] of Object.entries(filesOfTable()))
      expect(readFileSync(join(import.meta.dirname, '../..', file), 'utf8') === text, `${file} is stale`).to.equal(
        true,
      );
  });

  it('is valid OpenAPI 3.1 to another program', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).to.deep.equal({ valid: true });
    expect(validator.version).to.equal('3.1');
    const broken = structuredClone(document) as { paths: Record<string, Record<string, { responses: unknown }>> };
    broken.paths['/v1/mails/send']!.post!.responses = [];
    expect((await new Validator().validate(broken)).valid).to.equal(false);
  });

  it('lists every endpoint of the table under the name of its operation', () => {
    const listed = operations.map(({ path, method, operation }) => `${operation.operationId} ${method} ${path}`);
    const expected = table.map((one) => `${one.operation} ${one.method} ${fullPath(one, one.path)}`);
    expect(listed.toSorted()).to.deep.equal(expected.toSorted());
    expect(operations.map(({ operation }) => operation.operationId)).to.have.members(operationNames);
  });

  it('has parameters for every name in a path', () => {
    for (const endpoint of table) {
      const operation = paths[fullPath(endpoint, endpoint.path)]?.[endpoint.method];
      const inPath = operation?.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect(inPath).to.deep.equal(pathParameters(endpoint.path));
    }
  });

  it('names every body, every answer, the data of every answer and the entries of every page', () => {
    const named = operations.filter(({ operation }) => operation.operationId !== 'system.openapi');
    const faults = named.flatMap(({ operation }) => {
      const { operationId, requestBody, responses } = operation;
      const body = requestBody?.content['application/json']?.schema;
      const answers = Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([, { content }]) => content?.['application/json']?.schema)
        .filter((schema) => schema !== undefined);
      const unnamed = [
        ...(body && !nameOf(body) ? ['body'] : []),
        ...answers.flatMap((answer) => (isNamedAnswer(answer) ? [] : ['answer'])),
      ];
      return unnamed.map((part) => `${operationId}: its ${part} has no name; give the schema a title`);
    });
    expect(faults).to.deep.equal([]);
    for (const [name, { properties }] of Object.entries(schemas))
      if (name.endsWith('Page'))
        for (const list of Object.values(properties as Record<string, { items?: Json }>))
          if (list.items) expect(nameOf(list.items), name).to.be.a('string');
  });

  it('has a section of webhooks with every type of event and a payload of its own', () => {
    const types = [...eventTypes, STEP_EVENT, TEST_EVENT];
    expect(Object.keys(webhooks)).to.deep.equal(types);
    const payloads = Object.values(webhooks).map(({ post }) => nameOf(bodyOf(post).schema));
    expect(new Set(payloads).size).to.equal(types.length);
    for (const [type, { post }] of Object.entries(webhooks)) {
      const payload = schemas[nameOf(bodyOf(post).schema) as string] as { properties: Record<string, Json> };
      expect(payload.properties.type?.const).to.equal(type);
      expect(nameOf(payload.properties.data as Json), type).to.be.a('string');
    }
  });

  it('keeps our own keywords and formats to itself', () => {
    const text = JSON.stringify(document);
    expect(text).to.not.match(/"x-(?!project-id|organization-id|api-key)[a-z]/);
    expect(text).to.not.contain('"format":"line"');
  });

  it('says one type of each value, perhaps with null, and gives webhooks a tag of their own, for generators', () => {
    const lists = JSON.stringify(document).match(/"type":\[[^\]]*\]/g) ?? [];
    expect(lists.length).to.be.greaterThan(50);
    expect(lists.filter((list) => !/^"type":\["\w+","null"\]$/.test(list))).to.deep.equal([]);
    const tags = new Set(table.map(({ tag }) => tag));
    for (const { post } of Object.values(webhooks)) for (const tag of post.tags) expect(tags.has(tag)).to.equal(false);
  });

  it('refuses two schemas under one title, and takes one that differs in null and in its description', () => {
    const components = new Components();
    const one = { title: 'Thing', type: 'object', properties: { id: { type: 'string' } } };
    components.show(one);
    const nullable = components.show({ ...one, type: ['object', 'null'], description: 'Perhaps.' });
    expect(nullable).to.deep.equal({
      oneOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }],
      description: 'Perhaps.',
    });
    expect(() => components.show({ ...one, required: ['id'] })).to.throw('Two different schemas have the title Thing');
  });
});

describe('Examples of the OpenAPI document', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  const faultOf = (component: string, value: unknown): string | null => {
    const check = ajv.getSchema(`document#/components/schemas/${component}`);
    if (!check) return `there is no component ${component}`;
    return check(value) ? null : ajv.errorsText(check.errors);
  };

  it('show every JSON body, every event, and only components that there are; and all are valid', () => {
    const bodies = operations.flatMap(({ operation }) => operation.requestBody?.content['application/json'] ?? []);
    const posts = Object.values(webhooks).map(({ post }) => bodyOf(post));
    expect(bodies.length).to.be.greaterThan(40);
    for (const { schema, example } of [...bodies, ...posts]) expect(example, JSON.stringify(schema)).to.be.an('object');
    for (const [name, example] of Object.entries(examples)) expect(faultOf(name, example), name).to.equal(null);
  });

  it('of bodies are taken by the endpoints, whose formats are stricter', () => {
    for (const { body, operation } of table)
      if (body) expect(() => validateBody(body, examples[body.json.title as string], 1), operation).to.not.throw();
  });

  it('of answers are whole envelopes, and valid', () => {
    const shown = operations.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap(({ content }) => content?.['application/json'] ?? []),
    );
    const withExample = shown.filter(({ example }) => example !== undefined);
    expect(withExample.length).to.be.greaterThan(70);
    for (const { schema, example } of withExample) {
      const name = nameOf(schema) as string;
      expect(faultOf(name, example), name).to.equal(null);
    }
  });

  it('that lack a required field or hold a wrong value are found', () => {
    expect(faultOf('SendMailBody', { to: { email: 'a@example.org' } })).to.contain('from');
    expect(faultOf('RetryCampaignBody', { states: ['sent'] })).to.be.a('string');
    expect(faultOf('Nothing', {})).to.be.a('string');
  });
});

/** Also of one that may be null, or a bare array. */
function nameOf(schema: Json): string | null {
  const variants = (schema.oneOf as Json[] | undefined) ?? [schema];
  const reference = variants.map(({ $ref }) => $ref).find((one) => typeof one === 'string');
  return typeof reference === 'string' ? (reference.split('/').at(-1) as string) : null;
}

function isNamedAnswer(answer: Json): boolean {
  const { properties } = (schemas[nameOf(answer) ?? ''] ?? {}) as { properties?: { data?: Json } };
  return properties !== undefined && (properties.data === undefined || nameOf(properties.data) !== null);
}

function bodyOf({ requestBody }: Operation): Media {
  return requestBody?.content['application/json'] as Media;
}
