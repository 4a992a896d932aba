import { rotateSecret } from '../../../core/events/webhook-secrets.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  replayEvents,
  testWebhook,
  updateWebhook,
} from '../../../core/events/webhooks.ts';
import { pageQuery } from '../../../schemas/common.ts';
import {
  createWebhookBody,
  deliveriesAnswer,
  deliveriesQuery,
  deliveryAnswer,
  newWebhookAnswer,
  replayAnswer,
  replayBody,
  updateWebhookBody,
  webhookAnswer,
  webhooksAnswer,
} from '../../../schemas/events/webhooks.ts';
import { endpoint } from '../../http/endpoint.ts';
import { presentPage } from '../../present/page.ts';
import { presentDelivery, presentWebhook } from '../../present/webhooks.ts';

const tag = 'webhooks';
const key = 'token';
const errors = { 404: 'No such webhook in this project.' } as const;

export const webhookRoutes = [
  endpoint({
    operation: 'webhooks.list',
    method: 'get',
    path: '/webhooks',
    key,
    tag,
    summary: 'List the webhooks of the project',
    query: pageQuery,
    answer: webhooksAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('webhooks', await listWebhooks(deps, project, query), presentWebhook),
  }),
  endpoint({
    operation: 'webhooks.create',
    method: 'post',
    path: '/webhooks',
    key,
    tag,
    summary: 'Create a webhook, which posts events of the project to a URL; its secret is shown only once',
    body: createWebhookBody,
    answer: newWebhookAnswer,
    status: 201,
    secret: 'secret',
    errors: { 409: 'The project has as many webhooks as it may.' },
    handler: async ({ deps, project, body, request }) => {
      const { webhook, secret } = await createWebhook(deps, project, body, request);
      return { ...presentWebhook(webhook), secret };
    },
  }),
  endpoint({
    operation: 'webhooks.get',
    method: 'get',
    path: '/webhooks/{webhookId}',
    key,
    tag,
    summary: 'Get a webhook',
    answer: webhookAnswer,
    errors,
    handler: async ({ deps, project, params }) =>
      presentWebhook(await getWebhook(deps, project, params.webhookId ?? '')),
  }),
  endpoint({
    operation: 'webhooks.update',
    method: 'patch',
    path: '/webhooks/{webhookId}',
    key,
    tag,
    summary: 'Update a webhook, or turn it on or off',
    body: updateWebhookBody,
    answer: webhookAnswer,
    errors,
    handler: async ({ deps, project, params, body }) =>
      presentWebhook(await updateWebhook(deps, project, params.webhookId ?? '', body)),
  }),
  endpoint({
    operation: 'webhooks.delete',
    method: 'delete',
    path: '/webhooks/{webhookId}',
    key,
    tag,
    summary: 'Delete a webhook; waiting deliveries are dropped',
    errors,
    handler: async ({ deps, project, params }) => deleteWebhook(deps, project, params.webhookId ?? ''),
  }),
  endpoint({
    operation: 'webhooks.deliveries',
    method: 'get',
    path: '/webhooks/{webhookId}/deliveries',
    key,
    tag,
    summary: 'List the deliveries of the last 30 days, newest first',
    query: deliveriesQuery,
    answer: deliveriesAnswer,
    errors,
    handler: async ({ deps, project, params, query }) => {
      const page = await listDeliveries(deps, project, params.webhookId ?? '', query);
      return presentPage('deliveries', page, presentDelivery);
    },
  }),
  endpoint({
    operation: 'webhooks.replay',
    method: 'post',
    path: '/webhooks/{webhookId}/replay',
    key,
    tag,
    summary: 'Deliver events again, those of a time range or single ones, with the same ids',
    body: replayBody,
    answer: replayAnswer,
    errors: { ...errors, 409: 'The webhook is off.' },
    handler: async ({ deps, project, params, body, request }) =>
      replayEvents(deps, project, params.webhookId ?? '', body, request),
  }),
  endpoint({
    operation: 'webhooks.rotateSecret',
    method: 'post',
    path: '/webhooks/{webhookId}/rotate-secret',
    key,
    tag,
    summary: 'Replace the secret of a webhook; the new one is shown only once, and both sign deliveries for 24 hours',
    answer: newWebhookAnswer,
    secret: 'secret',
    errors: { ...errors, 409: 'The secret was replaced four times within 24 hours.' },
    handler: async ({ deps, project, params, request }) => {
      const { webhook, secret } = await rotateSecret(deps, project, params.webhookId ?? '', request);
      return { ...presentWebhook(webhook), secret };
    },
  }),
  endpoint({
    operation: 'webhooks.test',
    method: 'post',
    path: '/webhooks/{webhookId}/test',
    key,
    tag,
    summary:
      'Deliver an event of type webhook.test once, also while the webhook is off. The delivery log has its outcome',
    answer: deliveryAnswer,
    status: 202,
    errors,
    handler: async ({ deps, project, params, request }) =>
      presentDelivery(await testWebhook(deps, project, params.webhookId ?? '', request)),
  }),
];
