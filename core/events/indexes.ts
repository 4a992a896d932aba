import { type Indexes, onlyWith } from '../base/indexes.ts';
import { DAY_SECONDS } from '../base/time/durations.ts';

export const feedIndexes = {
  projectEvents: {
    written: {
      key: { projectId: 1, writtenAt: 1, _id: 1 },
      because: 'The events of a project, in order: /stream and replays.',
    },
    email: {
      key: { projectId: 1, 'data.email': 1 },
      ...onlyWith('data.email'),
      because: 'Events that name an address: erasure.',
    },
    erasure: {
      key: { eraseAt: 1 },
      expireAfterSeconds: 0,
      ...onlyWith('eraseAt'),
      because: 'Events of a deleted contact expire within a day.',
    },
    expiry: {
      key: { writtenAt: 1 },
      expireAfterSeconds: 30 * DAY_SECONDS,
      because: 'Events can be replayed for 30 days.',
    },
  },
  eventStreams: {
    expiry: { key: { openUntil: 1 }, expireAfterSeconds: 0, because: 'Projects without a listener for an hour.' },
  },
  webhooks: {
    newest: { key: { projectId: 1, _id: -1 }, because: 'The webhooks of a project, newest first.' },
  },
  webhookHeaders: {
    owner: { key: { projectId: 1, ownerId: 1 }, because: 'Headers of steps of an automation that is removed.' },
    removal: {
      key: { removeAt: 1 },
      expireAfterSeconds: 0,
      ...onlyWith('removeAt'),
      because: 'Headers of removed automations expire with the deliveries that need them.',
    },
  },
  previousWebhookSecrets: {
    signing: {
      key: { projectId: 1, webhookId: 1, until: 1 },
      because: 'The replaced secrets of a webhook that still sign.',
    },
    expiry: { key: { until: 1 }, expireAfterSeconds: 0, because: 'A replaced secret is removed after 24 hours.' },
  },
  webhookDeliveries: {
    due: {
      key: { projectId: 1, dueAt: 1 },
      ...onlyWith('dueAt'),
      because: 'Deliveries that must be tried, or tried again.',
    },
    newest: {
      key: { projectId: 1, webhookId: 1, createdAt: -1, _id: -1 },
      because: 'The delivery log of an endpoint, newest first.',
    },
    expiry: {
      key: { createdAt: 1 },
      expireAfterSeconds: 30 * DAY_SECONDS,
      because: 'The delivery log is kept for 30 days.',
    },
  },
} satisfies Indexes;
