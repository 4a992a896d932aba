import type { Endpoint } from '../http/endpoint.ts';
import { accountRoutes } from './account.ts';
import { automationRoutes } from './automations.ts';
import { campaignControlRoutes } from './campaign-control.ts';
import { campaignPeopleRoutes } from './campaign-people.ts';
import { campaignRoutes } from './campaigns.ts';
import { contactRoutes } from './contacts.ts';
import { customFieldRoutes } from './custom-fields.ts';
import { domainRoutes } from './domains.ts';
import { emailRoutes } from './emails.ts';
import { eventRoutes } from './events.ts';
import { importRoutes } from './imports.ts';
import { inboundRoutes } from './inbound.ts';
import { linkRoutes } from './links.ts';
import { listRoutes } from './lists.ts';
import { mailRoutes } from './mails.ts';
import { mediaRoutes } from './media.ts';
import { migrationRoutes } from './migrations.ts';
import { reportRoutes } from './reports.ts';
import { senderRoutes } from './senders.ts';
import { streamRoutes } from './stream.ts';
import { suppressionRoutes } from './suppressions.ts';
import { templateRoutes } from './templates.ts';
import { trackingRoutes } from './tracking.ts';
import { unsubscribeRoutes } from './unsubscribe.ts';
import { webhookRoutes } from './webhooks.ts';

/** The whole REST interface. A route in this table gets validation, the OpenAPI document and the generated tests. */
export const productRoutes: Endpoint[] = [
  ...accountRoutes,
  ...automationRoutes,
  ...campaignRoutes,
  ...campaignControlRoutes,
  ...campaignPeopleRoutes,
  ...contactRoutes,
  ...eventRoutes,
  ...importRoutes,
  ...listRoutes,
  ...customFieldRoutes,
  ...suppressionRoutes,
  ...domainRoutes,
  ...migrationRoutes,
  ...mediaRoutes,
  ...mailRoutes,
  ...emailRoutes,
  ...reportRoutes,
  ...linkRoutes,
  ...senderRoutes,
  ...templateRoutes,
  ...trackingRoutes,
  ...unsubscribeRoutes,
  ...webhookRoutes,
  ...streamRoutes,
  ...inboundRoutes,
];
