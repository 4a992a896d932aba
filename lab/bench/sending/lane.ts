import { type DrillContext, openDrill } from '../../rig/context.ts';
import { microsEach, mongodPid, quantile, usageOf } from '../../rig/processes.ts';
import { report } from '../../rig/report.ts';
import { pause } from '../../rig/waiting.ts';
import { type Relay, startRelay } from '../campaigns/relay.ts';
import { blast } from '../raw-blast.ts';
import type { Size } from '../sending.ts';
import { putBacklog, removeBacklog } from './backlog.ts';

const BLAST_MAX = 50_000;

interface Round {
  perSecond: number;
  blastPerSecond: number;
  workerSeconds: number;
  mongodSeconds: number;
  residentMb: number[];
}

/** Bulk mail of one project, each with data of its own, a tracked link and a pixel, from documents to the relay's 250 and the written outcome. */
export async function lane(signing: 'own' | 'relay', { rounds, backlog, connections, profile }: Size): Promise<void> {
  const relay = await startRelay(undefined);
  const drill = await openDrill(process.env, { relay: async () => relay });
  const { domains } = drill.deps.db;
  await domains.updateMany({ projectId: drill.project._id }, { $set: { dkimSigning: signing } });
  const perRound: Round[] = [];
  let bytes = 0;
  for (let number = 0; number < rounds; number += 1) {
    await putBacklog(drill, backlog);
    const worker = { SMTP_MAX_CONNECTIONS: String(connections), ...profile };
    const measured = await drain(drill, relay, worker, backlog);
    const raw = await relay.sample();
    bytes = raw.length;
    perRound.push({ ...measured, blastPerSecond: await blastOf(relay, raw, { connections, backlog }) });
    await removeBacklog(drill);
    await relay.reset();
  }
  await drill.close();
  const of = (value: (round: Round) => number) => perRound.map(value);
  const what = `delivery lane, ${backlog} queued, DKIM by ${signing === 'own' ? 'us (RSA-2048)' : 'the relay'}`;
  report('sending', [
    {
      name: what,
      unit: '/s',
      values: of(({ perSecond }) => perSecond),
      ceiling: {
        name: `raw blast of the same ${bytes} bytes at the same sink`,
        values: of(({ blastPerSecond }) => blastPerSecond),
      },
    },
    { name: `${what}, CPU of the worker for 1,000`, unit: 's', values: of(({ workerSeconds }) => workerSeconds) },
    { name: `${what}, CPU of mongod for 1,000`, unit: 's', values: of(({ mongodSeconds }) => mongodSeconds) },
    {
      name: `${what}, RSS of the worker in the last quarter`,
      unit: 'MB',
      values: of(({ residentMb }) => quarter(residentMb, 4)),
      ceiling: { name: 'in the second quarter', values: of(({ residentMb }) => quarter(residentMb, 2)) },
      asked: { of: 'ratio', atMost: 1.2 },
    },
  ]);
}

async function drain(
  drill: DrillContext,
  relay: Relay,
  settings: Record<string, string>,
  count: number,
): Promise<Omit<Round, 'blastPerSecond'>> {
  const mongod = await mongodPid(drill.deps);
  const worker = await drill.startWorker(settings);
  const [workerBefore, mongodBefore] = [usageOf(worker.pid), usageOf(mongod)];
  const residentMb: number[] = [];
  const timer = setInterval(() => residentMb.push(usageOf(worker.pid).residentMb), 250);
  const { seconds, duplicates } = await relay.wait(count);
  clearInterval(timer);
  await untilWritten(drill);
  const [workerAfter, mongodAfter] = [usageOf(worker.pid), usageOf(mongod)];
  await worker.stop(9_000);
  if (duplicates > 0) throw new Error(`${duplicates} mails arrived more than once.`);
  return {
    perSecond: count / seconds,
    workerSeconds: microsEach(workerBefore, workerAfter, count) / 1_000,
    mongodSeconds: microsEach(mongodBefore, mongodAfter, count) / 1_000,
    residentMb,
  };
}

async function untilWritten({ deps, project }: DrillContext): Promise<void> {
  const open = { projectId: project._id, lane: 'automation' as const, dueAt: { $exists: true } };
  while (await deps.db.messages.findOne(open, { hint: 'due' })) await pause(20);
}

/** The same bytes from one bare process, over as many connections. */
async function blastOf(
  relay: Relay,
  raw: string,
  { connections, backlog }: Pick<Size, 'connections' | 'backlog'>,
): Promise<number> {
  const stuffed = raw.replace(/\r\n\./g, '\r\n..');
  const count = Math.min(backlog, BLAST_MAX);
  const began = performance.now();
  await blast(relay.port, connections, count, () => stuffed);
  return count / ((performance.now() - began) / 1_000);
}

function quarter(values: number[], number: 1 | 2 | 3 | 4): number {
  const size = Math.ceil(values.length / 4);
  return quantile(values.slice((number - 1) * size, number * size), 0.5);
}
