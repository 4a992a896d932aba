import type { Endpoint } from '../http/endpoint.ts';
import { accountRoutes } from './accounts/account.ts';
import { memberRoutes } from './accounts/members.ts';
import { sessionRoutes } from './accounts/session.ts';
import { automationRoutes } from './automations.ts';
import { campaignControlRoutes } from './campaigns/campaign-control.ts';
import { campaignPeopleRoutes } from './campaigns/campaign-people.ts';
import { campaignVariantRoutes } from './campaigns/campaign-variants.ts';
import { campaignRoutes } from './campaigns/campaigns.ts';
import { suppressionRoutes } from './consent/suppressions.ts';
import { unsubscribeRoutes } from './consent/unsubscribe.ts';
import { domainRoutes } from './domains/domains.ts';
import { senderRoutes } from './domains/senders.ts';
import { enrollmentRoutes } from './enrollments.ts';
import { eventRoutes } from './events/events.ts';
import { streamRoutes } from './events/stream.ts';
import { webhookRoutes } from './events/webhooks.ts';
import { linkRoutes } from './figures/links.ts';
import { liveRoutes } from './figures/live.ts';
import { reportRoutes } from './figures/reports.ts';
import { formPreviewRoutes } from './forms/form-previews.ts';
import { formRoutes } from './forms/forms.ts';
import { publicFormRoutes } from './forms/public-forms.ts';
import { inboundRoutes } from './inbound.ts';
import { emailRoutes } from './mail/emails.ts';
import { mailRoutes } from './mail/mails.ts';
import { previewRoutes } from './mail/previews.ts';
import { trackingRoutes } from './mail/tracking.ts';
import { viewRoutes } from './mail/views.ts';
import { migrationRoutes } from './migrations.ts';
import { contactRoutes } from './people/contacts.ts';
import { customFieldRoutes } from './people/custom-fields.ts';
import { importRoutes } from './people/imports.ts';
import { listRoutes } from './people/lists.ts';
import { personalDataRoutes } from './persons-own/personal-data.ts';
import { preferenceRoutes } from './persons-own/preferences.ts';
import { brandRoutes } from './templates/brand.ts';
import { mediaRoutes } from './templates/media.ts';
import { layoutRoutes, republicationRoutes, snippetRoutes } from './templates/parts.ts';
import { templateRoutes } from './templates/templates.ts';
import { translationRoutes } from './templates/translations.ts';

/** The whole REST interface. A route in this table gets validation, the OpenAPI document and the generated tests. */
export const productRoutes: Endpoint[] = [
  ...accountRoutes,
  ...sessionRoutes,
  ...memberRoutes,
  ...automationRoutes,
  ...enrollmentRoutes,
  ...campaignRoutes,
  ...campaignControlRoutes,
  ...campaignPeopleRoutes,
  ...campaignVariantRoutes,
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
  ...republicationRoutes,
  ...templateRoutes,
  ...layoutRoutes,
  ...snippetRoutes,
  ...translationRoutes,
  ...brandRoutes,
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
