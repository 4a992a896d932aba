import type { AnyBulkWriteOperation, ObjectId, UpdateFilter } from 'mongodb';
import { firstIdAt } from '../../base/ids.ts';
import { note } from '../../jobs/upkeep.ts';
import type { MailAct } from '../../people/behaviour/note.ts';
import type { MailDeps } from '../deps.ts';
import type { Message, TimelineEntry } from '../ledger/model.ts';
import { TIMELINE_MAX } from '../messages/messages.ts';
import type { Engagement, OpenSignal } from '../messages/model.ts';
import { announceActs, type Mail } from './acts.ts';
import { automatedBy, OPEN_RULES } from './judge-open.ts';

const KEY = 'opens';
const MAILS_AT_ONCE = 1_000;

type Stored = Pick<Engagement, '_id' | 'opens' | 'openCount' | 'humanOpenedAt' | 'humanOpenTakenBack' | 'counted'>;

interface Judged {
  engagement: Stored;
  humanOpenedAt: Date | undefined;
  lines: TimelineEntry[];
  /** Lines of opens that are not kept as evidence stay when they may be those of the first person. */
  replacesAll: boolean;
}

interface Recomputed {
  /** The last mail that was looked at; null when there are no more. */
  after: ObjectId | null;
  looked: number;
  changed: number;
}

/**
 * Judges the kept opens of a thousand mails of a project again, by the rules of today. Whatever follows from who opened is written before
 * the engagement, which is changed last and by compare-and-set, so a repeat finishes what was begun and changes nothing else.
 */
export async function recomputeOpens(
  deps: MailDeps,
  { projectId, after }: { projectId: ObjectId; after?: ObjectId | null },
): Promise<Recomputed> {
  const projection = { contactId: 1, campaignId: 1, automationId: 1 } as const;
  const mails: Mail[] = await deps.db.messages
    .find({ projectId, _id: { $gt: after ?? firstIdAt(0) } }, { projection, hint: 'newest' })
    .sort({ _id: 1 })
    .limit(MAILS_AT_ONCE)
    .toArray();
  const wrong = await wronglyJudged(deps, projectId, mails);
  if (wrong.length > 0) {
    const acts = correctionsOf(mails, wrong);
    await announceActs(deps, [{ acts, message: { projectId } }]);
    await deps.db.messages.bulkWrite(
      wrong.map((one) => timelineWrite(projectId, one)),
      { ordered: false },
    );
    await deps.db.engagements.bulkWrite(
      wrong.map((one) => engagementWrite(deps, projectId, one)),
      { ordered: false },
    );
  }
  const last = mails.length < MAILS_AT_ONCE ? null : mails.at(-1)!._id;
  return { after: last, looked: mails.length, changed: wrong.filter(isOther).length };
}

async function wronglyJudged(
  { db, config }: Pick<MailDeps, 'db' | 'config'>,
  projectId: ObjectId,
  mails: Mail[],
): Promise<Judged[]> {
  const opened = { _id: { $in: mails.map(({ _id }) => _id) }, projectId, openedAt: { $exists: true } };
  const projection = { opens: 1, openCount: 1, humanOpenedAt: 1, humanOpenTakenBack: 1, counted: 1 } as const;
  const found: Stored[] = await db.engagements.find(opened, { projection, hint: '_id_' }).toArray();
  return found
    .map((engagement) => judge(engagement, config.automatedOpenSeconds))
    .filter((judged) => isOther(judged) || judged.engagement.humanOpenTakenBack);
}

function isOther({ engagement, humanOpenedAt }: Judged): boolean {
  return humanOpenedAt?.getTime() !== engagement.humanOpenedAt?.getTime();
}

function judge(engagement: Stored, automatedSeconds: number): Judged {
  const { opens = [], openCount = 0, humanOpenedAt: known } = engagement;
  const inOrder = opens.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const first = inOrder[0];
  const human = inOrder.find((open) => automatedBy(open, automatedSeconds) === null);
  // A person may have opened the mail after the opens that are kept.
  const isLater = openCount > opens.length && !opens.some(({ at }) => at.getTime() === known?.getTime());
  const told = [...new Set([first, human])].flatMap((open) => open ?? []);
  return {
    engagement,
    humanOpenedAt: human ? human.at : isLater ? known : undefined,
    lines: told.map((open) => lineOf(open, automatedSeconds)),
    replacesAll: human !== undefined || openCount <= opens.length,
  };
}

