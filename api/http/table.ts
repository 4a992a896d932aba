import type { Metrics } from '../../platform/metrics.ts';
import { productRoutes } from '../routes/index.ts';
import { mcpRoutes } from '../routes/mcp.ts';
import { systemRoutes } from '../routes/system.ts';
import type { Endpoint } from './endpoint.ts';

/** All endpoints in one table. */
export function endpointTable(metrics: Metrics): Endpoint[] {
  const table: Endpoint[] = [];
  table.push(...productRoutes, ...mcpRoutes(() => table), ...systemRoutes(() => table, metrics));
  return table;
}
