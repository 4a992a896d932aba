import type { AnyBulkWriteOperation, ObjectId } from 'mongodb';
import type { ProjectEventType } from '../../../schemas/events/webhooks.ts';
import { bulkUpsert } from '../../base/database/idempotent-insert.ts';
import { distinctIds } from '../../base/ids.ts';
import { type NewEvent, publishEvents } from '../../events/events.ts';
import type { MailAct } from '../../people/behaviour/note.ts';
import type { MailDeps } from '../deps.ts';
import { inFlightAmong } from '../ledger/blocks/find-mail.ts';
import { waitToBeCounted } from '../ledger/counting/facts.ts';
import type { Message, TimelineEntry } from '../ledger/model.ts';
import { noteEngaged } from '../ledger/rates/note.ts';
import { type Reach, reached, reachOf, takenPart } from '../ledger/rules/taken.ts';
import { states } from '../ledger/states.ts';
import { erasedClick, isAutomatedClick, isErased, LINKS_KEPT_MAX } from '../messages/clicks.ts';
import { announceDeliveries } from '../messages/deliveries.ts';
import { factsOf, publishRows } from '../messages/events.ts';
import { TIMELINE_MAX } from '../messages/messages.ts';
import type { Engagement, EngagementTime, OpenSignal } from '../messages/model.ts';
import { actsOf, announceActs, earlier } from './acts.ts';
import { automatedBy } from './judge-open.ts';
import { KeptClicks } from './kept-clicks.ts';

interface AnySignal {
  projectId: ObjectId;
  messageId: ObjectId;
  at: Date;
}

/** An act of a person or a machine on a mail. */
export type Signal = AnySignal &
  (
    | { kind: 'open'; agent: string; purpose: string; method: string }
    | { kind: 'click'; url: string; agent: string; link?: number }
    | { kind: 'unsubscribe' | 'complaint'; reason: string }
  );

/** The first opens are kept as evidence; later ones only count. */
const OPENS_KEPT_MAX = 20;
/** Further links have no lines of their own, so that other lines stay. */
const CLICK_LINES_MAX = 20;

type Facts = Pick<
  Message,
  | '_id'
  | 'projectId'
  | 'state'
  | 'email'
  | 'campaignId'
  | 'automationId'
  | 'contactId'
  | 'tags'
  | 'sentAt'
  | 'subject'
  | 'batchId'
  | 'copy'
  | 'recipients'
>;

interface Effects {
  acts: MailAct[];
  engagement: AnyBulkWriteOperation<Engagement>;
  timeline: TimelineEntry[];
  events: NewEvent[];
  /** The kinds that the mail had not before. */
  firsts: Array<'opened' | 'clicked'>;
  /** How much they prove of a message of unknown outcome. */
  reach: Reach;
}

/**
 * One document for each message, however many signals it has: the first time of each kind, the evidence, and a line in the message's
 * timeline for each new kind. Repeating a signal changes no count of people. Signals of removed messages are ignored. Returns those of mails
 * in flight, whose rows are not written yet: write them again later.
 */
export async function writeSignals(deps: MailDeps, signals: Signal[]): Promise<Signal[]> {
  const missing = await writeFound(deps, signals);
  const inFlight = await signalsInFlight(deps, missing);
  const others = missing.filter((signal) => !inFlight.includes(signal));
  if (others.length > 0) await writeFound(deps, others);
  return inFlight;
}

async function signalsInFlight(deps: MailDeps, signals: Signal[]): Promise<Signal[]> {
  const byProject = Map.groupBy(signals, ({ projectId }) => projectId.toHexString());
  const found = await Promise.all(
    [...byProject.values()].map(async (some) => {
      const ids = some.map(({ messageId }) => messageId);
      const inFlight = await inFlightAmong(deps, some[0]!.projectId, ids);
      return some.filter(({ messageId }) => inFlight.has(messageId.toHexString()));
    }),
  );
  return found.flat();
}

/** Returns the signals whose message has no row. */
async function writeFound(deps: MailDeps, signals: Signal[]): Promise<Signal[]> {
  const byMessage = Map.groupBy(signals, ({ messageId }) => messageId.toHexString());
  const [messages, known] = await readMessages(deps, signals);
  const effects = messages.map((message) => {
    const key = message._id.toHexString();
    return { message, ...effectsOf(deps, message, known.get(key) ?? null, byMessage.get(key) ?? []) };
  });
  if (effects.length > 0) await writeEffects(deps, effects);
  const found = new Set(messages.map(({ _id }) => _id.toHexString()));
  return signals.filter(({ messageId }) => !found.has(messageId.toHexString()));
}

