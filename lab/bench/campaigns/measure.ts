import type { ObjectId } from 'mongodb';
import type { Child } from '../../../stack/processes/child.ts';
import { SENDER } from '../../rig/context.ts';
import { usageOf } from '../../rig/processes.ts';
import { blast } from '../raw-blast.ts';
import { bareLane } from './bare-lane.ts';
import { call, freezeEnd, historyLength, type Installation, untilOver } from './installation.ts';

export interface Measured {
  recipients: number;
  /** From the POST to the last 250. */
  seconds: number;
  /** From the POST until the audience is written down. */
  freezeSeconds: number;
  /** From the first to the last 250. */
  sendingSeconds: number;
  /** The same bytes at the same sink from one bare process, a second. */
  blast: number;
  /** The same with a ledger and nothing else, a second. */
  bare: number;
  bytes: number;
  /** CPU for each recipient, sink and Temporal left out. */
  micros: { senders: number; background: number; mongod: number };
  /** Highest so far, of each process of ours. */
  peakMb: { api: number; background: number; sender: number };
  history: number;
}

const BLAST_MAX = 50_000;

/** One campaign; the callback may disturb it while it is sent. Throws when a recipient did not get it or got it twice. */
export async function measureCampaign(
  installation: Installation,
  { listId, recipients, signing }: { listId: ObjectId; recipients: number; signing: 'relay' | 'own' },
  meanwhile: (id: string) => Promise<void> = async () => undefined,
): Promise<Measured> {
  const { drill, relay, url, children, mongodPid } = installation;
  await drill.deps.db.domains.updateMany({ projectId: drill.project._id }, { $set: { dkimSigning: signing } });
  await relay.reset();
  const before = used(installation);
  const began = performance.now();
  const id = await launch(installation, `${url}/campaigns`, listId);
  const frozen = freezeEnd(drill, id);
  const disturbed = meanwhile(id);
  const { seconds: sendingSeconds, duplicates } = await relay.wait(recipients);
  const seconds = (performance.now() - began) / 1_000;
  const after = used(installation);
  await disturbed;
  const status = await untilOver(drill, id);
  if (duplicates > 0 || status !== `sent: sent ${recipients}, pending 0, unknown 0`)
    throw new Error(`not everybody got it once: ${status}, ${duplicates} duplicates`);
  const raw = await relay.sample();
  const each = (kind: keyof typeof before) => Math.round(((after[kind] - before[kind]) * 1e6) / recipients);
  return {
    recipients,
    seconds,
    freezeSeconds: ((await frozen) - began) / 1_000,
    sendingSeconds,
    ...(await ceilings(installation, raw, recipients)),
    bytes: raw.length,
    micros: { senders: each('senders'), background: each('background'), mongod: each('mongod') },
    peakMb: { api: peak([children.api]), background: peak([children.background]), sender: peak(children.senders) },
    history: await historyLength(drill, id),
  };

  function peak(some: Child[]): number {
    return Math.max(...some.map(({ pid }) => usageOf(pid).peakMb));
  }

  function used({ children: { senders, background } }: Installation) {
    return {
      senders: senders.reduce((sum, { pid }) => sum + usageOf(pid).cpuSeconds, 0),
      background: usageOf(background.pid).cpuSeconds,
      mongod: usageOf(mongodPid).cpuSeconds,
    };
  }
}

/** HTML of 4 kB with a variable, a tracked link and a pixel. */
async function launch({ drill }: Installation, url: string, listId: ObjectId): Promise<string> {
  const paragraph = '<p>Hello, this is a newsletter paragraph with some text in it to fill.</p>\n';
  const { data } = await call(drill, url, {
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

async function ceilings(
  { drill, relay, connections, children }: Installation,
  raw: string,
  recipients: number,
): Promise<Pick<Measured, 'blast' | 'bare'>> {
  const stuffed = raw.replace(/\r\n\./g, '\r\n..');
  const text = stuffed.endsWith('\r\n') ? stuffed : `${stuffed}\r\n`;
  const count = Math.min(recipients, BLAST_MAX);
  await relay.reset();
  const began = performance.now();
  await blast(relay.port, connections * children.senders.length, count, () => text);
  const perSecond = count / ((performance.now() - began) / 1_000);
  await relay.reset();
  return { blast: perSecond, bare: await bareLane(drill.deps, relay.port, connections, count, text) };
}
