import type { ObjectId } from 'mongodb';
import { insertOnce } from '../base/database/idempotent-insert.ts';
import { openSecret, SecretError, sealSecret, secretKind } from '../base/secrets.ts';
import { DAY_MS } from '../base/time/durations.ts';
import type { EventsDeps } from './deps.ts';
import type { WebhookHeaders } from './model.ts';

/** Headers that callers add to what is posted for them. They may hold keys, so all of them are sealed. */

export interface Header {
  name: string;
  value: string;
}

type Owner = { _id: ObjectId; projectId: ObjectId };

/** A repeat under the same id leaves what the first call has stored. */
export async function keepHeaders(
  deps: EventsDeps,
  owner: Owner & Pick<WebhookHeaders, 'ownerId'>,
  headers: Header[],
): Promise<void> {
  const sealed = sealSecret(deps.config, contextOf(owner), JSON.stringify(headers));
  const { _id, projectId, ownerId } = owner;
  await insertOnce(deps.db.webhookHeaders, { _id, projectId, ownerId, sealed }, { projectId });
}

/** Of all steps of the owner: deliveries that are under way have them until their last try. A repeat changes nothing. */
export async function removeHeadersOf(
  { db, clock }: EventsDeps,
  { projectId, ownerId }: Pick<WebhookHeaders, 'projectId' | 'ownerId'>,
): Promise<void> {
  const removeAt = new Date(clock.now().getTime() + 2 * DAY_MS);
  await db.webhookHeaders.updateMany({ projectId, ownerId, removeAt: { $exists: false } }, { $set: { removeAt } });
}

export async function openHeaders(deps: EventsDeps, { _id, projectId }: Owner): Promise<Header[]> {
  const found = await deps.db.webhookHeaders.findOne({ _id, projectId });
  if (!found) throw new SecretError('The headers of this webhook are gone.');
  return JSON.parse(openSecret(deps.config, contextOf(found), found.sealed));
}

function contextOf({ _id, projectId }: Owner): string[] {
  return ['webhook headers', projectId.toHexString(), _id.toHexString()];
}

export const headerSecrets = secretKind(
  'webhook header set',
  'sealed',
  ({ db }: EventsDeps) => db.webhookHeaders,
  contextOf,
);
