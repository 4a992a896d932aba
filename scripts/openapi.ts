import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../api/http/openapi.ts';
import { endpointTable } from '../api/http/table.ts';
import { createMetrics } from '../platform/metrics.ts';

/** `npm run openapi`: writes docs/openapi.json, which a test holds to the endpoint table. */
const file = join(import.meta.dirname, '../docs/openapi.json');
writeFileSync(file, `${JSON.stringify(openApiDocument(endpointTable(createMetrics())), null, 2)}\n`);
