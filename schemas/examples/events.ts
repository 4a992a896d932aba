import { streamOnlyEvents } from '../events/stream-events.ts';
import { eventTitle, webhookEvents } from '../events/webhook-events.ts';
import { answerExamples } from './answers.ts';
import { at, ids, later } from './ids.ts';
import { nowExamples } from './now.ts';
import { reputation, reputationLimits } from './reports.ts';

/** An example of every event, by the name of its component. */

const mail = {
  emailId: ids.email,
  email: 'ada@example.org',
  subject: 'News of March',
  campaignId: ids.campaign,
  automationId: null,
  batchId: null,
  contactId: ids.contact,
  tags: [{ name: 'season', value: 'spring' }],
};
const ok = { code: 250, enhanced: '2.0.0', text: 'OK' };
const userAgent = 'Mozilla/5.0';

const contact = {
  id: ids.contact,
  email: 'ada@example.org',
  firstName: 'Ada',
  lastName: null,
  userId: null,
  mobile: null,
  contactProperties: { plan: 'pro' },
  listIds: [ids.list],
  segmentIds: [],
  createdAt: at,
  updatedAt: at,
};

const data: Record<string, unknown> = {
  EmailOutcome: { ...mail, reply: ok, reason: null },
  EmailBounce: { ...mail, reply: { code: 550, enhanced: '5.1.1', text: 'no such user' }, reason: 'No such user.' },
  EmailDelivery: { ...mail, reason: null },
  EmailSchedule: { ...mail, campaignId: null, scheduledAt: later },
  EmailCancellation: { ...mail, campaignId: null, reason: null },
  EmailOpen: { ...mail, automated: false, userAgent },
  EmailClick: { ...mail, url: 'https://example.com/march', automated: false, userAgent },
  EmailUnsubscribe: { ...mail, reason: 'one click' },
  EmailComplaint: { ...mail, reason: 'abuse' },
  ReceivedEmail: {
    id: ids.inbound,
    email: 'ada@example.org',
    messageId: '<1@mail.example.org>',
    domainName: 'example.com',
    from: { email: 'ada@example.org', name: 'Ada' },
    to: [{ email: 'support@example.com', name: null }],
    subject: 'My order',
    threadId: ids.inbound,
    status: 'PROCESSED',
    receivedAt: at,
    inReplyToEmailActivityId: null,
    inReplyToInboundEmailId: null,
    attachmentCount: 0,
    attachments: 0,
  },
  ContactData: contact,
  DeletedContact: { id: ids.contact },
  CampaignChange: {
    id: ids.campaign,
    campaignId: ids.campaign,
    name: 'March news',
    status: 'sent',
    startsAt: at,
    startedAt: at,
    sentAt: later,
    pausedAt: null,
    abortedAt: null,
    pausedReason: null,
    failureReason: null,
    counts: {
      ...{ totalContacts: 1_204, suppressed: 3, failed: 1, sent: 1_200, unknown: 0, pending: 0, bounced: 4 },
      ...{ opened: 0, humanOpened: 0, clicked: 0, unsubscribed: 0, spamReported: 0 },
    },
  },
  VariantDecision: {
    ...{ id: ids.campaign, campaignId: ids.campaign, name: 'March news', status: 'sending' },
    ...{ variantId: 'B', by: 'figures', at: later },
  },
  EnrollmentChange: {
    enrollmentId: ids.other,
    automationId: ids.automation,
    contactId: ids.contact,
    stepId: null,
    exitReason: null,
    enteredAt: at,
    endedAt: null,
  },
  StepOfContact: {
    enrollmentId: ids.other,
    automationId: ids.automation,
    stepId: 'tell-crm',
    email: 'ada@example.org',
    contact,
    event: null,
  },
  TemplatePublication: {
    templateId: ids.template,
    templateName: 'March news',
    version: 3,
    publishedAt: later,
    publishedBy: null,
  },
  PartPublication: { id: 'footer', name: 'footer', version: 2, publishedAt: later, publishedBy: null },
  MigrationChange: {
    id: ids.migration,
    bulkOperationId: ids.migration,
    projectId: ids.project,
    provider: 'providerA',
    status: 'running',
    phase: 'contacts',
    phases: [{ name: 'contacts', status: 'running', total: 1_204, succeeded: 800, failed: 0, skipped: 0 }],
    attention: null,
    failureReason: null,
    run: 1,
    version: 12,
  },
  ReputationChange: { domain: 'example.com', ...reputation, limits: reputationLimits },
  WebhookTest: { webhookId: ids.webhook },
  ...nowExamples,
  ContactImport: answerExamples.ContactImport,
  Domain: answerExamples.Domain,
  EventRecord: answerExamples.EventRecord,
};

export const eventExamples: Record<string, unknown> = Object.fromEntries(
  Object.entries({ ...webhookEvents, ...streamOnlyEvents }).map(([type, { data: schema }]) => {
    const payload = data[schema.title as string];
    return [eventTitle(type), { id: ids.event, type, createdAt: later, data: payload }];
  }),
);
