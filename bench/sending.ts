import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { type Collection, MongoClient, ObjectId } from 'mongodb';
import type { Content, Message } from '../core/model.ts';
import { openDrill, SENDER } from '../drills/context.ts';
import { startSink } from '../test/smtp-sink.ts';

/**
 * POST /mails/send at 64 connections beside bare single majority-committed inserts, in turns; from the 2xx to the relay's 250 at 50 mails a
 * second; and the delivery lane with a backlog. Names among the arguments choose: accept, latency, lane.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    backlog: { type: 'string', default: '20000' },
    connections: { type: 'string', default: '64' },
  },
});
const rounds = Number(values.rounds);
const connections = Number(values.connections);
const chosen = positionals.length > 0 ? positionals : ['accept', 'latency', 'lane'];

if (chosen.includes('accept')) await accept();
if (chosen.includes('latency')) await latency();
if (chosen.includes('lane')) for (const signing of ['own', 'relay'] as const) await lane(signing);
process.exit(0);

async function accept(): Promise<void> {
  const drill = await openDrill(process.env);
  const { url, child } = await drill.startApi();
  const { mongodbUrl, mongodbDatabase } = drill.deps.config;
  const client = new MongoClient(mongodbUrl, {
    writeConcern: { w: 'majority', journal: true },
    maxPoolSize: connections,
  });
  const bare = client.db(mongodbDatabase).collection('bare');
  const paces: Array<{ bare: number; posts: number }> = [];
  const delays: number[] = [];
  const micros: number[] = [];
  const requests = postRequests(url, drill.key);
  await hammer(url, requests, 1_000, []);
  for (let round = 0; round < rounds; round++) {
    const inserts = await bareInserts(bare, Number(values.seconds) * 1_000);
    const before = cpuSeconds(child.pid);
    const posts = await hammer(url, requests, Number(values.seconds) * 1_000, delays);
    micros.push(((cpuSeconds(child.pid) - before) * 1e6) / (posts * Number(values.seconds)));
    paces.push({ bare: inserts, posts });
  }
  const [slow, middle, fast] = spread(paces.map(({ posts }) => posts));
  const ratios = spread(paces.map(({ bare: inserts, posts }) => posts / inserts));
  const ceiling = spread(paces.map(({ bare: inserts }) => inserts));
  console.log(
    `POST /mails/send at ${connections} connections: ${slow}, ${middle}, ${fast} a second (min, median, max of ${rounds}); ` +
      `bare single inserts ${ceiling.join(', ')}; ratio ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}; ` +
      `p50 ${quantile(delays, 0.5)} ms, p99 ${quantile(delays, 0.99)} ms; ${spread(micros).map(Math.round).join(', ')} us of CPU of the API each`,
  );
  await client.close();
  await drill.close();
}

async function latency(): Promise<void> {
  const sink = await startSink();
  const accepted = new Map<string, number>();
  const keep = sink.ledger.accept.bind(sink.ledger);
  sink.ledger.accept = (...args) => {
    keep(...args);
    const id = sink.ledger.messages.at(-1)?.messageId;
    if (id) accepted.set(id.slice(1, 25), performance.now());
  };
  const drill = await openDrill({ ...process.env });
  const { url } = await drill.startApi();
  await drill.startWorker({ SMTP_URL: sink.url });
  const body = JSON.stringify({
    to: { email: 'a@in.test' },
    from: { email: SENDER },
    subject: 'Your code',
    text: 'It is 123456.',
  });
  const headers = { Authorization: `Bearer ${drill.key}`, 'Content-Type': 'application/json' };
  const answered = new Map<string, number>();
  const send = async () => {
    const answer = (await (await fetch(`${url}/mails/send`, { method: 'POST', headers, body })).json()) as {
      data: { emailId: string };
    };
    answered.set(answer.data.emailId, performance.now());
  };
  for (let warm = 0; warm < 20; warm++) await send();
  await pause(500);
  answered.clear();
  const sends: Promise<void>[] = [];
  for (let count = 0; count < Number(values.seconds) * 50; count++) {
    sends.push(send());
    await pause(20);
  }
  await Promise.all(sends);
  await pause(1_000);
  const delays = [...answered].flatMap(([id, at]) => (accepted.has(id) ? [Math.max(0, accepted.get(id)! - at)] : []));
  console.log(
    `from the 2xx to the 250 at 50 mails a second: ${delays.length} of ${answered.size} arrived, p50 ${quantile(delays, 0.5)} ms, p99 ${quantile(delays, 0.99)} ms`,
  );
  await drill.close();
  await sink.close();
}

/** The automation lane: bulk mail of one project, each with data of its own, a tracked link and a pixel. */
async function lane(signing: 'own' | 'relay'): Promise<void> {
  const drill = await openDrill(process.env, { ackMs: 0 });
  const { db } = drill.deps;
  const projectId = drill.project._id;
  const count = Number(values.backlog);
  await db.domains.updateMany({ projectId }, { $set: { dkimSigning: signing } });
  await putBacklog(drill, count);
  const worker = await drill.startWorker({ SMTP_MAX_CONNECTIONS: String(connections) });
  const before = cpuSeconds(worker.pid);
  const began = performance.now();
  const memory: number[] = [];
  const open = () =>
    db.messages.countDocuments({ projectId, lane: 'automation', dueAt: { $exists: true } }, { hint: 'due' });
  while ((await open()) > 0) {
    memory.push(residentMb(worker.pid));
    await pause(250);
  }
  const seconds = (performance.now() - began) / 1_000;
  const cpu = ((cpuSeconds(worker.pid) - before) / count) * 1_000;
  console.log(
    `delivery lane, ${count} queued, DKIM by ${signing === 'own' ? 'us (RSA-2048)' : 'the relay'}: ${Math.round(count / seconds)} a second, ` +
      `${cpu.toFixed(2)} CPU seconds per 1,000, RSS ${Math.round(Math.min(...memory))} to ${Math.round(Math.max(...memory))} MB, ` +
      `${(await drill.sink.ids()).size} distinct at the relay`,
  );
  await worker.stop(9_000);
  await drill.close();
}

