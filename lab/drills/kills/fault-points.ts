import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Child, killIfThere } from '../../../stack/processes/child.ts';
import type { DrillContext } from '../../rig/context.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { atOnce, pause, until } from '../../rig/waiting.ts';
import { judgeCampaign } from '../campaigns/campaign-verdicts.ts';
import {
  type CampaignDrill,
  type CampaignTally,
  type CampaignUnderFire,
  campaignUnderFire,
} from '../campaigns/campaigns.ts';

/** Between which two steps of its work a process is killed or stopped: lab/rig/faults/fault-point.mjs. */
const points = ['claim and dot', 'dot and row', 'row and event', 'takeover and settlement', 'freeze'] as const;
type FaultPoint = (typeof points)[number] | 'winner and event';

interface PointDrill extends CampaignDrill {
  point: FaultPoint;
  signal: 'SIGKILL' | 'SIGSTOP';
  /** Undisturbed processes that send at the same time. */
  senders: number;
}

interface PointTally extends CampaignTally {
  /** Processes that came to the point, and got the signal there. */
  hits: number;
  /** Sent mails without an event of it, or with more than one. */
  withoutEvent: number;
}

/** Longer than a lease. */
const STOPPED_MS = 35_000;
const HIT_WITHIN_MS = 120_000;
const FULL = { connections: 4, ackMs: 20, evidence: false };
const SIDE_BY_SIDE = 2;
/** In mid-work: the point is passed twice. */
const AFTER = 3;
const preload = pathToFileURL(join(import.meta.dirname, '../../rig/faults/fault-point.mjs')).href;

/**
 * One process gets the signal between two steps of its work, and others send the rest of the campaign. A stopped one wakes up when its
 * claims have been settled.
 */
async function faultAtPoint(env: NodeJS.ProcessEnv, drill: PointDrill): Promise<PointTally> {
  const facts = { hits: 0, withoutEvent: 0 };
  const tally = await campaignUnderFire(env, drill, async (fire) => {
    await readEvents(fire.context);
    const victims = await startVictims(fire, drill);
    const senders = await startSenders(fire, drill);
    const isBegun = drill.point !== 'freeze' && drill.point !== 'takeover and settlement';
    const steady = isBegun ? await startSteady(fire, drill) : null;
    facts.hits = await untilHit(fire, victims);
    const others = [...senders, steady ?? (await startSteady(fire, drill))];
    if (drill.point === 'takeover and settlement') others.push(...(await startSenders(fire, drill, 'after')));
    if (drill.signal === 'SIGSTOP') {
      await pause(STOPPED_MS);
      for (const victim of victims) signalVictim(victim, 'SIGCONT');
    }
    await fire.untilSent();
    const started = await Promise.all(victims.map((victim) => victim.started));
    await Promise.all([...others, ...started].map((child) => child?.stop(15_000)));
    facts.withoutEvent = await countWithoutEvent(fire.context);
  });
  return { ...tally, ...facts };
}

export interface Victim {
  /** Has the process's id when it has come to the point. */
  file: string;
  /** null: it was killed before it was ready. */
  started: Promise<Child | null>;
}

/** Resolves when the process is ready, or has come to the point before that. */
export async function startVictim(
  fire: CampaignUnderFire,
  lanes: string,
  { env, ...fault }: Omit<Fault, 'file'> & { env: Record<string, string> },
): Promise<Victim> {
  const file = join(fire.context.deps.config.dataDir, `${fault.at} ${randomUUID()}`);
  const started = fire.startWorker(lanes, { ...env, ...faultEnv({ ...fault, file }) }).catch((error) => {
    if (!existsSync(file)) throw error;
    return null;
  });
  await Promise.race([started, untilAtPoint({ file })]);
  return { file, started };
}

export function untilAtPoint({ file }: Pick<Victim, 'file'>): Promise<void> {
  return until(`a process comes to the point: ${file}`, async () => existsSync(file), HIT_WITHIN_MS);
}

export function signalVictim({ file }: Victim, signal: NodeJS.Signals): void {
  killIfThere(Number(readFileSync(file, 'utf8')), signal);
}

interface Fault {
  at: FaultPoint;
  signal: string;
  after: number;
  file: string;
}

