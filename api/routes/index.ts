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
import { formPreviewRoutes } from './form-previews.ts';
import { formRoutes } from './forms.ts';
import { importRoutes } from './imports.ts';
import { inboundRoutes } from './inbound.ts';
import { linkRoutes } from './links.ts';
import { listRoutes } from './lists.ts';
import { liveRoutes } from './live.ts';
import { mailRoutes } from './mails.ts';
import { mediaRoutes } from './media.ts';
import { memberRoutes } from './members.ts';
import { migrationRoutes } from './migrations.ts';
import { personalDataRoutes } from './personal-data.ts';
import { preferenceRoutes } from './preferences.ts';
import { previewRoutes } from './previews.ts';
import { publicFormRoutes } from './public-forms.ts';
import { reportRoutes } from './reports.ts';
import { senderRoutes } from './senders.ts';
import { sessionRoutes } from './session.ts';
import { streamRoutes } from './stream.ts';
import { suppressionRoutes } from './suppressions.ts';
import { templateRoutes } from './templates.ts';
import { trackingRoutes } from './tracking.ts';
import { unsubscribeRoutes } from './unsubscribe.ts';
import { viewRoutes } from './views.ts';
import { webhookRoutes } from './webhooks.ts';

/** The whole REST interface. A route in this table gets validation, the OpenAPI document and the generated tests. */
export const productRoutes: Endpoint[] = [
  ...accountRoutes,
  ...sessionRoutes,
  ...memberRoutes,
  ...automationRoutes,
  ...campaignRoutes,
  ...campaignControlRoutes,
  ...campaignPeopleRoutes,
  ...contactRoutes,
  ...eventRoutes,
  ...formPreviewRoutes,
  ...formRoutes,
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
  ...liveRoutes,
  ...linkRoutes,
  ...senderRoutes,
  ...templateRoutes,
  ...previewRoutes,
  ...trackingRoutes,
  ...unsubscribeRoutes,
  ...preferenceRoutes,
  ...viewRoutes,
  ...publicFormRoutes,
  ...personalDataRoutes,
  ...webhookRoutes,
  ...streamRoutes,
  ...inboundRoutes,
];
