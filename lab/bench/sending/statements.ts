import type { Db, Document } from 'mongodb';
import { openDrill } from '../../rig/context.ts';
import { mongodPid, usageOf } from '../../rig/processes.ts';
import { type Relay, startRelay } from '../campaigns/relay.ts';
import { putBacklog, type WaitingLane } from './backlog.ts';
import type { Size } from './size.ts';

const PROFILE_BYTES = 256_000_000;
const PROFILED_MAILS = 1_000;

/**
 * The statements that a mail costs, by MongoDB's own profiler: how often each is called, what it reads and writes, and how long it takes, at
 * the beginning of a backlog and near its end; and the CPU of mongod with the profiler off.
 */
export async function statements(waiting: WaitingLane, { backlog, connections }: Size): Promise<void> {
  const relay = await startRelay(undefined);
  const drill = await openDrill(process.env, { relay: async () => relay });
  const { deps, project } = drill;
  await deps.db.domains.updateMany({ projectId: project._id }, { $set: { dkimSigning: 'relay' } });
  const database = deps.mongo.db(deps.config.mongodbDatabase);
  await database.createCollection('system.profile', { capped: true, size: PROFILE_BYTES });
  await putBacklog(drill, waiting, backlog);
  const mongod = await mongodPid(deps);
  const cpu = () => usageOf(mongod).cpuSeconds * 1e6;
  const worker = await drill.startWorker({ SMTP_MAX_CONNECTIONS: String(connections) });
  let before = { mails: 0, micros: cpu() };
  for (const from of [PROFILED_MAILS, backlog - 2 * PROFILED_MAILS]) {
    const { messages } = await relay.wait(from);
    const each = (cpu() - before.micros) / (messages - before.mails);
    console.log(`${waiting}, mails ${before.mails} to ${messages}: ${Math.round(each)} us of mongod each`);
    before = { mails: messages + (await profile(database, relay)), micros: cpu() };
  }
  await worker.stop(9_000);
  await drill.close();
}

/** Returns how many mails were sent in that time. */
async function profile(database: Db, relay: Relay): Promise<number> {
  const { messages: first } = await relay.wait(0);
  await database.command({ profile: 2 });
  const { messages: last } = await relay.wait(first + PROFILED_MAILS);
  await database.command({ profile: 0 });
  const profiles = database.collection('system.profile');
  const entries = await profiles.find({ ns: { $not: /system/ } }).toArray();
  await profiles.drop();
  await database.createCollection('system.profile', { capped: true, size: PROFILE_BYTES });
  console.table(linesOf(entries, last - first));
  return last - first;
}

function linesOf(entries: Document[], mails: number): object[] {
  const lines = [...Map.groupBy(entries, shapeOf)].map(([statement, some]) => {
    const sum = (field: string) => some.reduce((total, entry) => total + ((entry[field] as number) ?? 0), 0);
    const each = (field: string) => Number((sum(field) / mails).toPrecision(3));
    return {
      statement,
      calls: some.length,
      mailsACall: Number((mails / some.length).toPrecision(3)),
      'us a mail': Math.round((sum('millis') * 1_000) / mails),
      keysRead: each('keysExamined'),
      docsRead: each('docsExamined'),
      changed: each('nModified'),
      keysIn: each('keysInserted'),
      keysOut: each('keysDeleted'),
      plan: some[0]?.planSummary as string,
    };
  });
  return lines.toSorted((a, b) => b['us a mail'] - a['us a mail']);
}

/** Which fields it names, and not their values. */
function shapeOf({ op, ns, command = {} }: Document): string {
  const on = String(ns).split('.').slice(1).join('.');
  const name = op === 'command' || op === 'query' ? Object.keys(command)[0] : op;
  const filter = command.filter ?? command.q ?? command.query ?? {};
  return `${name} ${on} (${Object.keys(filter).join(', ')})`;
}