/** For a process that sends itself the signal when it comes to the point for the `after`th time; `file` appears before that. */
function faultEnv({ at, signal, after, file }: Fault): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${preload}`,
    DRILL_FAULT_POINT: at,
    DRILL_FAULT_SIGNAL: signal,
    DRILL_FAULT_AFTER: String(after),
    DRILL_FAULT_FILE: file,
  };
}

/** A takeover needs a claim whose process is gone, so a first one is killed with a claim. */
async function startVictims(fire: CampaignUnderFire, drill: PointDrill): Promise<Victim[]> {
  const { point, signal } = drill;
  const start = (lanes: string, fault: { at: FaultPoint; signal: string; after: number }) =>
    startVictim(fire, lanes, { ...fault, env: processes(drill) });
  if (point === 'freeze') return [await start('workflows,background', { at: point, signal, after: 1 })];
  if (point !== 'takeover and settlement') return [await start('campaign', { at: point, signal, after: AFTER })];
  const first = await start('campaign', { at: 'claim and dot', signal: 'SIGKILL', after: 1 });
  return [first, await start('workflows,background,campaign', { at: point, signal, after: 1 })];
}

/** The one that is to be hit in a takeover must find the claim before others do, so these begin after it. */
async function startSenders(fire: CampaignUnderFire, drill: PointDrill, when = 'before'): Promise<Child[]> {
  const isLate = drill.point === 'takeover and settlement';
  if (isLate !== (when === 'after')) return [];
  return atOnce(drill.senders, () => fire.startWorker('campaign', processes(drill)));
}

/** Runs workflows and the freeze: the campaign begins with it. */
function startSteady(fire: CampaignUnderFire, drill: PointDrill): Promise<Child> {
  return fire.startWorker('workflows,background', processes(drill));
}

function processes({ senders }: PointDrill): Record<string, string> {
  return { WORKER_PROCESSES: String(senders + 1) };
}

async function untilHit(fire: CampaignUnderFire, victims: Victim[]): Promise<number> {
  await Promise.all(victims.map(untilAtPoint));
  await fire.noteFault();
  return victims.length;
}

/** Events are stored only when they have a reader: a stream that was open within the hour. */
export async function readEvents({ deps, project }: DrillContext): Promise<void> {
  const openUntil = new Date(Date.now() + 3_600_000);
  await deps.db.eventStreams.insertOne({ _id: project._id, projectId: project._id, openUntil });
}

/** Each sent mail has one event. Evidence and opens have none for mail that was unknown before. */
async function countWithoutEvent({ deps, project }: DrillContext): Promise<number> {
  const projectId = project._id;
  const [sent, events] = await Promise.all([
    deps.db.messages.find({ projectId, state: 'sent' }, { projection: { _id: 1 } }).toArray(),
    deps.db.projectEvents.find({ projectId, type: 'email.sent' }, { projection: { 'data.emailId': 1 } }).toArray(),
  ]);
  const counts = Map.groupBy(events, ({ data }) => String(data.emailId));
  return sent.filter(({ _id }) => counts.get(_id.toHexString())?.length !== 1).length;
}

/** Most of it is waiting for leases, so some run side by side. */
export async function* faultPoints(env: NodeJS.ProcessEnv): AsyncGenerator<Verdict> {
  const drills = [2, 8].flatMap((senders) =>
    (['SIGKILL', 'SIGSTOP'] as const).flatMap((signal) =>
      points.map((point): PointDrill => ({ ...FULL, point, signal, senders, recipients: senders * 2_000 })),
    ),
  );
  for (let from = 0; from < drills.length; from += SIDE_BY_SIDE)
    yield* await Promise.all(
      drills.slice(from, from + SIDE_BY_SIDE).map(async (drill) => judgePoint(drill, await faultAtPoint(env, drill))),
    );
}

/** A mail that was begun and not answered when its process was hit may be unknown: one for each connection. */
export function judgePoint({ point, signal, senders, connections, evidence }: PointDrill, tally: PointTally): Verdict {
  const { hits, withoutEvent } = tally;
  const unknownMax = hits * connections;
  const verdict = judgeCampaign(
    `${signal} ${point === 'freeze' ? 'while the freeze writes' : `between ${point}`}, ${senders} senders`,
    { connections, evidence },
    tally,
    unknownMax,
  );
  return {
    kept: verdict.kept && hits > 0 && withoutEvent === 0,
    says: `${verdict.says}, sent without an event ${withoutEvent}`,
  };
}
