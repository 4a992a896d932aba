import type { Webhook, WebhookDelivery } from '../../core/events/model.ts';

export function presentWebhook(webhook: Webhook) {
  const { _id, url, events, isActive, disabledReason, failingSince, createdAt, updatedAt } = webhook;
  const previousSecretUntil = webhook.previousSecretUntil ?? null;
  return { id: _id, url, events, isActive, disabledReason, failingSince, previousSecretUntil, createdAt, updatedAt };
}

export function presentDelivery(delivery: WebhookDelivery) {
  const { _id, eventId, type, status, attempts, isReplay, createdAt, endedAt, dueAt, tries } = delivery;
  const nextAttemptAt = status === 'pending' ? (dueAt ?? null) : null;
  return { id: _id, eventId, type, status, attempts, isReplay, createdAt, endedAt, nextAttemptAt, tries };
}
