import type { Filter, ObjectId } from 'mongodb';
import {
  type createWebhookBody,
  eventTypes,
  type replayBody,
  TEST_EVENT,
  type updateWebhookBody,
  WEBHOOKS_MAX,
} from '../../schemas/events/webhooks.ts';
import type { Described } from '../../schemas/schema.ts';
import { insertOnce } from '../base/database/idempotent-insert.ts';
import { inTransaction } from '../base/database/transactions.ts';
import type { CallerDeps } from '../base/deps.ts';
import { conflict, invalid, notFound } from '../base/errors.ts';
import { derivedId, findById, parseId } from '../base/ids.ts';
import type { Origin } from '../base/maker.ts';
import type { Project, Session } from '../base/model.ts';
import { type Page, type PageOf, pageOf } from '../base/paging.ts';
import { raiseAudienceVersion } from '../base/projects.ts';
import { readDate } from '../base/text/coercion.ts';
import { isAllowedUrl } from '../base/text/urls.ts';
import { wakeQueue } from '../jobs/queue.ts';
import type { EventsDeps } from './deps.ts';
import { announceEvents, hashId, newDelivery, WEBHOOK_DELIVERIES } from './events.ts';
import { readersChanged } from './listeners.ts';
import type { ProjectEvent, Webhook, WebhookDelivery } from './model.ts';
import { sealNewSecret, webhookSecret } from './webhook-secrets.ts';

/** Returns in words what posts to the webhook, or null. Called in the transaction of its removal. */
type UseOfWebhook = (
  deps: CallerDeps,
  session: Session,
  webhook: Pick<Webhook, '_id' | 'projectId'>,
) => Promise<string | null>;

declare module '../base/deps.ts' {
  interface Subscribers {
    usesOfWebhook: readonly UseOfWebhook[];
  }
}

const REPLAYED_TOGETHER = 1_000;
/** The most events that one call delivers again. */
const REPLAY_MAX = 100_000;

/** Returns the secret too: it is shown once, and stored sealed. */
export async function createWebhook(
  deps: EventsDeps,
  project: Project,
  { url, events }: Described<typeof createWebhookBody>,
  { at, seed }: Origin,
): Promise<{ webhook: Webhook; secret: string }> {
  checkUrl(deps, url);
  const projectId = project._id;
  const _id = derivedId(at, 'webhook', seed.toHexString());
  const made: Webhook = {
    _id,
    projectId,
    url,
    events: known(events),
    secret: sealNewSecret(deps, { _id, projectId }),
    isActive: true,
    disabledReason: null,
    failingSince: null,
    createdAt: at,
    updatedAt: at,
  };
  const count = await deps.db.webhooks.countDocuments({ projectId }, { limit: WEBHOOKS_MAX });
  if (count >= WEBHOOKS_MAX)
    throw conflict('INVALID_STATE', `A project may have ${WEBHOOKS_MAX} webhooks; delete one first.`);
  const webhook = await insertOnce(deps.db.webhooks, made, { projectId });
  readersChanged(deps, projectId);
  return { webhook, secret: webhookSecret(deps, webhook) };
}

export async function listWebhooks(deps: EventsDeps, project: Project, page: Page): Promise<PageOf<Webhook>> {
  return pageOf(deps.db.webhooks, { projectId: project._id }, page, { sort: { _id: -1 }, hint: 'newest' });
}

/** `field` is where the call names it. */
export function getWebhook(
  deps: EventsDeps,
  project: Pick<Project, '_id'>,
  id: string,
  field?: string,
): Promise<Webhook> {
  return findById(deps.db.webhooks, project, id, 'WEBHOOK', field);
}

/** Of a deleted project: what is still to be delivered fails. */
export async function switchWebhooksOff({ db, clock }: EventsDeps, projectId: ObjectId): Promise<void> {
  await db.webhooks.updateMany({ projectId, isActive: true }, { $set: { isActive: false, updatedAt: clock.now() } });
}

export async function updateWebhook(
  deps: EventsDeps,
  project: Project,
  id: string,
  { url, events, isActive }: Described<typeof updateWebhookBody>,
): Promise<Webhook> {
  if (url !== undefined) checkUrl(deps, url);
  const { _id, isOfSteps } = await getWebhook(deps, project, id);
  if (url !== undefined && isOfSteps)
    throw conflict(
      'INVALID_STATE',
      'This webhook calls the url of steps of automations; change it in the steps.',
      'url: belongs to steps',
    );
  const switched = isActive === undefined ? {} : { isActive, disabledReason: null, failingSince: null };
  const updated = await deps.db.webhooks.findOneAndUpdate(
    { _id, projectId: project._id },
    { $set: { url, events: events && known(events), ...switched, updatedAt: deps.clock.now() } },
    { returnDocument: 'after' },
  );
  if (!updated) throw notFound('WEBHOOK');
  readersChanged(deps, project._id);
  return updated;
}

/** The rules of the project are written too, as by an activation that names the webhook: of the two the later one is repeated, and refused. */
export async function deleteWebhook(deps: EventsDeps, project: Project, id: string): Promise<void> {
  const { _id } = await getWebhook(deps, project, id);
  const webhook = { _id, projectId: project._id };
  await inTransaction(deps, async (session) => {
    const { deletedCount } = await deps.db.webhooks.deleteOne(webhook, { session });
    if (deletedCount === 0) throw notFound('WEBHOOK');
    for (const useOf of deps.subscribers.usesOfWebhook) {
      const use = await useOf(deps, session, webhook);
      if (use) throw conflict('INVALID_STATE', `The webhook is used by a step of ${use}; take it out there first.`);
    }
    await deps.db.previousWebhookSecrets.deleteMany({ projectId: project._id, webhookId: _id }, { session });
    await raiseAudienceVersion(deps, project._id, session);
  });
  readersChanged(deps, project._id);
}

