import { ObjectId } from 'mongodb';
import { STEP_EVENT, WEBHOOKS_MAX } from '../../schemas/events/webhooks.ts';
import { conflict, notFound } from '../base/errors.ts';
import type { Session } from '../base/model.ts';
import type { EventsDeps } from './deps.ts';
import { hashId, newDelivery } from './events.ts';
import type { ProjectEvent } from './model.ts';
import { sealNewSecret } from './webhook-secrets.ts';

/** Events of steps of automations, each for one webhook alone. */

export interface StepCall {
  /** Of the event. */
  _id: ObjectId;
  to: NonNullable<ProjectEvent['to']>;
  data: Record<string, unknown>;
}

/** Identifies the event of one visit of a step. */
export function stepEventId(projectId: ObjectId, ...visit: string[]): ObjectId {
  return hashId('event', projectId.toHexString(), STEP_EVENT, ...visit);
}

/** The webhook that calls a URL for the steps of a project. */
export function webhookOfUrl(projectId: ObjectId, url: string): ObjectId {
  return hashId('webhook of steps', projectId.toHexString(), url);
}

/** With the move that it belongs to; `announceEvents` is to be called after the commit. */
export async function publishCalls(
  { db, clock }: EventsDeps,
  session: Session,
  projectId: ObjectId,
  calls: StepCall[],
): Promise<void> {
  if (calls.length === 0) return;
  const now = clock.now();
  const events = calls.map(
    ({ _id, to, data }): ProjectEvent => ({
      ...{ _id, projectId, type: STEP_EVENT, createdAt: now, writtenAt: now },
      ...{ to, data },
    }),
  );
  await db.projectEvents.insertMany(events, { session });
  const deliveries = calls.map(({ _id, to }) => newDelivery({ _id, projectId, type: STEP_EVENT }, to.webhookId, now));
  await db.webhookDeliveries.insertMany(deliveries, { session });
}

/** Refuses an activation that names a webhook which is removed at the same time. */
export async function requireWebhooks(
  { db }: EventsDeps,
  session: Session,
  projectId: ObjectId,
  ids: readonly string[],
): Promise<void> {
  for (const id of new Set(ids)) {
    const found = await db.webhooks.findOne({ _id: new ObjectId(id), projectId }, { session, projection: { _id: 1 } });
    if (!found) throw notFound('WEBHOOK');
  }
}

/** Makes the webhooks of URLs that have none, in the transaction of the activation that needs them. */
export async function openWebhooks(
  deps: EventsDeps,
  session: Session,
  projectId: ObjectId,
  urls: readonly string[],
): Promise<void> {
  const { webhooks } = deps.db;
  for (const url of new Set(urls)) {
    const _id = webhookOfUrl(projectId, url);
    if (await webhooks.findOne({ _id, projectId }, { session, projection: { _id: 1 } })) continue;
    if ((await webhooks.countDocuments({ projectId }, { session, limit: WEBHOOKS_MAX })) >= WEBHOOKS_MAX)
      throw conflict(
        'INVALID_STATE',
        `A project may have ${WEBHOOKS_MAX} webhooks, and each url of a step needs one; delete a webhook first.`,
      );
    const now = deps.clock.now();
    await webhooks.insertOne(
      {
        ...{ _id, projectId, url, events: [], isOfSteps: true, secret: sealNewSecret(deps, { _id, projectId }) },
        ...{ isActive: true, disabledReason: null, failingSince: null, createdAt: now, updatedAt: now },
      },
      { session },
    );
  }
}