/** Repeated as a whole after a failure. The engagements come last: from then on they say that nothing is new. */
async function writeEffects(deps: MailDeps, effects: Array<Effects & { message: Facts }>): Promise<void> {
  await announceActs(deps, effects);
  await publishProved(deps, effects);
  await writeTimelines(deps, effects);
  await announceProved(deps, effects);
  const byProject = Map.groupBy(effects, ({ message }) => message.projectId.toHexString());
  for (const some of byProject.values())
    await publishEvents(
      deps,
      some[0]!.message.projectId,
      some.flatMap(({ events }) => events),
    );
  await bulkUpsert(
    deps.db.engagements,
    effects.map(({ engagement }) => engagement),
  );
  noteRates(deps, effects);
}

function noteRates(deps: MailDeps, effects: Array<Pick<Effects, 'firsts'> & { message: Facts }>): void {
  for (const { message, firsts } of effects) {
    const { projectId, campaignId } = message;
    if (campaignId) for (const name of firsts) noteEngaged(deps, { projectId, campaignId }, name);
  }
}

async function readMessages({ db }: MailDeps, signals: Signal[]): Promise<[Facts[], Map<string, Engagement>]> {
  const some = {
    _id: { $in: distinctIds(signals.map(({ messageId }) => messageId)) },
    projectId: { $in: distinctIds(signals.map(({ projectId }) => projectId)) },
  };
  const facts = { projectId: 1, state: 1, email: 1, recipients: 1, sentAt: 1, subject: 1, copy: 1 } as const;
  const whose = { campaignId: 1, automationId: 1, batchId: 1, contactId: 1, tags: 1 } as const;
  const [messages, known] = await Promise.all([
    db.messages.find(some, { projection: { ...facts, ...whose } }).toArray(),
    db.engagements.find(some).toArray(),
  ]);
  return [messages, new Map(known.map((engagement) => [engagement._id.toHexString(), engagement]))];
}

function effectsOf(deps: MailDeps, message: Facts, known: Engagement | null, signals: Signal[]): Effects {
  const { _id, projectId, campaignId, automationId } = message;
  const own = signals.filter((signal) => signal.projectId.equals(projectId));
  const first: Record<string, Date> = {};
  const timeline: TimelineEntry[] = [];
  const events: NewEvent[] = [];
  let countDueAt: Date | undefined;
  const note = (field: EngagementTime, at: Date) => {
    const before = known?.[field];
    const isNew = first[field] === undefined && before === undefined;
    if (before === undefined || at < before) countDueAt = deps.clock.now();
    if (first[field] === undefined || at < first[field]) first[field] = at;
    return isNew;
  };
  const tell = (type: ProjectEventType, key: string, at: Date, data: object) =>
    events.push({ type, key: `${_id.toHexString()} ${key}`, at, data: { ...factsOf(message), ...data } });

  const isErasedMail = message.email === '';
  let openCount = 0;
  /** With the name of their browser: of erased mail none. */
  const opens: OpenSignal[] = [];
  const clicks = new Set((known?.clicks ?? []).map(({ url }) => url));
  const { automatedOpenSeconds: automatedSeconds } = deps.config;
  const kept = new KeptClicks(known, automatedSeconds);
  /** The first click on each kept link. */
  const clicked = new Map<string, Date>();
  let clickCount = 0;
  for (const signal of own) {
    const { at } = signal;
    switch (signal.kind) {
      case 'open': {
        const { agent, purpose, method } = signal;
        const open = { at, deliveredAt: message.sentAt ?? null, agent, purpose, method };
        openCount += 1;
        if (!isErasedMail) opens.push(open);
        const reason = automatedBy(open, deps.config.automatedOpenSeconds);
        const isFirst = note('openedAt', at);
        const isFirstHuman = reason === null && note('humanOpenedAt', at);
        if (!isFirst && !isFirstHuman) break;
        const automated = reason !== null;
        timeline.push({ type: 'opened', at, automated, ...(reason ? { reason } : {}) });
        const userAgent = isErasedMail ? '' : agent;
        tell('email.opened', automated ? 'opened by a machine' : 'opened', at, { automated, userAgent });
        break;
      }
      case 'click': {
        const { link } = signal;
        const seen = { at, deliveredAt: message.sentAt ?? null, url: signal.url, agent: signal.agent };
        const click = isErasedMail ? erasedClick(seen) : seen;
        const { url, agent } = click;
        clickCount += 1;
        note('clickedAt', at);
        countDueAt = deps.clock.now();
        if (!kept.add({ ...click, ...(link === undefined ? {} : { link }) })) break;
        clicked.set(url, earlier(clicked.get(url), at));
        if (clicks.has(url)) break;
        clicks.add(url);
        const shown = isErased(url) ? '' : url;
        if (clicks.size <= CLICK_LINES_MAX) timeline.push({ type: 'clicked', at, url: shown });
        const automated = isAutomatedClick(click, automatedSeconds);
        tell('email.clicked', `clicked ${url}`, at, { url: shown, automated, userAgent: agent });
        break;
      }
      case 'unsubscribe':
        if (!note('unsubscribedAt', at)) break;
        timeline.push({ type: 'unsubscribed', at, reason: signal.reason });
        tell('email.unsubscribed', 'unsubscribed', at, { reason: signal.reason });
        break;
      case 'complaint':
        if (!note('complainedAt', at)) break;
        timeline.push({ type: 'complained', at, reason: signal.reason });
        tell('email.spam_reported', 'spam reported', at, { reason: signal.reason });
        break;
    }
  }
  const of = {
    ...(campaignId ? { campaignId } : {}),
    ...(automationId ? { automationId } : {}),
    ...(countDueAt ? { countDueAt } : {}),
  };
  const update = {
    $min: first,
    ...(Object.keys(of).length > 0 ? { $set: of } : {}),
    $inc: { openCount, clickCount, ...kept.counts },
    $push: {
      ...(opens.length > 0 ? { opens: { $each: opens, $slice: OPENS_KEPT_MAX } } : {}),
      ...(kept.first.length > 0 ? { clicks: { $each: kept.first, $slice: LINKS_KEPT_MAX } } : {}),
      ...(kept.later.length > 0 ? { laterClicks: { $each: kept.later, $slice: LINKS_KEPT_MAX } } : {}),
    },
  };
  const engagement = { updateOne: { filter: { _id, projectId }, update, upsert: true } };
  const firsts = (['opened', 'clicked'] as const).filter((name) => first[`${name}At`] && !known?.[`${name}At`]);
  return {
    engagement,
    timeline,
    events,
    firsts,
    reach: message.state === states.unknown ? reachOf(message) : 'nothing',
    acts: actsOf(message, known, first, { clicked, byPeople: kept.human() }),
  };
}

