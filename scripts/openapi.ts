import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../api/http/openapi/document.ts';
import { endpointTable } from '../api/http/table.ts';
import { createMetrics } from '../platform/metrics.ts';
import { commandFields } from './client/fields.ts';
import { clientOperations } from './client/operations.ts';
import { clientResources } from './client/resources.ts';
import { clientTypes } from './client/types.ts';

const root = join(import.meta.dirname, '..');

/** The files that follow from the endpoint table. Tests hold them to it. */
export function filesOfTable(): Record<string, string> {
  const endpoints = endpointTable(createMetrics());
  const document = openApiDocument(endpoints);
  return {
    'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'client/operations.ts': clientOperations(endpoints),
    'client/cli/fields.ts': commandFields(endpoints),
    'client/resources.ts': clientResources(endpoints),
    'client/types.ts': clientTypes(endpoints),
  };
}

/** `npm run openapi` writes them. */
if (import.meta.main) for (const [path, text] of Object.entries(filesOfTable())) writeFileSync(join(root, path), text);
