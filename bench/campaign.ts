import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { ObjectId } from 'mongodb';
import type { Contact } from '../core/model.ts';
import { type DrillContext, openDrill, SENDER } from '../drills/context.ts';
import type { Child } from '../stack/processes/child.ts';
import { prefixed, workflowIds } from '../workflows/names.ts';
import { type Relay, startRelay } from './campaigns/relay.ts';
import { microsEach, quantile, type Usage, usageOf } from './processes.ts';
import { blast } from './raw-blast.ts';

/**
 * A campaign from the POST that starts it to the relay's last 250, the freeze included: HTML of 4 kB with a variable, a tracked link and
 * a pixel, a row in the ledger for each recipient (w: majority). In the same run a raw blast of the same bytes at the same sink.
 * Everything stands on this one machine, sink included.
 */
const { values } = parseArgs({
  options: {
    recipients: { type: 'string', default: '100000' },
    senders: { type: 'string', default: '2' },
    connections: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '1' },
    /** relay: it signs. own: RSA-2048 and Ed25519 by us. */
    signing: { type: 'string', default: 'relay' },
    /** Another sink than test/smtp-sink.ts: a binary that takes -smtp and -http. */
    sink: { type: 'string' },
    /** Single mails meanwhile, and how long they took from the 2xx to the relay. */
    mails: { type: 'boolean', default: false },
    /** Pauses in the middle and says how long the answer took. */
    pause: { type: 'boolean', default: false },
    /** Profiles of the senders are written there. */
    profile: { type: 'string' },
  },
});
const recipients = Number(values.recipients);
const senders = Number(values.senders);
const connections = Number(values.connections);

for (let round = 0; round < Number(values.rounds); round += 1) await measure();
process.exit(0);

async function measure(): Promise<void> {
  const relay = await startRelay(values.sink);
  const drill = await openDrill(process.env, { relay: async () => relay });
  try {
    if (values.signing === 'relay')
      await drill.deps.db.domains.updateMany({ projectId: drill.project._id }, { $set: { dkimSigning: 'relay' } });
    const listId = await addPeople(drill);
    const api = await drill.startApi();
    const settings = { SMTP_MAX_CONNECTIONS: `${connections}`, WORKER_PROCESSES: `${senders}` };
    const profiled: Record<string, string> = values.profile
      ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${values.profile}` }
      : {};
    const steady = await drill.startWorker({ ...settings, WORKER_LANES: 'workflows,background' });
    const lanes = Array.from({ length: senders }, () =>
      drill.startWorker({ ...settings, ...profiled, WORKER_LANES: 'campaign' }),
    );
    const mail = values.mails ? [await drill.startWorker({ ...settings, WORKER_LANES: 'mail' })] : [];
    const children = { api: api.child, background: steady, senders: await Promise.all(lanes), mail };
    await send(drill, relay, api.url, listId, children);
    await Promise.all([steady, ...children.senders, ...mail].map((child) => child.stop(9_000)));
  } finally {
    await drill.close();
  }
}

interface Children {
  api: Child;
  background: Child;
  senders: Child[];
  mail: Child[];
}

async function send(
  drill: DrillContext,
  relay: Relay,
  url: string,
  listId: ObjectId,
  children: Children,
): Promise<void> {
  const before = children.senders.map(({ pid }) => usageOf(pid));
  const mongod = await mongodPid(drill);
  const [mongodBefore, sinkBefore] = [usageOf(mongod), usageOf(relay.pid)];
  const meanwhile = values.mails ? sendMails(drill, url) : null;
  const began = performance.now();
  const id = await launch(drill, url, listId);
  const frozen = freezeEnd(drill, id, began);
  if (values.pause) await pauseInTheMiddle(drill, relay, url, id);
  const sent = await relay.wait(recipients);
  const seconds = (performance.now() - began) / 1_000;
  const latencies = await meanwhile?.stop();
  const after = children.senders.map(({ pid }) => usageOf(pid));
  const total = (usages: Usage[]) => ({ cpuSeconds: usages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) });
  const raw = await relay.sample();
  const ceiling = await blastOf(relay, raw);
  const status = await untilOver(drill, id);
  const freezeSeconds = ((await frozen) - began) / 1_000;
  const whole = recipients / seconds;
  const sending = recipients / sent.seconds;
  console.log(
    `${recipients} recipients, ${senders} senders, DKIM by ${values.signing === 'relay' ? 'the relay' : 'us'}, ${raw.length} bytes each: ` +
      `${Math.round(whole)} a second from the call to the last 250 (${seconds.toFixed(1)} s, of it ${freezeSeconds.toFixed(1)} s until the audience is written), ` +
      `${Math.round(sending)} while sending; raw blast ${Math.round(ceiling)}; ratio ${(whole / ceiling).toFixed(2)} from the call, ${(sending / ceiling).toFixed(2)} while sending; ` +
      `duplicates ${sent.duplicates}, ${status}`,
  );
  console.log(
    `CPU each: senders ${microsEach(total(before), total(after), recipients)} us, mongod ${microsEach(mongodBefore, usageOf(mongod), recipients)} us, sink ${microsEach(sinkBefore, usageOf(relay.pid), recipients)} us (blast included); ` +
      `peak RSS: API ${usageOf(children.api.pid).peakMb} MB, workflows and background ${usageOf(children.background.pid).peakMb} MB, senders ${after.map(({ peakMb }) => peakMb).join(' and ')} MB; ` +
      `history ${await historyLength(drill, id)} events`,
  );
  if (latencies)
    console.log(
      `single mails meanwhile: ${latencies.length}, p50 ${quantile(latencies, 0.5)} ms, p99 ${quantile(latencies, 0.99)} ms from the 2xx to the relay's answer`,
    );
}

