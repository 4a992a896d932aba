import { ObjectId } from 'mongodb';
import { createGroup } from '../../../core/consent/suppressions/groups.ts';
import { sendMail } from '../../../core/mail/accept/send.ts';
import type { Message } from '../../../core/mail/ledger/model.ts';
import type { Child } from '../../../stack/processes/child.ts';
import { type DrillContext, SENDER, withDrill } from '../../rig/context.ts';
import { check } from '../../rig/facts/check.ts';
import { readFacts } from '../../rig/facts/facts.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { inLanes, pause, until } from '../../rig/waiting.ts';

interface WorkerKill {
  /** Of each lane. */
  mails: number;
  kills: number;
  evidence: boolean;
  connections: number;
  ackMs: number;
  /** Does not wait until the leases of the killed are over: their time is set back instead. */
  hurry?: boolean;
}

type Kind = 'transactional' | 'marketing';

interface Tally {
  mails: number;
  kills: number;
  /** Neither with the relay nor listed as anything but sent. */
  lost: number;
  /** Accepted once more, all with the same Message-ID. */
  duplicates: number;
  /** Open to the relay when the worker was killed, all kills together. */
  connectionsAtKills: number;
  /** Claimed by the worker when it was killed, all kills together. */
  inHandAtKills: number;
  unknown: number;
  /** Of those, with the relay after all. */
  unknownAccepted: number;
  /** Message-IDs that no message of ours has. */
  strangers: number;
}

type AtKills = Pick<Tally, 'connectionsAtKills' | 'inHandAtKills'>;

const laneOf: Record<Kind, Message['lane']> = { transactional: 'transactional', marketing: 'automation' };

/** kill -9 of the worker at random moments while the mails of both lanes drain. */
export function workerKill(env: NodeJS.ProcessEnv, drill: WorkerKill): Promise<Record<Kind, Tally>> {
  return withDrill(env, { ackMs: drill.ackMs }, async (context) => {
    await queueBoth(context, drill);
    const atKills = nothingAtKills();
    for (let kill = 0; kill < drill.kills; kill++) {
      const since = new Date();
      const worker = await context.startWorker(workerEnv(context, drill));
      await pause(400 + Math.random() * 600);
      const connections = await connectionsWhenStopped(context, worker);
      worker.kill('SIGKILL');
      await worker.exited;
      await noteKill(context, atKills, { connections, since });
      if (drill.hurry) await endLeases(context);
    }
    const worker = await context.startWorker(workerEnv(context, drill));
    await drained(context, { mails: drill.mails * 2 });
    await worker.stop(10_000);
    return await tallyBoth(context, drill, atKills);
  });
}

interface WorkerStop extends Pick<WorkerKill, 'mails' | 'evidence' | 'connections' | 'ackMs'> {
  stoppedMs: number;
}

/**
 * SIGSTOP of a worker in mid-work; a second one takes over when its leases are over; SIGCONT. Mail that it had claimed and not handed
 * over must not leave any more, and a 250 that waited in its sockets must still land.
 */
export function workerStop(env: NodeJS.ProcessEnv, drill: WorkerStop): Promise<Record<Kind, Tally>> {
  return withDrill(env, { ackMs: drill.ackMs }, async (context) => {
    await queueBoth(context, drill);
    const since = new Date();
    const first = await context.startWorker(workerEnv(context, drill));
    await pause(700);
    const connections = await connectionsWhenStopped(context, first);
    const atKills = nothingAtKills();
    await noteKill(context, atKills, { connections, since });
    const second = await context.startWorker(workerEnv(context, drill));
    await pause(drill.stoppedMs);
    first.kill('SIGCONT');
    await drained(context, { mails: drill.mails * 2 });
    // The first worker sends the rest of its data, if any, when it wakes up.
    await pause(3_000);
    await Promise.all([first.stop(10_000), second.stop(10_000)]);
    return await tallyBoth(context, { ...drill, kills: 1 }, atKills);
  });
}

/** Stops the worker first, which would open more of them while they are counted. */
async function connectionsWhenStopped({ sink }: DrillContext, worker: Child): Promise<number> {
  worker.kill('SIGSTOP');
  return (await sink.stats()).connectionsOpen;
}

export async function queueBoth(context: DrillContext, { mails }: Pick<WorkerKill, 'mails'>): Promise<void> {
  await queueMails(context, { mails, lane: 'marketing' });
  await queueMails(context, { mails, lane: 'transactional' });
}

function nothingAtKills(): Record<Kind, AtKills> {
  return {
    transactional: { connectionsAtKills: 0, inHandAtKills: 0 },
    marketing: { connectionsAtKills: 0, inHandAtKills: 0 },
  };
}

/** Notes the claims of a worker when it is killed or stopped. */
async function noteKill(
  { deps, project }: DrillContext,
  atKills: Record<Kind, AtKills>,
  { connections, since }: { connections: number; since: Date },
): Promise<void> {
  for (const kind of ['transactional', 'marketing'] as const) {
    const claimed = { projectId: project._id, lane: laneOf[kind], state: 'committing' as const };
    atKills[kind].connectionsAtKills += connections;
    atKills[kind].inHandAtKills += await deps.db.messages.countDocuments({ ...claimed, claimedAt: { $gte: since } });
  }
}

