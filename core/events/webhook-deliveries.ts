import type { AnyBulkWriteOperation } from 'mongodb';
import { TEST_EVENT } from '../../schemas/events/webhooks.ts';
import { createBatcher } from '../base/database/batcher.ts';
import { SecretError } from '../base/secrets.ts';
import { DAY_MS } from '../base/time/durations.ts';
import { again, type DueOutcome, documentQueue, settled } from '../jobs/document-queue.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { EventsDeps } from './deps.ts';
import { WEBHOOK_DELIVERIES } from './events.ts';
import { readersChanged } from './listeners.ts';
import type { ProjectEvent, Webhook, WebhookDelivery, WebhookTry } from './model.ts';
import { ANSWER_BYTES_MAX, type AnswerBytes, type Answered, announceAnswer, readAnswer } from './webhook-answers.ts';
import { openHeaders } from './webhook-headers.ts';
import { nextTryMs, WEBHOOK_FAILING_DAYS_MAX } from './webhook-retries.ts';
import { signingSecrets } from './webhook-secrets.ts';
import { signedHeaders } from './webhook-signature.ts';

/** Never follows a redirect, never calls a private address, and never throws. */
export type PostUrl = (request: {
  url: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  /** Left out: the body of the answer is not read, and neither is that of a failure. */
  answerBytesMax?: number;
}) => Promise<{ status: number; answer?: AnswerBytes } | { error: string }>;

type Write = AnyBulkWriteOperation<WebhookDelivery>;
/** Deliveries that end together are written together. */
type Delivering = EventsDeps & { post: PostUrl; write(write: Write): Promise<undefined> };

const TIMEOUT_MS = 10_000;
const TRIES_KEPT = 20;
const CONCURRENCY_MAX = 32;
const OFF = 'The webhook was deleted or switched off.';
const SEALED = 'The headers of the step do not open: SECRET_KEYS does not name their key.';
const GIVEN_UP = 'No try was taken within 24 hours.';
const GONE = 'The event is not kept any more.';

/** One delivery for each event and endpoint, tried until a 2xx comes or 24 hours are over. A crash between answer and write repeats it under the same id. */
export function webhookDeliveries(deps: EventsDeps, post: PostUrl): JobQueue {
  const write = createBatcher<Write, undefined>(
    async (writes) => {
      await deps.db.webhookDeliveries.bulkWrite(writes, { ordered: false });
      return writes.map(() => undefined);
    },
    { sizeMax: CONCURRENCY_MAX, runsMax: 2, callers: 'jobs' },
  );
  return documentQueue<WebhookDelivery>(deps, {
    name: WEBHOOK_DELIVERIES,
    collection: deps.db.webhookDeliveries,
    field: 'dueAt',
    concurrencyMax: CONCURRENCY_MAX,
    run: (delivery) => deliver({ ...deps, post, write }, delivery),
  });
}

export function webhookBody({ _id, type, createdAt, data }: Pick<ProjectEvent, '_id' | 'type' | 'createdAt' | 'data'>) {
  return { id: _id.toHexString(), type, createdAt: createdAt.toISOString(), data };
}

async function deliver(deps: Delivering, delivery: WebhookDelivery): Promise<DueOutcome> {
  const { projectId, webhookId, eventId } = delivery;
  const [webhook, event] = await Promise.all([
    deps.db.webhooks.findOne({ _id: webhookId, projectId }),
    deps.db.projectEvents.findOne({ _id: eventId, projectId }),
  ]);
  const isTest = delivery.type === TEST_EVENT;
  if (!event) return end(deps, delivery, 'failed', note(deps, null, GONE, 0));
  const isAwaited = event.to?.isAwaited === true && !delivery.isReplay;
  const answerWith = async (answered: Answered) => isAwaited && announceAnswer(deps, event, answered);
  if (!webhook || !(webhook.isActive || isTest)) {
    await answerWith({ problem: OFF });
    return end(deps, delivery, 'failed', note(deps, null, OFF, 0));
  }
  const { answered, ...one } = await post(deps, webhook, event, isAwaited);
  const isTaken = one.status !== null && one.status >= 200 && one.status < 300;
  // A test answers a person who waits for its outcome: it is tried once, and does not count as a failing or a good day.
  if (isTest) return end(deps, delivery, isTaken ? 'delivered' : 'failed', one);
  if (isTaken) {
    await worked(deps, webhook);
    await answerWith(answered);
    return end(deps, delivery, 'delivered', one);
  }
  await failed(deps, webhook);
  return tryAgain(deps, delivery, one, () => answerWith({ problem: GIVEN_UP }));
}

