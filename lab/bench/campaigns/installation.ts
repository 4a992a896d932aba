import { Client, Connection } from '@temporalio/client';
import { ObjectId } from 'mongodb';
import type { Child } from '../../../stack/processes/child.ts';
import { prefixed, workflowIds } from '../../../workflows/names.ts';
import { type DrillContext, openDrill } from '../../rig/context.ts';
import { mongodPid } from '../../rig/processes.ts';
import { type Sink, startSink } from '../../rig/sink.ts';
import { makeList } from '../../rig/traffic/people.ts';
import { atOnce, pause } from '../../rig/waiting.ts';
import { type Blasters, startBlasters } from './blasters.ts';

export interface Installation {
  drill: DrillContext;
  relay: Sink;
  url: string;
  /** Of each sender for campaigns. */
  connections: number;
  blasters: Blasters;
  children: { api: Child; background: Child; senders: Child[]; mail: Child[] };
  mongodPid: number;
  close(): Promise<void>;
}

interface InstallationOptions {
  senders: number;
  /** Of all senders, all mail together. */
  connections: number;
  /** Between taking a mail and saying so. */
  ackMs?: number;
  /** A process for single mails too. */
  mail: boolean;
  /** False: the senders can keep no dot journal. */
  journal?: boolean;
}

/** In a folder that cannot be: a sender says so once, and works without a journal. */
const NO_JOURNAL = { DATA_DIR: '/dev/null', LOG_LEVEL: 'error' };

/** The processes of docker-compose.yml, with as many senders as asked, and a sink as the relay: all on this machine. */
export async function openInstallation(options: InstallationOptions): Promise<Installation> {
  const { senders, connections, ackMs, mail, journal = true } = options;
  const relay = await startSink(ackMs);
  const drill = await openDrill(process.env, { relay: async () => relay });
  const settings = { SMTP_MAX_CONNECTIONS: `${connections}`, WORKER_PROCESSES: `${senders}` };
  const kept = journal ? {} : NO_JOURNAL;
  const { child: api, url } = await drill.startApi();
  const start = (lanes: string, more: Record<string, string> = {}) =>
    drill.startWorker({ ...settings, ...more, WORKER_LANES: lanes });
  const background = await start('workflows,background');
  const lanes = await atOnce(senders, () => start('campaign', kept));
  const children = { api, background, senders: lanes, mail: mail ? [await start('mail')] : [] };
  // The senders share the connections; a fifth is kept for a process with the transactional lane.
  const forCampaigns = Math.floor((connections - (mail ? Math.floor(connections / 5) : 0)) / senders);
  const blasters = startBlasters(senders, forCampaigns);
  return {
    drill,
    relay,
    url,
    connections: forCampaigns,
    blasters,
    children,
    mongodPid: await mongodPid(drill.deps),
    async close() {
      blasters.stop();
      await Promise.all([background, ...lanes, ...children.mail].map((child) => child.stop(9_000)));
      await drill.close();
    },
  };
}

export async function addPeople(context: DrillContext, count: number): Promise<string> {
  const personOf = (index: number) => ({
    email: `p${index}@d${index % 50}.of${count}.example.org`,
    firstName: `Person ${index}`,
  });
  return (await makeList(context, `Bench ${count}`, count, personOf)).listId;
}

/** By performance.now(), when the audience is written down. */
export async function freezeEnd({ deps, project }: DrillContext, id: string): Promise<number> {
  for (;;) {
    const filter = { _id: new ObjectId(id), projectId: project._id };
    const campaign = await deps.db.campaigns.findOne(filter, { projection: { freeze: 1 } });
    if (campaign?.freeze?.isDone) return performance.now();
    await pause(50);
  }
}

/** Throws when a recipient did not get it, or got it twice. */
export async function requireAllOnce(drill: DrillContext, id: string, recipients: number, duplicates: number) {
  const status = await untilOver(drill, id);
  if (duplicates > 0 || status !== `sent: sent ${recipients}, pending 0, unknown 0`)
    throw new Error(`not everybody got it once: ${status}, ${duplicates} duplicates`);
}

async function untilOver({ deps, project }: DrillContext, id: string): Promise<string> {
  for (const until = Date.now() + 60_000; ; await pause(100)) {
    const campaign = await deps.db.campaigns.findOne({ _id: new ObjectId(id), projectId: project._id });
    if (campaign?.status !== 'sent' && Date.now() < until) continue;
    const { sent = 0, pending = 0, unknown = 0 } = campaign?.counts ?? {};
    return `${campaign?.status}: sent ${sent}, pending ${pending}, unknown ${unknown}`;
  }
}

/** Of the run that is there now; it is continued as new where it grows long. */
export async function historyLength({ deps }: DrillContext, id: string): Promise<number> {
  const { temporalAddress, temporalNamespace, taskQueuePrefix } = deps.config;
  const connection = await Connection.connect({ address: temporalAddress });
  const client = new Client({ connection, namespace: temporalNamespace });
  const handle = client.workflow.getHandle(prefixed(taskQueuePrefix, workflowIds.campaignSend(id)));
  const { historyLength: length } = await handle.describe();
  await connection.close();
  return length;
}
