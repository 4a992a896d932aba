import type { Child } from '../../../stack/processes/child.ts';
import { type DrillContext, openDrill } from '../../rig/context.ts';
import { startSink } from '../../rig/sink.ts';
import { addProject } from '../../rig/traffic/projects.ts';
import { atOnce } from '../../rig/waiting.ts';
import { addPeople, openInstallation, requireAllOnce } from '../campaigns/installation.ts';
import { launch } from '../campaigns/measure.ts';
import { putBacklog } from '../sending/backlog.ts';
import { untilWritten } from '../sending/lane.ts';
import { hammer, MAIL, postRequest, sendRequest } from '../sending/posts.ts';
import { type Cpu, openMeter } from './meter.ts';
import { type Written, writtenBy, writtenEach } from './written.ts';

/** The rate of so many processes of one part, and the cost of one unit for each part. */
export interface LaneRun {
  processes: number;
  perSecond: number;
  micros: Cpu;
  written?: Written;
}

/** The limit of all processes together. */
const CONNECTIONS = 64;
const WARM = 5_000;
/** Until all processes have seen the time of a backlog. */
const AHEAD_MS = 6_000;
const WARM_SECONDS = 4;

/** A campaign from its POST to the last 250, the relay signing, after a smaller one for each process to compile. */
export async function campaignLane(senders: number, recipients: number): Promise<LaneRun> {
  const installation = await openInstallation({ senders, connections: CONNECTIONS, mail: false });
  const { drill, relay, children } = installation;
  await drill.deps.db.domains.updateMany({ projectId: drill.project._id }, { $set: { dkimSigning: 'relay' } });
  const pids = (some: Child[]) => () => some.map(({ pid }) => pid);
  const meter = await openMeter(drill, {
    ...{ campaign: pids(children.senders), background: pids([children.background]), api: pids([children.api]) },
    sink: () => [relay.pid],
  });
  const send = async (count: number) => {
    const listId = await addPeople(drill, count);
    await relay.reset();
    const [before, stored, began] = [meter.look(), await writtenBy(drill), performance.now()];
    const id = await launch(installation, { listId });
    const { duplicates } = await relay.wait(count);
    const perSecond = count / ((performance.now() - began) / 1_000);
    const micros = meter.each(before, meter.look(), count);
    await requireAllOnce(drill, id, count, duplicates);
    return { processes: senders, perSecond, micros, written: writtenEach(stored, await writtenBy(drill), count) };
  };
  await send(WARM);
  const found = await send(recipients);
  await installation.close();
  return found;
}

interface MailLane {
  backlog: (processes: number) => number;
  warm: number;
  /** The limit of all processes together. */
  connections: (processes: number) => number;
  /** How long the relay takes for a mail. */
  ackMs: number;
  projects: number;
}

const mailDefaults = { warm: WARM, connections: () => CONNECTIONS, ackMs: 0, projects: 1 };

/** Single mails that become due together, by more and more processes of the role mail. */
export async function mailLane(
  counts: readonly number[],
  given: Pick<MailLane, 'backlog'> & Partial<MailLane>,
): Promise<LaneRun[]> {
  const { backlog, warm, connections, ackMs, projects }: MailLane = { ...mailDefaults, ...given };
  const relay = await startSink(ackMs);
  const drill = await openDrill(process.env, { relay: async () => relay });
  const drills = [drill];
  while (drills.length < projects) drills.push(await addProject(drill, `Lane${drills.length}`));
  await drill.deps.db.domains.updateMany({}, { $set: { dkimSigning: 'relay' } });
  let workers: Child[] = [];
  const meter = await openMeter(drill, { mail: () => workers.map(({ pid }) => pid), sink: () => [relay.pid] });
  const runs: LaneRun[] = [];
  for (const processes of counts) {
    const budget = { SMTP_MAX_CONNECTIONS: `${connections(processes)}` };
    workers = await atOnce(processes, () => drill.startWorker(budget));
    await deliver(warm);
    runs.push({ processes, ...(await deliver(backlog(processes))) });
    console.log(`${processes} processes: ${Math.round(runs.at(-1)?.perSecond ?? 0)} a second`);
    await Promise.all(workers.map((worker) => worker.stop(9_000)));
  }
  await drill.close();
  return runs;

  async function deliver(count: number) {
    await relay.reset();
    const stored = await writtenBy(drill);
    const dueAt = new Date(drill.deps.clock.now().getTime() + AHEAD_MS);
    for (const each of drills) await putBacklog(each, 'transactional', count / projects, dueAt);
    await untilTime(drill, dueAt);
    const before = meter.look();
    const { seconds, duplicates } = await relay.wait(count);
    for (const each of drills) await untilWritten(each, 'transactional');
    const micros = meter.each(before, meter.look(), count);
    if (duplicates > 0) throw new Error(`${duplicates} mails arrived more than once.`);
    return { perSecond: count / seconds, micros, written: writtenEach(stored, await writtenBy(drill), count) };
  }
}

/** POST /mails/send by more and more API processes; with the first one alone also batches and contacts. */
export async function requestLane(
  counts: readonly number[],
  seconds: number,
): Promise<{ send: LaneRun[]; batch: LaneRun; contact: LaneRun }> {
  const drill = await openDrill(process.env);
  const first = await drill.startApi();
  const apis = [first];
  const meter = await openMeter(drill, { api: () => apis.map(({ child }) => child.pid) });
  let number = 0;
  const contactOf = () => {
    number += 1;
    const contact = { email: `c${number}@in.test`, firstName: `C${number}` };
    return postRequest(`${first.url}/contacts/email`, drill.key, contact);
  };
  const mails = Array.from({ length: 10 }, () => MAIL);
  const batch = await run([postRequest(`${first.url}/mails/batch`, drill.key, { mails })], [first.url]);
  const contact = await run([contactOf], [first.url]);
  const send: LaneRun[] = [];
  for (const processes of counts) {
    while (apis.length < processes) apis.push(await drill.startAnotherApi());
    const urls = apis.map(({ url }) => url);
    send.push(
      await run(
        urls.map((url) => sendRequest(url, drill.key)),
        urls,
      ),
    );
  }
  await Promise.all(apis.map(({ child }) => child.stop(9_000)));
  await drill.close();
  return { send, batch, contact };

  async function run(requests: Parameters<typeof hammer>[1][], urls: string[]): Promise<LaneRun> {
    const all = (load: { connections: number; seconds: number }) =>
      Promise.all(urls.map((url, index) => hammer(url, requests[index]!, load)));
    const connections = Math.floor(CONNECTIONS / urls.length);
    await all({ connections, seconds: WARM_SECONDS });
    const before = meter.look();
    const answered = (await all({ connections, seconds })).flat().length;
    return {
      processes: urls.length,
      perSecond: answered / seconds,
      micros: meter.each(before, meter.look(), answered),
    };
  }
}

async function untilTime({ deps }: DrillContext, at: Date): Promise<void> {
  const left = at.getTime() - deps.clock.now().getTime();
  if (left <= 0) throw new Error('The backlog took longer to write than was planned for.');
  await new Promise((resolve) => setTimeout(resolve, left));
}
