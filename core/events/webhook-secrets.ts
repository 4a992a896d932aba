import { randomBytes } from 'node:crypto';
import { PREVIOUS_SECRETS_MAX } from '../../schemas/events/webhooks.ts';
import { inTransaction } from '../base/database/transactions.ts';
import { conflict, notFound } from '../base/errors.ts';
import { derivedId, findById } from '../base/ids.ts';
import type { Origin } from '../base/maker.ts';
import type { Project, Sealed, Session } from '../base/model.ts';
import { openSecret, SecretError, sealSecret, secretKind } from '../base/secrets.ts';
import { DAY_MS } from '../base/time/durations.ts';
import type { EventsDeps } from './deps.ts';
import type { PreviousWebhookSecret, Webhook } from './model.ts';
import { SECRET_PREFIX } from './webhook-signature.ts';

type Owner = Pick<Webhook, '_id' | 'projectId'>;

const SECRET_BYTES = 32;
/** How long a replaced secret signs, so that every receiver can be changed without a refused delivery. */
const PREVIOUS_MS = DAY_MS;

/** The prefix and padded standard base64, as verifiers of Standard Webhooks read it. */
export function sealNewSecret(deps: Pick<EventsDeps, 'config'>, webhook: Owner): Sealed {
  const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  return sealSecret(deps.config, webhookContext(webhook), secret);
}

export function webhookSecret({ config }: Pick<EventsDeps, 'config'>, webhook: Webhook): string {
  return openSecret(config, webhookContext(webhook), webhook.secret);
}

/**
 * Each replaced secret signs for 24 hours after its own rotation: a caller that lost the answer rotates again, and by then the
 * receiver has the secret before both.
 */
export async function rotateSecret(
  deps: EventsDeps,
  project: Pick<Project, '_id'>,
  id: string,
  { at, seed }: Origin,
): Promise<{ webhook: Webhook; secret: string }> {
  const { _id: webhookId, projectId } = await findById(deps.db.webhooks, project, id, 'WEBHOOK');
  const _id = derivedId(at, 'previous webhook secret', seed.toHexString());
  const webhook = await inTransaction(deps, (session) => replaceSecret(deps, { _id, projectId, webhookId }, session));
  return { webhook, secret: webhookSecret(deps, webhook) };
}

/** The newest first. */
export async function signingSecrets(deps: EventsDeps, webhook: Webhook): Promise<string[]> {
  const { _id: webhookId, projectId, previousSecretUntil } = webhook;
  const now = deps.clock.now();
  const current = webhookSecret(deps, webhook);
  if (!previousSecretUntil || previousSecretUntil <= now) return [current];
  const previous = await deps.db.previousWebhookSecrets
    .find({ projectId, webhookId, until: { $gt: now } })
    .sort({ until: -1 })
    .toArray();
  const older = previous.map(({ sealed }) => openSecret(deps.config, webhookContext(webhook), sealed));
  return [...new Set([current, ...older])];
}

/** The same for a secret and those that it replaced: a rotation moves the sealed value as it is. */
export function webhookContext({ _id, projectId }: Owner): string[] {
  return ['webhook', projectId.toHexString(), _id.toHexString()];
}

async function contextOfPrevious({ _id, projectId }: Owner, { db }: EventsDeps): Promise<string[]> {
  const previous = await db.previousWebhookSecrets.findOne({ _id, projectId }, { projection: { webhookId: 1 } });
  if (!previous) throw new SecretError('The replaced secret has expired.');
  return webhookContext({ _id: previous.webhookId, projectId });
}

/** The second try of a request finds the secret that the first one replaced, and changes nothing. */
async function replaceSecret(
  deps: EventsDeps,
  { _id, projectId, webhookId }: Pick<PreviousWebhookSecret, '_id' | 'projectId' | 'webhookId'>,
  session: Session,
): Promise<Webhook> {
  const { webhooks, previousWebhookSecrets } = deps.db;
  const webhook = await webhooks.findOne({ _id: webhookId, projectId }, { session });
  if (!webhook) throw notFound('WEBHOOK');
  if (await previousWebhookSecrets.findOne({ _id, projectId }, { session })) return webhook;
  const now = deps.clock.now();
  const live = { projectId, webhookId, until: { $gt: now } };
  if ((await previousWebhookSecrets.countDocuments(live, { session })) >= PREVIOUS_SECRETS_MAX)
    throw conflict(
      'INVALID_STATE',
      `The secret was replaced ${PREVIOUS_SECRETS_MAX} times within 24 hours; wait until previousSecretUntil, or create another webhook.`,
    );
  const until = new Date(now.getTime() + PREVIOUS_MS);
  await previousWebhookSecrets.insertOne({ _id, projectId, webhookId, sealed: webhook.secret, until }, { session });
  const changed = { secret: sealNewSecret(deps, webhook), previousSecretUntil: until, updatedAt: now };
  await webhooks.updateOne({ _id: webhookId, projectId }, { $set: changed }, { session });
  return { ...webhook, ...changed };
}

export const webhookSecrets = secretKind(
  'webhook secret',
  'secret',
  ({ db }: EventsDeps) => db.webhooks,
  webhookContext,
);

export const previousSecrets = secretKind(
  'replaced webhook secret',
  'sealed',
  ({ db }: EventsDeps) => db.previousWebhookSecrets,
  contextOfPrevious,
);
