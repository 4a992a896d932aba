import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { fullPath, pathParameters } from '../../api/http/endpoint.ts';
import { openApiDocument } from '../../api/http/openapi/document.ts';
import { endpointTable } from '../../api/http/table.ts';
import { createMetrics } from '../../platform/metrics.ts';

const table = endpointTable(createMetrics());
const document = openApiDocument(table);
const file = join(import.meta.dirname, '../../docs/openapi.json');

describe('The OpenAPI document', () => {
  it('is committed as docs/openapi.json and fresh; npm run openapi writes it', () => {
    expect(readFileSync(file, 'utf8')).to.equal(`${JSON.stringify(document, null, 2)}\n`);
  });

  it('lists every endpoint of the table, each under one operation id', () => {
    const operations = Object.entries(
      document.paths as Record<string, Record<string, { operationId: string }>>,
    ).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
    );
    const named = operations.map(({ path, method }) => `${method} ${path}`);
    expect(named).to.have.members(table.map((endpoint) => `${endpoint.method} ${fullPath(endpoint, endpoint.path)}`));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).to.equal(operations.length);
  });

  it('has schemas that are JSON Schema, and parameters for every name in a path', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    for (const { body, query, answer } of table)
      for (const schema of [body, query, answer])
        if (schema) expect(ajv.validateSchema(schema.json), JSON.stringify(ajv.errors)).to.equal(true);
    for (const endpoint of table) {
      const operation = (
        document.paths as Record<string, Record<string, { parameters: Array<{ name: string; in: string }> }>>
      )[fullPath(endpoint, endpoint.path)]?.[endpoint.method];
      const inPath = operation?.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect(inPath).to.deep.equal(pathParameters(endpoint.path));
    }
  });
});