function lineOf(open: OpenSignal, automatedSeconds: number): TimelineEntry {
  const reason = automatedBy(open, automatedSeconds);
  return { type: 'opened', at: open.at, automated: reason !== null, ...(reason ? { reason } : {}) };
}

function correctionsOf(mails: Mail[], wrong: Judged[]): MailAct[] {
  const byId = new Map(mails.map((mail) => [mail._id.toHexString(), mail]));
  return wrong.flatMap(({ engagement, humanOpenedAt }): MailAct[] => {
    const { _id: messageId, contactId, campaignId, automationId } = byId.get(engagement._id.toHexString())!;
    if (!contactId) return [];
    const of = { messageId, contactId, campaignId, automationId };
    return [{ ...of, kind: 'humanOpened', at: humanOpenedAt ?? null, isCorrection: true }];
  });
}

function timelineWrite(
  projectId: ObjectId,
  { engagement, lines, replacesAll }: Judged,
): AnyBulkWriteOperation<Message> {
  const times = (engagement.opens ?? []).map(({ at }) => at);
  const isReplaced = [{ $eq: ['$$this.type', 'opened'] }, ...(replacesAll ? [] : [{ $in: ['$$this.at', times] }])];
  const kept = { $filter: { input: { $ifNull: ['$timeline', []] }, cond: { $not: { $and: isReplaced } } } };
  const timeline = { $slice: [{ $concatArrays: [kept, { $literal: lines }] }, -TIMELINE_MAX] };
  return { updateOne: { filter: { _id: engagement._id, projectId }, update: [{ $set: { timeline } }] } };
}

/**
 * An open that came since is judged in the next pass. An engagement that the series do not have yet is left to `recount`, which counts it
 * with its mail.
 */
function engagementWrite(
  { clock }: Pick<MailDeps, 'clock'>,
  projectId: ObjectId,
  judged: Judged,
): AnyBulkWriteOperation<Engagement> {
  const { engagement, humanOpenedAt } = judged;
  const { _id, openCount = 0, counted, humanOpenedAt: known } = engagement;
  const isCounted = counted !== undefined;
  const isTakenBack = isOther(judged) && known !== undefined && !(humanOpenedAt && humanOpenedAt < known);
  const set = {
    ...(humanOpenedAt ? { humanOpenedAt } : {}),
    ...(isTakenBack ? { humanOpenTakenBack: true as const } : {}),
    ...(isCounted ? { countDueAt: clock.now() } : {}),
  };
  const unset = {
    ...(humanOpenedAt ? {} : { humanOpenedAt: '' as const }),
    ...(isTakenBack ? {} : { humanOpenTakenBack: '' as const }),
  };
  const update: UpdateFilter<Engagement> = {
    ...(Object.keys(set).length > 0 ? { $set: set } : {}),
    ...(Object.keys(unset).length > 0 ? { $unset: unset } : {}),
  };
  const asRead = { openCount, humanOpenedAt: known ?? { $exists: false }, counted: { $exists: isCounted } };
  return { updateOne: { filter: { _id, projectId, ...asRead }, update } };
}

/** Starts the run that judges all stored opens again, unless that was done since the rules changed. */
export async function startOpensRecompute(
  deps: Pick<MailDeps, 'db' | 'clock' | 'workflows'>,
): Promise<'done before' | 'started'> {
  const isDone = await deps.db.upkeep.findOne({ _id: KEY, version: OPEN_RULES });
  if (isDone) return 'done before';
  await deps.workflows.recomputeOpens();
  return 'started';
}

export async function keepOpensRecomputed({ db, clock }: Pick<MailDeps, 'db' | 'clock'>): Promise<void> {
  await note({ db }, KEY, { version: OPEN_RULES, doneAt: clock.now() });
}
