import type { Endpoint } from '../endpoint.ts';
import { accountRoutes } from './account.ts';
import { campaignRoutes } from './campaigns.ts';
import { contactRoutes } from './contacts.ts';
import { domainRoutes } from './domains.ts';
import { mediaRoutes } from './media.ts';
import { migrationRoutes } from './migrations.ts';

/** The whole REST interface. What joins this table joins validation, the OpenAPI document and the generated tests. */
export const productRoutes: Endpoint[] = [
  ...accountRoutes,
  ...campaignRoutes,
  ...contactRoutes,
  ...domainRoutes,
  ...migrationRoutes,
  ...mediaRoutes,
];