/** Newest first. */
export async function listDeliveries(
  deps: EventsDeps,
  project: Project,
  id: string,
  { status, ...page }: Page & { status?: WebhookDelivery['status'] | undefined },
): Promise<PageOf<WebhookDelivery>> {
  const { _id: webhookId } = await getWebhook(deps, project, id);
  const filter = { projectId: project._id, webhookId, ...(status ? { status } : {}) };
  return pageOf(deps.db.webhookDeliveries, filter, page, { sort: { createdAt: -1, _id: -1 }, hint: 'newest' });
}

/** Delivers events again, under the same ids: the receiver can skip those that it has. */
export async function replayEvents(
  deps: EventsDeps,
  project: Project,
  id: string,
  wanted: Described<typeof replayBody>,
  { seed }: Origin,
): Promise<{ replayed: number }> {
  const { _id, events, isActive } = await getWebhook(deps, project, id);
  const { chosen, hint } = wanted.eventIds ? eventsById(wanted) : eventsBetween(wanted);
  if (!isActive) throw conflict('INVALID_STATE', 'The webhook is off; switch it on with isActive: true first.');
  const projectId = project._id;
  const filter = { projectId, ...chosen, $or: [{ type: { $in: events } }, { 'to.webhookId': _id }] };
  const total = await deps.db.projectEvents.countDocuments(filter, { limit: REPLAY_MAX + 1, hint });
  if (total > REPLAY_MAX)
    throw invalid(`One call delivers ${REPLAY_MAX} events at most; give a shorter range.`, 'to: is too far from from');
  let replayed = 0;
  let batch: WebhookDelivery[] = [];
  const write = async () => {
    if (batch.length > 0) await deps.db.webhookDeliveries.insertMany(batch, { ordered: false }).catch(ignoreKnown);
    replayed += batch.length;
    batch = [];
  };
  const found = deps.db.projectEvents.find(filter, { projection: { type: 1, projectId: 1 }, hint });
  for await (const event of found as AsyncIterable<Pick<ProjectEvent, '_id' | 'projectId' | 'type'>>) {
    batch.push(newDelivery(event, _id, deps.clock.now(), seed.toHexString()));
    if (batch.length >= REPLAYED_TOGETHER) await write();
  }
  await write();
  announceEvents(deps, projectId);
  return { replayed };
}

interface ChosenEvents {
  chosen: Filter<ProjectEvent>;
  hint: string;
}

function eventsById({ from, to, eventIds = [] }: Described<typeof replayBody>): ChosenEvents {
  if (from !== undefined || to !== undefined)
    throw invalid('Give from and to, or eventIds, not both.', 'eventIds: does not go with from and to');
  return { chosen: { _id: { $in: eventIds.flatMap((id) => parseId(id) ?? []) } }, hint: '_id_' };
}

function eventsBetween(range: Described<typeof replayBody>): ChosenEvents {
  const missing = (['from', 'to'] as const).filter((name) => range[name] === undefined);
  if (missing.length > 0)
    throw invalid('Give from and to, or eventIds.', missing.map((name) => `${name}: is required`).join('; '));
  const [from, to] = [range.from, range.to].map((text) => new Date(readDate(text) ?? Number.NaN));
  if (!from || !to || !(from < to)) throw invalid('from must be before to.', 'from: must be before to');
  return { chosen: { createdAt: { $gte: from, $lt: to }, writtenAt: { $gte: from } }, hint: 'written' };
}

/** Delivers an event that nothing else makes, also while the webhook is off, so that a receiver can be tried before it is switched on. */
export async function testWebhook(
  deps: EventsDeps,
  project: Project,
  id: string,
  { at, seed }: Origin,
): Promise<WebhookDelivery> {
  const { _id: webhookId, projectId } = await getWebhook(deps, project, id);
  const event: ProjectEvent = {
    _id: hashId('event', projectId.toHexString(), TEST_EVENT, seed.toHexString()),
    projectId,
    type: TEST_EVENT,
    createdAt: at,
    writtenAt: at,
    data: { webhookId: webhookId.toHexString() },
  };
  await insertOnce(deps.db.projectEvents, event, { projectId });
  const delivery = await insertOnce(deps.db.webhookDeliveries, newDelivery(event, webhookId, at), { projectId });
  wakeQueue(deps, WEBHOOK_DELIVERIES, projectId);
  return delivery;
}

/** In the order of the table, each once. */
function known(events: readonly string[]): string[] {
  return eventTypes.filter((type) => events.includes(type));
}

/** Names are checked at delivery: here a URL can only be refused for its text. */
function checkUrl({ config }: EventsDeps, url: string): void {
  if (!isAllowedUrl(url, { allow: config.allowPrivateUrls }))
    throw invalid('url must be a public https URL.', 'url: must be a public https URL');
}

/** The second try of the same call. */
function ignoreKnown(error: { code?: unknown }): void {
  if (error.code !== 11_000) throw error;
}
