import { type DrillContext, openDrill } from '../../rig/context.ts';
import { microsEach, mongodPid, quantile, usageOf } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { type Sink, startSink } from '../../rig/sink.ts';
import { pause } from '../../rig/waiting.ts';
import { inRounds, rateOf } from '../run.ts';
import { blast, stuffed } from '../smtp/raw-blast.ts';
import { putBacklog, removeBacklog, type WaitingLane } from './backlog.ts';
import type { Size } from './size.ts';

const BLAST_MAX = 50_000;

/**
 * Mail of one project, each with data of its own, a tracked link and a pixel, from documents to the relay's 250 and the written outcome:
 * bulk mail in the automation lane, single mails with their contents in the transactional lane.
 */
export async function lane(
  waiting: WaitingLane,
  signing: 'own' | 'relay',
  { rounds, backlog, connections }: Size,
): Promise<Figure[]> {
  const relay = await startSink();
  const drill = await openDrill(process.env, { relay: async () => relay });
  const { domains } = drill.deps.db;
  await domains.updateMany({ projectId: drill.project._id }, { $set: { dkimSigning: signing } });
  let bytes = 0;
  const found = await inRounds(rounds, async () => {
    await putBacklog(drill, waiting, backlog);
    const worker = { SMTP_MAX_CONNECTIONS: String(connections) };
    const measured = await drain(drill, relay, worker, { waiting, count: backlog });
    const raw = await relay.sample();
    bytes = raw.length;
    const blastPerSecond = await blastOf(relay, raw, { connections, backlog });
    await removeBacklog(drill);
    await relay.reset();
    return { ...measured, blastPerSecond };
  });
  await drill.close();
  const what = `${waiting} lane, ${backlog} waiting, DKIM by ${signing === 'own' ? 'us (RSA-2048)' : 'the relay'}`;
  const asked = (limits: Figure['asked']) => (signing === 'relay' && limits ? { asked: limits } : {});
  return [
    figure(what, '/s', found.perSecond, {
      ceiling: { name: `raw blast of the same ${bytes} bytes at the same sink`, values: found.blastPerSecond },
      ...asked({ atLeast: 1_800, aim: 2_500 }),
    }),
    figure(`${what}, CPU of the worker for each mail`, 'us', found.workerMicros),
    figure(`${what}, CPU of mongod for each mail`, 'us', found.mongodMicros, { ...asked({ atMost: 450 }) }),
    figure(`${what}, RSS of the worker in the last quarter`, 'MB', found.residentAtLast, {
      ceiling: { name: 'in the second quarter', values: found.residentEarly },
      asked: { of: 'ratio', atMost: 1.2 },
    }),
  ];
}

async function drain(
  drill: DrillContext,
  relay: Sink,
  settings: Record<string, string>,
  { waiting, count }: { waiting: WaitingLane; count: number },
) {
  const mongod = await mongodPid(drill.deps);
  const worker = await drill.startWorker(settings);
  const [workerBefore, mongodBefore] = [usageOf(worker.pid), usageOf(mongod)];
  const residentMb: number[] = [];
  const timer = setInterval(() => residentMb.push(usageOf(worker.pid).residentMb), 250);
  const { seconds, duplicates } = await relay.wait(count);
  clearInterval(timer);
  await untilWritten(drill, waiting);
  const [workerAfter, mongodAfter] = [usageOf(worker.pid), usageOf(mongod)];
  await worker.stop(9_000);
  if (duplicates > 0) throw new Error(`${duplicates} mails arrived more than once.`);
  return {
    perSecond: count / seconds,
    workerMicros: microsEach(workerBefore, workerAfter, count),
    mongodMicros: microsEach(mongodBefore, mongodAfter, count),
    residentEarly: quarter(residentMb, 2),
    residentAtLast: quarter(residentMb, 4),
  };
}

export async function untilWritten({ deps, project }: DrillContext, lane: WaitingLane): Promise<void> {
  const open = { projectId: project._id, lane, dueAt: { $exists: true } };
  while (await deps.db.messages.findOne(open, { hint: 'due' })) await pause(20);
}

/** The same bytes from one bare process, over as many connections. */
async function blastOf(relay: Sink, raw: string, { connections, backlog }: Pick<Size, 'connections' | 'backlog'>) {
  const text = stuffed(raw);
  const count = Math.min(backlog, BLAST_MAX);
  return rateOf(count, () => blast(relay.port, connections, count, () => text));
}

function quarter(values: number[], number: 2 | 4): number {
  const size = Math.ceil(values.length / 4);
  return quantile(values.slice((number - 1) * size, number * size), 0.5);
}
