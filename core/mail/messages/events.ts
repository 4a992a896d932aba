import { MongoError, type ObjectId } from 'mongodb';
import type { ProjectEventType } from '../../../schemas/events/webhooks.ts';
import type { Session } from '../../base/model.ts';
import { shownTags } from '../../base/text/tags.ts';
import { type NewEvent, publishEvents } from '../../events/events.ts';
import { eventReaders, isRead } from '../../events/listeners.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import type { Ended } from '../ledger/outcomes.ts';
import { reasonInWords } from '../ledger/rules/reasons.ts';
import { states } from '../ledger/states.ts';

type Facts = Pick<
  Message,
  '_id' | 'copy' | 'email' | 'subject' | 'campaignId' | 'automationId' | 'batchId' | 'contactId' | 'tags'
>;
type End = Pick<Message, 'state' | 'reply' | 'reason' | 'suppressedBy' | 'email'>;

const types: Partial<Record<Message['state'], ProjectEventType[]>> = {
  sent: ['email.sent'],
  // Permanently refused by the relay: it counts as sent, and as bounced.
  bounced: ['email.bounced'],
  failed: ['email.failed'],
  deferred: ['email.deferred'],
  suppressed: ['email.suppressed'],
};
const OUTCOME_TYPES = Object.values(types).flat();

/**
 * Publishes the outcomes of attempts as events. Runs before an outcome is stored and is repeated with it: an event is the same by
 * its key.
 */
export async function publishOutcomes(deps: MailDeps, ended: Ended[]): Promise<void> {
  const byProject = Map.groupBy(ended, ({ held }) => held.projectId.toHexString());
  const told = [...byProject.values()].map((some) => publishOfProject(deps, some[0]!.held.projectId, some));
  await Promise.all(told).catch((error) => {
    // A fault of the database is temporary, and the call is repeated; no other fault of an event may keep outcomes from being
    // stored.
    if (error instanceof MongoError) throw error;
    deps.log.error({ err: error }, 'publishing events of outcomes failed');
  });
}

/** For mail that was never queued, because all of its recipients are suppressed. */
export async function publishSuppressed(deps: MailDeps, projectId: ObjectId, messages: Message[]): Promise<void> {
  const stopped = messages.filter(({ state }) => state === states.suppressed);
  if (stopped.length === 0) return;
  await publishEvents(
    deps,
    projectId,
    stopped.map((message) => eventOf('email.suppressed', message, message, '')),
  );
}

/** Mail that waits for a time; `changedAt` is when that time was chosen, so that each choice is an event of its own. */
export async function publishScheduled(
  deps: MailDeps,
  projectId: ObjectId,
  messages: Message[],
  changedAt: Date,
): Promise<void> {
  const events = messages.flatMap((message): NewEvent[] => {
    const { _id, scheduledAt } = message;
    const key = `${_id.toHexString()} email.scheduled ${changedAt.toISOString()}`;
    return scheduledAt ? [{ type: 'email.scheduled', key, data: { ...factsOf(message), scheduledAt } }] : [];
  });
  await publishEvents(deps, projectId, events);
}

/** With a session: in the transaction of the cancellation. */
export async function publishCancelled(
  deps: MailDeps,
  projectId: ObjectId,
  messages: Message[],
  session?: Session,
): Promise<void> {
  const cancelled = messages.filter(({ state }) => state === states.cancelled);
  const events = cancelled.map((message): NewEvent => {
    const key = `${message._id.toHexString()} email.cancelled`;
    return { type: 'email.cancelled', key, data: { ...factsOf(message), reason: message.reason ?? null } };
  });
  await publishEvents(deps, projectId, events, session);
}

/** Publishes what rows say of their outcomes, for a sender that may have ended before it did: the same events, by their keys. */
export async function publishRows(
  deps: MailDeps,
  projectId: ObjectId,
  rows: Array<Facts & End & Pick<Message, 'claim' | 'recipients'>>,
): Promise<void> {
  const events = rows.flatMap((row) => endsOf(row, row, row.recipients, row.claim));
  await publishEvents(deps, projectId, events);
}

/** A message is deferred any number of times, each an event of its own. */
function attemptOf(state: Message['state'], claim: number | undefined): string {
  return state === states.deferred ? ` ${claim}` : '';
}

async function publishOfProject(deps: MailDeps, projectId: ObjectId, ended: Ended[]): Promise<void> {
  const readers = await eventReaders(deps, projectId);
  if (!OUTCOME_TYPES.some((type) => isRead(readers, type))) return;
  const unknown = ended.filter(({ held }) => held.about === null).map(({ held }) => held._id);
  const read = unknown.length > 0 ? await readFacts(deps, projectId, unknown) : new Map<string, Facts>();
  const events = ended.flatMap((one) => {
    const { _id, about, claim } = one.held;
    const facts = about ? { ...about, _id } : read.get(_id.toHexString());
    return facts ? eventsOf(facts, one, claim) : [];
  });
  await publishEvents(deps, projectId, events);
}

async function readFacts(
  { db }: Pick<MailDeps, 'db'>,
  projectId: ObjectId,
  ids: ObjectId[],
): Promise<Map<string, Facts>> {
  const whose = { campaignId: 1, automationId: 1, batchId: 1, contactId: 1, tags: 1 } as const;
  const facts = { email: 1, subject: 1, copy: 1, ...whose } as const;
  const found = await db.messages.find({ _id: { $in: ids }, projectId }, { projection: facts }).toArray();
  return new Map(found.map((message) => [message._id.toHexString(), message]));
}

/**
 * to, cc and bcc have events of their own; those with a final outcome of an earlier attempt were published then, under the same
 * key.
 */
function eventsOf(facts: Facts, { outcome, recipients }: Ended, claim: number): NewEvent[] {
  const state = outcome.kind === 'back' ? 'queued' : outcome.kind;
  const own: End = {
    email: facts.email,
    state,
    reply: 'reply' in outcome ? (outcome.reply ?? null) : null,
    reason: 'reason' in outcome ? outcome.reason : null,
    ...(outcome.kind === 'suppressed' ? { suppressedBy: outcome.by } : {}),
  };
  return endsOf(facts, own, recipients, claim);
}

function endsOf(facts: Facts, own: End, recipients: readonly End[] | undefined, claim: number | undefined): NewEvent[] {
  return (recipients ?? [own]).flatMap((end) =>
    (types[end.state] ?? []).map((type) => eventOf(type, facts, end, attemptOf(end.state, claim))),
  );
}

function eventOf(type: ProjectEventType, facts: Facts, end: End, attempt: string): NewEvent {
  const { email, reply = null, suppressedBy } = end;
  const reason = reasonInWords(end);
  return {
    type,
    key: `${facts._id.toHexString()} ${type} ${email}${attempt}`,
    data: { ...factsOf(facts), email, reply, reason, ...(suppressedBy ? { suppressedBy } : {}) },
  };
}

/** The fields of every event of a mail. */
export function factsOf(message: Facts): Record<string, unknown> {
  const { _id, copy, email, subject, campaignId, automationId, batchId, contactId } = message;
  return {
    emailId: (copy?.of ?? _id).toHexString(),
    email,
    subject: subject ?? null,
    campaignId: campaignId?.toHexString() ?? null,
    automationId: automationId?.toHexString() ?? null,
    batchId: batchId ?? null,
    contactId: contactId?.toHexString() ?? null,
    ...(message.tags ? { tags: shownTags(message) } : {}),
  };
}
