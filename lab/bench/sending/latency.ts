import { ObjectId } from 'mongodb';
import { type Sink, startSink } from '../../../test/support/mail/smtp-sink.ts';
import { type DrillContext, openDrill, SENDER } from '../../rig/context.ts';
import { quantile } from '../../rig/processes.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { call } from '../../rig/traffic/calls.ts';
import { pause } from '../../rig/waiting.ts';
import { inRounds } from '../run.ts';
import { blast } from '../smtp/raw-blast.ts';
import type { Size } from './size.ts';

const PER_SECOND = 50;
const BARE_TURNS = 200;

/** The time of a mail from the 2xx that accepts it to the 250 of the relay. */
export async function latency({ rounds, seconds }: Size): Promise<Figure[]> {
  const sink = await startSink();
  const arrivals = arrivalsAt(sink);
  const drill = await openDrill(process.env);
  const { url } = await drill.startApi();
  const worker = await drill.startWorker({ SMTP_URL: sink.url });
  await mails(drill, url, arrivals, 1);
  const found = await inRounds(rounds, async () => {
    const bareMs = await bareDelivery(drill, sink.port);
    const delays = await mails(drill, url, arrivals, seconds);
    return { bareMs, count: delays.length, p50: quantile(delays, 0.5), p99: quantile(delays, 0.99) };
  });
  await worker.stop(9_000);
  await drill.close();
  await sink.close();
  const what = `transactional mail from the 2xx to the relay's 250 at ${PER_SECOND} a second`;
  const name = 'a bare majority-committed update and a bare SMTP transaction, one after the other';
  const ceiling = { name, values: found.bareMs };
  const note = `${found.count.join(', ')} mails, each arrived`;
  return [
    figure(`${what}, p50`, 'ms', found.p50, { ceiling, asked: { atMost: 100 }, note }),
    figure(`${what}, p99`, 'ms', found.p99, { ceiling, asked: { atMost: 500 }, note }),
  ];
}

/** When each emailId was accepted, by performance.now(). */
function arrivalsAt({ ledger }: Sink): Map<string, number> {
  const arrivals = new Map<string, number>();
  const keep = ledger.accept.bind(ledger);
  ledger.accept = (...args) => {
    keep(...args);
    const id = ledger.messages.at(-1)?.messageId;
    if (id) arrivals.set(id.slice(1, 25), performance.now());
  };
  return arrivals;
}

/** Steadily, whatever the ones before do. Fails when one does not arrive. */
async function mails(drill: DrillContext, url: string, arrivals: Map<string, number>, seconds: number) {
  const mail = { to: { email: 'a@in.test' }, from: { email: SENDER }, subject: 'Your code', text: 'It is 123456.' };
  const send = async () => {
    const { data } = await call(drill, `${url}/mails/send`, mail);
    return { id: data.emailId as string, at: performance.now() };
  };
  const sends: Array<ReturnType<typeof send>> = [];
  const began = performance.now();
  while (sends.length < seconds * PER_SECOND) {
    await pause(Math.max(0, (sends.length * 1_000) / PER_SECOND - (performance.now() - began)));
    sends.push(send());
  }
  const answered = await Promise.all(sends);
  for (const until = performance.now() + 10_000; answered.some(({ id }) => !arrivals.has(id)); await pause(10))
    if (performance.now() > until) throw new Error('Not every mail arrived.');
  return answered.map(({ id, at }) => Math.max(0, (arrivals.get(id) as number) - at));
}

async function bareDelivery({ deps }: DrillContext, port: number): Promise<number> {
  const bare = deps.mongo.db(deps.config.mongodbDatabase).collection<{ _id: ObjectId; turn: number }>('bare');
  const _id = new ObjectId();
  await bare.insertOne({ _id, turn: 0 });
  const updates: number[] = [];
  for (let turn = 1; turn <= BARE_TURNS; turn += 1) {
    const began = performance.now();
    await bare.updateOne({ _id }, { $set: { turn } });
    updates.push(performance.now() - began);
  }
  const began = performance.now();
  await blast(port, 1, BARE_TURNS, () => 'Subject: Your code\r\n\r\nIt is 123456.\r\n');
  return quantile(updates, 0.5) + (performance.now() - began) / BARE_TURNS;
}