async function launch(drill: DrillContext, url: string, listId: ObjectId): Promise<string> {
  const paragraph = '<p>Hello, this is a newsletter paragraph with some text in it to fill.</p>\n';
  const { data } = await call(drill, `${url}/campaigns`, {
    name: 'Bench',
    subject: 'Hello {{firstName}}',
    htmlTemplate: `<html><body><p>Hi {{firstName}}</p>${paragraph.repeat(50)}<p><a href="https://shop.example.com/sale">Sale</a></p></body></html>`,
    from: { email: SENDER, name: 'Bench' },
    toLists: [listId.toHexString()],
    trackingClick: true,
    trackingOpen: true,
    publish: true,
    sendNow: true,
  });
  return data.id as string;
}

async function pauseInTheMiddle(drill: DrillContext, relay: Relay, url: string, id: string): Promise<void> {
  await relay.wait(Math.floor(recipients / 2));
  const began = performance.now();
  const { data } = await call(drill, `${url}/campaigns/${id}/pause`, {});
  const settledMs = Math.round(performance.now() - began);
  const arrived = (await relay.wait(0)).messages;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const late = (await relay.wait(0)).messages - arrived;
  const { sent, inFlight } = data.progress;
  console.log(
    `paused: the answer took ${settledMs} ms, said sent ${sent} and in flight ${inFlight}; ${late} arrived after it`,
  );
  await call(drill, `${url}/campaigns/${id}/resume`, {});
}

/** Fifty a second, one after the other in time, whatever the ones before do. */
function sendMails(drill: DrillContext, url: string): { stop(): Promise<number[]> } {
  const { db } = drill.deps;
  const sent: Array<Promise<[ObjectId, number]>> = [];
  const timer = setInterval(() => {
    const mail = {
      to: { email: `single${sent.length}@in.test` },
      from: { email: SENDER },
      subject: 'Single',
      text: 'One.',
    };
    sent.push(
      call(drill, `${url}/mails/send`, mail).then(({ data }) => [new ObjectId(data.emailId as string), Date.now()]),
    );
  }, 20);
  return {
    async stop() {
      clearInterval(timer);
      const ids = await Promise.all(sent);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const found = await db.messages
        .find({ projectId: drill.project._id, _id: { $in: ids.map(([_id]) => _id) } })
        .toArray();
      const sentAt = new Map(
        found.map(({ _id, sentAt: at }) => [_id.toHexString(), at?.getTime() ?? Number.POSITIVE_INFINITY]),
      );
      return ids.map(([_id, acceptedAt]) =>
        Math.max(0, (sentAt.get(_id.toHexString()) ?? Number.POSITIVE_INFINITY) - acceptedAt),
      );
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a measurement looks into answers of several shapes.
async function call({ key }: DrillContext, url: string, body: object): Promise<any> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** The same bytes at the same sink from one bare process, over as many connections. */
async function blastOf(relay: Relay, raw: string): Promise<number> {
  const stuffed = raw.replace(/\r\n\./g, '\r\n..');
  const count = Math.min(recipients, 50_000);
  await relay.reset();
  const began = performance.now();
  await blast(relay.port, connections * senders, count, () => (stuffed.endsWith('\r\n') ? stuffed : `${stuffed}\r\n`));
  return count / ((performance.now() - began) / 1_000);
}

async function freezeEnd({ deps, project }: DrillContext, id: string, began: number): Promise<number> {
  for (;;) {
    const campaign = await deps.db.campaigns.findOne(
      { _id: new ObjectId(id), projectId: project._id },
      { projection: { freeze: 1 } },
    );
    if (campaign?.freeze?.isDone || performance.now() - began > 600_000) return performance.now();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function untilOver({ deps, project }: DrillContext, id: string): Promise<string> {
  for (const until = Date.now() + 60_000; ; ) {
    const campaign = await deps.db.campaigns.findOne({ _id: new ObjectId(id), projectId: project._id });
    if (campaign?.status === 'sent' || Date.now() > until) {
      const { sent = 0, pending = 0, unknown = 0 } = campaign?.counts ?? {};
      return `${campaign?.status}: sent ${sent}, pending ${pending}, unknown ${unknown}`;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function historyLength({ deps }: DrillContext, id: string): Promise<number> {
  const { temporalAddress, temporalNamespace, taskQueuePrefix } = deps.config;
  const connection = await Connection.connect({ address: temporalAddress });
  const client = new Client({ connection, namespace: temporalNamespace });
  const handle = client.workflow.getHandle(prefixed(taskQueuePrefix, workflowIds.campaignSend(id)));
  const { historyLength: length } = await handle.describe();
  await connection.close();
  return length;
}

async function mongodPid({ deps }: DrillContext): Promise<number> {
  return (await deps.mongo.db('admin').command({ serverStatus: 1 })).pid as number;
}

async function addPeople({ deps, project }: DrillContext): Promise<ObjectId> {
  const [list, at] = [new ObjectId(), new Date()];
  const facts = { projectId: project._id, createdAt: at, updatedAt: at };
  const shape = { description: '', type: 'list' as const, filterCriteria: null, recompute: null };
  await deps.db.contactLists.insertOne({ _id: list, name: 'Bench', ...shape, ...facts });
  const nobody = { lastName: null, userId: null, mobile: null, contactProperties: {}, listIds: [list], segmentIds: [] };
  for (let from = 0; from < recipients; from += 5_000) {
    const contact = (_: unknown, index: number): Contact => ({
      _id: new ObjectId(),
      email: `p${from + index}@d${(from + index) % 50}.example.org`,
      firstName: `Person ${from + index}`,
      ...nobody,
      ...facts,
    });
    await deps.db.contacts.insertMany(Array.from({ length: Math.min(5_000, recipients - from) }, contact));
  }
  return list;
}