/** A line that is there is not written again. */
async function writeTimelines(
  { db }: MailDeps,
  effects: Array<Pick<Effects, 'timeline' | 'reach'> & { message: Facts }>,
): Promise<void> {
  const writes = effects.flatMap(({ message, timeline, reach }): AnyBulkWriteOperation<Message>[] => {
    const { _id, projectId } = message;
    const add = timeline.map((line) => {
      const { type, at, url } = line;
      const isThere = { $elemMatch: { type, at, ...(url === undefined ? {} : { url }) } };
      const filter = { _id, projectId, timeline: { $not: isThere } };
      return { updateOne: { filter, update: { $push: { timeline: { $each: [line], $slice: -TIMELINE_MAX } } } } };
    });
    return reach === 'nothing' ? add : [...add, proved(message, reach)];
  });
  if (writes.length > 0) await db.messages.bulkWrite(writes, { ordered: true });
}

/**
 * A message of unknown outcome that was opened, clicked or complained about was delivered; one to cc and bcc too stays due while some of
 * them are to be tried again.
 */
function proved({ _id, projectId, recipients }: Facts, reach: Reach): AnyBulkWriteOperation<Message> {
  const ended = [
    { $set: waitToBeCounted() },
    { $set: { state: states.sent, sentAt: { $ifNull: ['$sentAt', '$claimedAt', '$$NOW'] }, endedAt: '$$NOW' } },
    { $unset: 'dueAt' },
  ];
  const own = recipients ? [{ $set: { recipients: { $literal: reached(recipients, reach) } } }] : [];
  const filter = { _id, projectId, state: states.unknown, ...(recipients ? { recipients } : {}) };
  return { updateOne: { filter, update: reach === 'all' ? [...ended, ...own] : own } };
}

/** Before it counts as sent: from then on nothing of it is new. */
async function publishProved(
  deps: MailDeps,
  effects: Array<Pick<Effects, 'reach'> & { message: Facts }>,
): Promise<void> {
  for (const { message, reach } of effects)
    if (reach !== 'nothing') await publishRows(deps, message.projectId, [takenPart(message, reach)]);
}

/** A message of unknown outcome counts as sent from now on. */
async function announceProved(deps: MailDeps, effects: Array<{ message: Facts }>): Promise<void> {
  for (const { message } of effects)
    if (message.state === states.unknown) await announceDeliveries(deps, message.projectId, [message._id]);
}
