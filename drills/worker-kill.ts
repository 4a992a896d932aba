import { ObjectId } from 'mongodb';
import { sendMail } from '../core/mails.ts';
import type { Message } from '../core/model.ts';
import { createGroup } from '../core/suppression-groups.ts';
import type { Child } from '../stack/processes/child.ts';
import { check } from './check.ts';
import { type DrillContext, openDrill, SENDER } from './context.ts';
import { readFacts } from './facts.ts';

export interface WorkerKill {
  mails: number;
  kills: number;
  lane: 'transactional' | 'marketing';
  evidence: boolean;
  connections: number;
  ackMs: number;
  /** Does not wait until the leases of the killed are over: their time is set back instead. */
  hurry?: boolean;
}

export interface Tally {
  mails: number;
  kills: number;
  /** Neither with the relay nor listed as anything but sent. */
  lost: number;
  /** Accepted once more, all with the same Message-ID. */
  duplicates: number;
  /** Open to the relay when the worker was killed, all kills together. */
  connectionsAtKills: number;
  unknown: number;
  /** Of those, with the relay after all. */
  unknownAccepted: number;
  /** Message-IDs that no message of ours has. */
  strangers: number;
}

/** kill -9 of the worker at random moments while mails drain. */
export async function workerKill(env: NodeJS.ProcessEnv, drill: WorkerKill): Promise<Tally> {
  const context = await openDrill(env, { ackMs: drill.ackMs });
  try {
    await queueMails(context, drill);
    let connectionsAtKills = 0;
    const worker = await forEachKill(context, drill, async () => {
      connectionsAtKills += await context.sink.connectionsOpen();
    });
    await drained(context, drill);
    await worker.stop(10_000);
    return { ...(await tally(context)), mails: drill.mails, kills: drill.kills, connectionsAtKills };
  } finally {
    await context.close();
  }
}

/** Both lanes under the same kills: for the suite, where starting workers is what takes long. */
export async function workerKillBoth(
  env: NodeJS.ProcessEnv,
  drill: Omit<WorkerKill, 'lane'>,
): Promise<Record<WorkerKill['lane'], Tally>> {
  const context = await openDrill(env, { ackMs: drill.ackMs });
  try {
    await queueMails(context, { ...drill, lane: 'marketing' });
    await queueMails(context, { ...drill, lane: 'transactional' });
    let connectionsAtKills = 0;
    const worker = await forEachKill(context, drill, async () => {
      connectionsAtKills += await context.sink.connectionsOpen();
    });
    await drained(context, { mails: drill.mails * 2 });
    await worker.stop(10_000);
    const facts = { mails: drill.mails, kills: drill.kills, connectionsAtKills };
    return {
      transactional: { ...(await tally(context, 'transactional')), ...facts },
      marketing: { ...(await tally(context, 'automation')), ...facts },
    };
  } finally {
    await context.close();
  }
}

/** Through the core, as the API would: one call each. */
export async function queueMails(
  context: DrillContext,
  { mails, lane }: Pick<WorkerKill, 'mails' | 'lane'>,
): Promise<void> {
  const { deps, project } = context;
  const at = new Date();
  const group =
    lane === 'marketing' ? await createGroup(deps, project, { name: 'Drill' }, { at, seed: new ObjectId() }) : null;
  let next = 0;
  const sender = async () => {
    for (let index = next++; index < mails; index = next++)
      await sendMail(
        deps,
        project,
        {
          to: { email: `p${index}@in.test` },
          from: { email: SENDER },
          subject: `Mail ${index}`,
          html: `<p>This is mail ${index}.</p>`,
          ...(group ? { unsubscribeGroupId: group.groupId } : {}),
        },
        { at, seed: new ObjectId() },
      );
  };
  await Promise.all(Array.from({ length: 64 }, sender));
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

async function forEachKill(
  context: DrillContext,
  drill: Omit<WorkerKill, 'lane'>,
  before: () => Promise<void>,
): Promise<Child> {
  for (let kill = 0; kill < drill.kills; kill++) {
    const worker = await context.startWorker(workerEnv(context, drill));
    await new Promise((resolve) => setTimeout(resolve, 400 + Math.random() * 600));
    await before();
    worker.kill('SIGKILL');
    await worker.exited;
    if (drill.hurry) await endLeases(context);
  }
  return context.startWorker(workerEnv(context, drill));
}

async function endLeases({ deps, project }: DrillContext): Promise<void> {
  await deps.db.messages.updateMany({ projectId: project._id, state: 'committing' }, [{ $set: { dueAt: '$$NOW' } }]);
}

/** Nothing is open any more: everything is sent, or unknown for good. */
export async function drained({ deps, project }: DrillContext, { mails }: Pick<WorkerKill, 'mails'>): Promise<void> {
  const until = Date.now() + 120_000 + mails * 60;
  for (;;) {
    const open = await deps.db.messages.countDocuments({ projectId: project._id, dueAt: { $exists: true } });
    if (open === 0) return;
    if (Date.now() > until) throw new Error(`${open} of ${mails} mails are still open`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Of all mails, or of one lane's. Nothing but sent or unknown is expected of these, so whatever else became of a mail is a loss. */
export async function tally(
  context: DrillContext,
  lane?: Message['lane'],
): Promise<Omit<Tally, 'mails' | 'kills' | 'connectionsAtKills'>> {
  const found = check(await readFacts(context, lane ? { lane } : {}));
  const { lost, open, deferred, refused, denied, strangers, duplicates, unknown, unknownAccepted } = found;
  return {
    lost: lost + open + deferred + refused,
    duplicates,
    unknown,
    unknownAccepted,
    strangers: strangers + denied,
  };
}