async function putBacklog({ deps, project }: Awaited<ReturnType<typeof openDrill>>, count: number): Promise<void> {
  const dueAt = new Date(Date.now() - 60_000);
  const html = `<p>Hi {{name}}</p>${'<p>Hello, this is a newsletter paragraph with some text in it to fill.</p>\n'.repeat(20)}<a href="https://example.com/read">read on</a>`;
  for (let from = 0; from < count; from += 100) {
    const contentId = new ObjectId();
    const content: Content = {
      ...{ _id: contentId, projectId: project._id, messageIds: [], from: { email: SENDER, name: null }, replyTo: null },
      ...{
        templateId: null,
        subject: 'Hello {{name}}',
        previewText: '',
        html,
        text: null,
        data: {},
        headers: {},
        attachments: [],
      },
      ...{
        marketing: true,
        groupId: null,
        bypassSuppressions: false,
        trackingClick: true,
        trackingOpen: true,
        createdAt: dueAt,
      },
    };
    const messages = Array.from(
      { length: Math.min(100, count - from) },
      (_, index): Message => ({
        ...{
          _id: new ObjectId(),
          projectId: project._id,
          lane: 'automation',
          state: 'queued',
          email: `b${from + index}@in.test`,
        },
        ...{ contentId, data: { name: `N${from + index}` }, createdAt: dueAt, dueAt },
      }),
    );
    await deps.db.contents.insertOne(content);
    await deps.db.messages.insertMany(messages, { ordered: false });
  }
}

async function bareInserts(bare: Collection, ms: number): Promise<number> {
  const end = performance.now() + ms;
  let done = 0;
  const one = async () => {
    while (performance.now() < end) {
      await bare.insertOne({
        _id: new ObjectId(),
        projectId: 'p',
        state: 'queued',
        email: 'a@in.test',
        at: new Date(),
      });
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return Math.round(done / (ms / 1_000));
}

function postRequests(url: string, key: string): Buffer {
  const { host, pathname } = new URL(`${url}/mails/send`);
  const body = JSON.stringify({
    to: { email: 'ada@in.test', name: 'Ada' },
    from: { email: SENDER, name: 'Drill' },
    subject: 'Hello {{name}}',
    html: `<p>Hello {{name}}</p>${'<p>A paragraph of a receipt.</p>'.repeat(20)}`,
    dynamicData: { name: 'Ada' },
  });
  return Buffer.from(
    `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** One request after the other on each connection; reads no more of an answer than it must. */
function hammer(url: string, request: Buffer, ms: number, delays: number[]): Promise<number> {
  const { hostname, port } = new URL(url);
  const end = performance.now() + ms;
  let done = 0;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => ask());
      let sentAt = 0;
      let rest = '';
      const ask = () => {
        if (performance.now() >= end) return socket.end(() => resolve());
        sentAt = performance.now();
        return socket.write(request);
      };
      socket.setNoDelay(true).on('error', reject);
      socket.on('data', (chunk) => {
        rest += chunk.toString('latin1');
        const head = rest.indexOf('\r\n\r\n');
        if (head === -1) return;
        const length = Number(/content-length: (\d+)/i.exec(rest)?.[1] ?? 0);
        if (rest.length < head + 4 + length) return;
        if (!rest.startsWith('HTTP/1.1 200')) return reject(new Error(rest.slice(0, 500)));
        rest = '';
        delays.push(performance.now() - sentAt);
        done += 1;
        ask();
      });
    });
  return Promise.all(Array.from({ length: connections }, one)).then(() => Math.round(done / (ms / 1_000)));
}

function cpuSeconds(pid: number): number {
  const [, , , , , , , , , , , user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, 'x ')
    .split(' ');
  return (Number(user) + Number(system)) / 100;
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
}

function spread(numbers: number[]): [number, number, number] {
  const sorted = numbers.toSorted((a, b) => a - b);
  return [sorted[0]!, sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!];
}

function quantile(numbers: number[], q: number): string {
  return (numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * q)] ?? 0).toFixed(1);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
