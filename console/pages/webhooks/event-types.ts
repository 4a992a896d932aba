import type { ProjectEventType } from '../../../schemas/webhooks.ts';

/** The types of the schema: one that is missing here does not compile. */
const all: Record<ProjectEventType, true> = {
  'email.scheduled': true,
  'email.sent': true,
  'email.delivered': true,
  'email.deferred': true,
  'email.bounced': true,
  'email.failed': true,
  'email.suppressed': true,
  'email.cancelled': true,
  'email.opened': true,
  'email.clicked': true,
  'email.spam_reported': true,
  'email.unsubscribed': true,
  'email.received': true,
  'contact.created': true,
  'contact.updated': true,
  'contact.deleted': true,
  'campaign.scheduled': true,
  'campaign.sending': true,
  'campaign.paused': true,
  'campaign.sent': true,
  'campaign.failed': true,
  'campaign.aborted': true,
  'automation.entered': true,
  'automation.completed': true,
  'automation.exited': true,
  'migration.running': true,
  'migration.progress': true,
  'migration.needs_attention': true,
  'migration.completed': true,
  'migration.failed': true,
  'reputation.warning': true,
  'reputation.recovered': true,
};

export const eventTypes = Object.keys(all) as readonly ProjectEventType[];
