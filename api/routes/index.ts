import type { Endpoint } from '../endpoint.ts';
import { accountRoutes } from './account.ts';
import { campaignRoutes } from './campaigns.ts';
import { contactRoutes } from './contacts.ts';
import { customFieldRoutes } from './custom-fields.ts';
import { domainRoutes } from './domains.ts';
import { listRoutes } from './lists.ts';
import { mediaRoutes } from './media.ts';
import { migrationRoutes } from './migrations.ts';
import { suppressionRoutes } from './suppressions.ts';

/** The whole REST interface. What joins this table joins validation, the OpenAPI document and the generated tests. */
export const productRoutes: Endpoint[] = [
  ...accountRoutes,
  ...campaignRoutes,
  ...contactRoutes,
  ...listRoutes,
  ...customFieldRoutes,
  ...suppressionRoutes,
  ...domainRoutes,
  ...migrationRoutes,
  ...mediaRoutes,
];