async function tallyBoth(
  context: DrillContext,
  { mails, kills }: Pick<WorkerKill, 'mails' | 'kills'>,
  atKills: Record<Kind, AtKills>,
): Promise<Record<Kind, Tally>> {
  const of = async (kind: Kind) => ({ ...(await tally(context, laneOf[kind])), ...atKills[kind], mails, kills });
  return { transactional: await of('transactional'), marketing: await of('marketing') };
}

/** Fewer than there are connections to MongoDB: no sender waits for one on a machine that is busy otherwise. */
const SENDERS = 32;

/** Through the core, as the API would: one call each. */
export async function queueMails(context: DrillContext, { mails, lane }: { mails: number; lane: Kind }): Promise<void> {
  const { deps, project } = context;
  const at = new Date();
  const group =
    lane === 'marketing' ? await createGroup(deps, project, { name: 'Drill' }, { at, seed: new ObjectId() }) : null;
  // A third of the marketing mails are cc copies, which are messages of their own.
  const isCopy = (index: number) => group !== null && index < mails && index % 3 === 1;
  await inLanes(SENDERS, mails, async (index) => {
    if (isCopy(index)) return;
    const mail = {
      to: { email: `p${index}@in.test` },
      ...(isCopy(index + 1) ? { cc: [{ email: `p${index + 1}@in.test` }] } : {}),
      from: { email: SENDER },
      subject: `Mail ${index}`,
      html: `<p>This is mail ${index}.</p>`,
      ...(group ? { unsubscribeGroupId: group.groupId } : {}),
    };
    await sendMail(deps, project, mail, { at, seed: new ObjectId() });
  });
}

export function workerEnv(
  context: DrillContext,
  { evidence, connections }: Pick<WorkerKill, 'evidence' | 'connections'>,
) {
  return {
    SMTP_MAX_CONNECTIONS: String(connections),
    ...(evidence ? { SMTP_EVIDENCE_URL: context.sink.evidenceUrl } : {}),
  };
}

async function endLeases({ deps, project }: DrillContext): Promise<void> {
  await deps.db.messages.updateMany({ projectId: project._id, state: 'committing' }, [{ $set: { dueAt: '$$NOW' } }]);
}

/** Nothing is open any more: everything is sent, or unknown for good. */
async function drained({ deps, project }: DrillContext, { mails }: Pick<WorkerKill, 'mails'>): Promise<void> {
  const open = { projectId: project._id, dueAt: { $exists: true } };
  const isOver = async () => !(await deps.db.messages.findOne(open, { hint: 'due' }));
  await until(`all of ${mails} mails have an outcome`, isOver, 120_000 + mails * 60, 100);
}

/** One worker sends what is queued, and leaves. */
export async function drain(context: DrillContext, mails: number): Promise<void> {
  const worker = await context.startWorker({ SMTP_MAX_CONNECTIONS: '20' });
  await drained(context, { mails });
  await worker.stop(10_000);
}

/** Of all mails, or of one lane's. Nothing but sent or unknown is expected of these, so whatever else became of a mail is a loss. */
export async function tally(
  context: DrillContext,
  lane?: Message['lane'],
): Promise<Omit<Tally, 'mails' | 'kills' | keyof AtKills>> {
  const found = check(await readFacts(context, lane ? { lane } : {}));
  const { lost, open, deferred, refused, denied, strangers, duplicates, unknown, unknownAccepted } = found;
  const { openClaims, claimedTwice, unclaimed, rowless } = found;
  return {
    lost: lost + open + deferred + refused + openClaims + unclaimed + rowless,
    duplicates,
    unknown,
    unknownAccepted,
    strangers: strangers + denied + claimedTwice,
  };
}

export function judgeBoth(
  drill: Pick<WorkerKill, 'evidence' | 'connections'>,
  tallies: Record<Kind, Tally>,
): Verdict[] {
  return (['transactional', 'marketing'] as const).map((kind) => judgeKill({ ...drill, kind }, tallies[kind]));
}

/**
 * Nothing is lost. A repeat is at most one for each connection that was open, with the same Message-ID. Marketing mail is never
 * repeated, and unknown is at most one for each connection of a killed process: what it had not begun is in its dot journal.
 */
function judgeKill(drill: Pick<WorkerKill, 'evidence' | 'connections'> & { kind: Kind }, tally: Tally): Verdict {
  const { mails, kills, lost, duplicates, unknown, unknownAccepted, strangers } = tally;
  const { connectionsAtKills, inHandAtKills } = tally;
  const duplicatesMax = drill.kind === 'transactional' && !drill.evidence ? connectionsAtKills : 0;
  const unknownMax = drill.kind === 'marketing' && !drill.evidence ? kills * drill.connections : 0;
  const kept = lost === 0 && strangers === 0 && duplicates <= duplicatesMax && unknown <= unknownMax;
  const how = `${drill.kind}${drill.evidence ? ' with evidence' : ''}`;
  const listed = unknown > 0 ? ` (listed; ${unknownAccepted} of them with the relay)` : '';
  return {
    kept,
    says: `${how}: ${mails} sent, ${kills} kills with ${connectionsAtKills} connections open and ${inHandAtKills} of its mails in hand, lost ${lost}, duplicates ${duplicates}, unknown ${unknown}${listed}`,
  };
}