async function post(
  deps: Delivering,
  webhook: Webhook,
  event: ProjectEvent,
  isAwaited: boolean,
): Promise<WebhookTry & { answered: Answered }> {
  const answered = { json: null };
  const added = await headersOf(deps, event);
  if (!added) return { ...note(deps, null, SEALED, 0), answered };
  const secrets = await signingSecrets(deps, webhook);
  const body = JSON.stringify(webhookBody(event));
  const timestamp = Math.floor(deps.clock.now().getTime() / 1000);
  const headers = {
    ...added,
    'Content-Type': 'application/json',
    'User-Agent': 'Everpost-Webhooks/1.0',
    ...signedHeaders({ secrets, id: event._id.toHexString(), timestamp, body }),
  };
  const begun = performance.now();
  const request = { url: webhook.url, body, timeoutMs: TIMEOUT_MS, headers };
  const answer = await deps.post(isAwaited ? { ...request, answerBytesMax: ANSWER_BYTES_MAX } : request);
  const tookMs = Math.round(performance.now() - begun);
  if ('error' in answer) return { ...note(deps, null, answer.error, tookMs), answered };
  const read = answer.answer === undefined ? answered : readAnswer(answer.answer);
  return { ...note(deps, answer.status, 'problem' in read ? read.problem : null, tookMs), answered: read };
}

/** null: they do not open. */
async function headersOf(deps: EventsDeps, { to, projectId }: ProjectEvent): Promise<Record<string, string> | null> {
  if (!to?.headersId) return {};
  try {
    const headers = await openHeaders(deps, { _id: to.headersId, projectId });
    return Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  } catch (error) {
    if (error instanceof SecretError) return null;
    throw error;
  }
}

async function tryAgain(
  deps: Delivering,
  delivery: WebhookDelivery,
  one: WebhookTry,
  giveUp: () => Promise<unknown>,
): Promise<DueOutcome> {
  const now = deps.clock.now();
  const firstTryAt = delivery.firstTryAt ?? now;
  const elapsedMs = now.getTime() - firstTryAt.getTime();
  const delayMs = nextTryMs({ attempts: delivery.attempts + 1, elapsedMs, jitter: Math.random() });
  if (delayMs === null) {
    await giveUp();
    return end(deps, delivery, 'failed', one);
  }
  const { _id, projectId } = delivery;
  await deps.write({ updateOne: { filter: { _id, projectId }, update: { $set: { firstTryAt }, ...tried(one) } } });
  return again(new Date(deps.clock.now().getTime() + delayMs));
}

async function end(
  deps: Delivering,
  { _id, projectId, firstTryAt }: WebhookDelivery,
  status: 'delivered' | 'failed',
  one: WebhookTry,
): Promise<DueOutcome> {
  const now = deps.clock.now();
  const ended = { $set: { status, endedAt: now, firstTryAt: firstTryAt ?? now }, $unset: { dueAt: '' as const } };
  await deps.write({ updateOne: { filter: { _id, projectId }, update: { ...ended, ...tried(one) } } });
  return settled;
}

function tried(one: WebhookTry) {
  return { $inc: { attempts: 1 }, $push: { tries: { $each: [one], $slice: -TRIES_KEPT } } };
}

function note({ clock }: EventsDeps, status: number | null, error: string | null, tookMs: number): WebhookTry {
  return { at: clock.now(), status, error, tookMs };
}

async function worked({ db }: EventsDeps, { _id, projectId, failingSince }: Webhook): Promise<void> {
  if (failingSince) await db.webhooks.updateOne({ _id, projectId }, { $set: { failingSince: null } });
}

/** Five days without a success switch an endpoint off; the reason is stored with it and in its log. */
async function failed(deps: EventsDeps, { _id, projectId, failingSince }: Webhook): Promise<void> {
  const now = deps.clock.now();
  if (!failingSince) {
    await deps.db.webhooks.updateOne({ _id, projectId, failingSince: null }, { $set: { failingSince: now } });
    return;
  }
  if (now.getTime() - failingSince.getTime() < WEBHOOK_FAILING_DAYS_MAX * DAY_MS) return;
  const disabledReason = `Nothing could be delivered since ${failingSince.toISOString()}: switched off after ${WEBHOOK_FAILING_DAYS_MAX} days. Mend the receiver, then PATCH isActive: true.`;
  await deps.db.webhooks.updateOne(
    { _id, projectId, isActive: true, failingSince },
    { $set: { isActive: false, disabledReason, updatedAt: now } },
  );
  readersChanged(deps, projectId);
  deps.log.warn({ webhookId: _id, projectId }, 'switched a webhook off after five days of failures');
}
