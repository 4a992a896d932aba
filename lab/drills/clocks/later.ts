import { ObjectId } from 'mongodb';
import { Everpost, EverpostError } from '../../../client/index.ts';
import { createGroup } from '../../../core/consent/suppressions/groups.ts';
import { sendBulk } from '../../../core/mail/accept/bulk.ts';
import { sendMail } from '../../../core/mail/accept/send.ts';
import { type DrillContext, SENDER, withDrill } from '../../rig/context.ts';
import { broken, check, type Findings, tell } from '../../rig/facts/check.ts';
import { messageIdOf, readFacts } from '../../rig/facts/facts.ts';
import { untilSettled } from '../../rig/facts/settled.ts';
import { type Verdict, verdict } from '../../rig/results/drill-results.ts';
import { between, inLanes, pause } from '../../rig/waiting.ts';

interface Later {
  /** Single mails, half of them marketing mail. */
  mails: number;
  /** Calls of 100 mails each, cancelled by their batch. */
  bulks: number;
  /** Mails that callers cancel or move in each minute, while they become due. */
  asked: number;
}

export interface LaterTally {
  mails: number;
  /** Mails whose cancellation was answered with 200, and with 409. */
  cancelled: number;
  refused: number;
  /** The same of changes of the time. */
  moved: number;
  notMoved: number;
  /** Of mails in batches, as the answers count them. */
  cancelledInBatches: number;
  /** Answered as cancelled, and the relay has it, or the row says something else. */
  both: number;
  /** Refused as already sent, and the relay does not have it. */
  neither: number;
  /** Claimed before its time. */
  early: number;
  /** Any other answer, by status and code. */
  wrong: Map<string, number>;
  found: Findings;
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
/** Between two minutes of the clock of the mails. */
const MINUTE_TAKES_MS = 700;
const BULK_SIZE = 100;
const SENDERS = 32;
const MOVED_MINUTES = 5;
const BUSY_MINUTES_MAX = 2 * HOUR_MINUTES;

interface Asked {
  cancelled: Set<string>;
  refused: Set<string>;
  moved: number;
  notMoved: number;
  batches: { cancelled: number; notCancelled: number; batchId: string }[];
  wrong: Map<string, number>;
}

/**
 * Mails for each moment of an hour, which passes in less than a minute: workers decide by the database's clock, so the times of mails that
 * wait are moved towards it instead. Two workers claim, and callers cancel and move the mails that become due.
 */
export function later(env: NodeJS.ProcessEnv, drill: Later): Promise<LaterTally> {
  return withDrill(env, { ackMs: 20 }, async (context) => {
    const { ids, batchIds } = await schedule(context, drill);
    const api = await context.startApi();
    await Promise.all([0, 1].map(() => context.startWorker({ SMTP_MAX_CONNECTIONS: '10' })));
    const client = new Everpost({ apiKey: context.key, baseUrl: new URL(api.url).origin });
    const asked: Asked = {
      ...{ cancelled: new Set(), refused: new Set(), moved: 0, notMoved: 0, batches: [], wrong: new Map() },
    };
    const asking: Promise<unknown>[] = [];
    for (let minute = 1; minute <= BUSY_MINUTES_MAX && (await countScheduled(context)) > 0; minute += 1) {
      const passed = passMinute(context);
      asking.push(askAbout(client, pick(ids, minute, drill.asked), asked));
      const batchId = minute % Math.ceil(HOUR_MINUTES / Math.max(1, drill.bulks)) === 0 ? batchIds.shift() : undefined;
      if (batchId) asking.push(askAboutBatch(client, batchId, asked));
      await Promise.all([passed, pause(MINUTE_TAKES_MS)]);
    }
    await Promise.all(asking);
    await untilSettled(context);
    return await tally(context, asked);
  });
}

export function judgeLater(tally: LaterTally): Verdict {
  const { mails, cancelled, refused, moved, notMoved, cancelledInBatches, both, neither, early, wrong, found } = tally;
  const stopped = cancelled + cancelledInBatches;
  const faulty = [
    ...broken(found, { refused: stopped }),
    ...(both > 0 ? [`${both} both sent and cancelled`] : []),
    ...(neither > 0 ? [`${neither} refused as sent, and not sent`] : []),
    ...(early > 0 ? [`${early} sent before their time`] : []),
    ...(found.refused < stopped ? [`${stopped - found.refused} cancellations forgotten`] : []),
    ...(cancelled === 0 || refused === 0 ? ['no race: one side won every time'] : []),
    ...[...wrong].map(([what, times]) => `${times} answers ${what}`),
  ];
  return verdict(faulty, [
    `${mails} mails due over an hour: ${cancelled} cancelled alone and ${cancelledInBatches} by batch, ${refused} cancellations too late, ${moved} moved, ${notMoved} too late for it`,
    `sent and cancelled both ${both}, neither ${neither}, early ${early}`,
    tell(found),
  ]);
}

/** Through the core, as the API would. The n-th mail is due when n mails' share of the hour has passed. */
async function schedule({ deps, project }: DrillContext, { mails, bulks }: Later) {
  const at = new Date();
  const { groupId } = await createGroup(deps, project, { name: 'Drill' }, { at, seed: new ObjectId() });
  const from = { email: SENDER };
  const timeOf = (share: number) => ({
    // None is due before the last one is stored.
    scheduledAt: new Date(at.getTime() + (2 + share * HOUR_MINUTES) * MINUTE_MS).toISOString(),
  });
  const ids: string[] = [];
  await inLanes(SENDERS, mails, async (index) => {
    const mail = { to: { email: `p${index}@in.test` }, from, subject: `Mail ${index}`, text: 'Now.' };
    const group = index % 2 === 0 ? {} : { unsubscribeGroupId: groupId };
    const input = { ...mail, ...group, ...timeOf(index / mails) };
    const { emailId } = await sendMail(deps, project, input, { at, seed: new ObjectId() });
    ids[index] = emailId;
  });
  const batchIds: string[] = [];
  for (let bulk = 0; bulk < bulks; bulk += 1) {
    const recipients = Array.from({ length: BULK_SIZE }, (_, index) => ({ email: `b${bulk}.${index}@in.test` }));
    const input = { recipients, from, subject: `Bulk ${bulk}`, text: 'Now.', ...timeOf((bulk + 1) / bulks) };
    batchIds.push((await sendBulk(deps, project, input, { at, seed: new ObjectId() })).batchId);
  }
  return { ids, batchIds };
}

function countScheduled({ deps, project }: DrillContext): Promise<number> {
  return deps.db.messages.countDocuments({ projectId: project._id, state: 'scheduled' }, { limit: 1 });
}

async function passMinute({ deps, project }: DrillContext): Promise<void> {
  const earlier = (field: string) => ({ $subtract: [field, MINUTE_MS] });
  await deps.db.messages.updateMany({ projectId: project._id, state: 'scheduled' }, [
    { $set: { dueAt: earlier('$dueAt'), scheduledAt: earlier('$scheduledAt') } },
  ]);
}

/** Mails that become due in this minute or the next one. */
function pick(ids: readonly string[], minute: number, count: number): string[] {
  const share = ids.length / HOUR_MINUTES;
  const first = (minute - 3) * share;
  const picked = Array.from({ length: count }, () => ids[Math.floor(between(first, first + 2 * share))]);
  return [...new Set(picked.filter((id) => id !== undefined))];
}

async function askAbout(client: Everpost, ids: readonly string[], asked: Asked): Promise<void> {
  await Promise.all(
    ids.map(async (id, index) => {
      await pause(between(0, MINUTE_TAKES_MS));
      if (index % 3 === 2) await move(client, id, asked);
      else await cancel(client, id, asked);
    }),
  );
}

async function cancel(client: Everpost, id: string, asked: Asked): Promise<void> {
  try {
    await client.emails.cancel(id);
    asked.cancelled.add(id);
  } catch (error) {
    if (!isLate(error, asked)) return;
    asked.refused.add(id);
  }
}

/** To this moment, or to one a few minutes later. */
async function move(client: Everpost, id: string, asked: Asked): Promise<void> {
  const ahead = Math.random() < 0.5 ? 0 : MOVED_MINUTES * MINUTE_MS;
  try {
    await client.emails.update(id, { scheduledAt: new Date(Date.now() + ahead).toISOString() });
    asked.moved += 1;
  } catch (error) {
    // A mail that was cancelled before is refused as such.
    if ((error as EverpostError).code === 'INVALID_STATE' || isLate(error, asked)) asked.notMoved += 1;
  }
}

async function askAboutBatch(client: Everpost, batchId: string, asked: Asked): Promise<void> {
  await pause(between(0, MINUTE_TAKES_MS));
  asked.batches.push({ batchId, ...(await client.emails.cancelBatch({ batchId })) });
}

function isLate(error: unknown, { wrong }: Asked): boolean {
  const { status, code } = error instanceof EverpostError ? error : { status: 0, code: String(error) };
  if (code === 'ALREADY_SENT') return true;
  const what = `${status} ${code}`;
  wrong.set(what, (wrong.get(what) ?? 0) + 1);
  return false;
}

async function tally(context: DrillContext, asked: Asked): Promise<LaterTally> {
  const { deps, project } = context;
  const facts = await readFacts(context);
  const rows = await deps.db.messages
    .find({ projectId: project._id }, { projection: { state: 1, batchId: 1, claimedAt: 1, scheduledAt: 1 } })
    .toArray();
  const isSent = (id: string) => facts.sink.has(messageIdOf(id));
  const stateOf = new Map(rows.map(({ _id, state }) => [_id.toHexString(), state]));
  const inBatches = asked.batches.reduce((sum, { cancelled }) => sum + cancelled, 0);
  const stopped = (batchId: string) =>
    rows.filter((row) => row.batchId === batchId && row.state === 'cancelled' && !isSent(row._id.toHexString())).length;
  const miscounted = asked.batches.reduce(
    (sum, { batchId, cancelled }) => sum + Math.abs(cancelled - stopped(batchId)),
    0,
  );
  const isBoth = (id: string) => isSent(id) || stateOf.get(id) !== 'cancelled';
  const isSentAndCancelled = ({ _id, state }: (typeof rows)[number]) =>
    state === 'cancelled' && isSent(_id.toHexString()) && !asked.cancelled.has(_id.toHexString());
  return {
    mails: rows.length,
    cancelled: asked.cancelled.size,
    refused: asked.refused.size,
    ...{ moved: asked.moved, notMoved: asked.notMoved, wrong: asked.wrong },
    cancelledInBatches: inBatches,
    both: [...asked.cancelled].filter(isBoth).length + rows.filter(isSentAndCancelled).length + miscounted,
    neither: [...asked.refused].filter((id) => !isSent(id)).length,
    early: rows.filter(({ claimedAt, scheduledAt }) => claimedAt && scheduledAt && claimedAt < scheduledAt).length,
    found: check(facts),
  };
}
