import type { Endpoint } from '../endpoint.ts';
import { accountRoutes } from './account.ts';
import { contactRoutes } from './contacts.ts';
import { domainRoutes } from './domains.ts';

/** The whole REST interface. What joins this table joins validation, the OpenAPI document and the generated tests. */
export const productRoutes: Endpoint[] = [...accountRoutes, ...contactRoutes, ...domainRoutes];
