import { SENDER } from '../../rig/context.ts';
import { cpuOf, microsEach, usageOf } from '../../rig/processes.ts';
import { call } from '../../rig/traffic/calls.ts';
import { stuffed } from '../smtp/raw-blast.ts';
import { bareLane } from './bare-lane.ts';
import { freezeEnd, historyLength, type Installation, requireAllOnce } from './installation.ts';

export interface Measured {
  recipients: number;
  /** From the POST to the last 250. */
  seconds: number;
  /** From the POST until the audience is written down. */
  freezeSeconds: number;
  /** From the first to the last 250. */
  sendingSeconds: number;
  /** The same bytes at the same sink, a second: as many processes and connections, nothing but SMTP. */
  blast: number;
  /** The same from one process with a ledger, a second. */
  bare: number;
  bytes: number;
  /** CPU for each recipient, from the POST to the last 250. */
  micros: Micros;
  /** Of these, until the audience is written down. */
  freezeMicros: Micros;
  /** Highest so far, of each process of ours. */
  peakMb: { api: number; background: number; sender: number };
  history: number;
}

type Micros = Record<Kind, number>;
type Kind = (typeof KINDS)[number];
export const KINDS = ['senders', 'mongod', 'background', 'sink'] as const;

/** Paragraphs of its HTML: mails of 8.9 kB and of 2.6 kB. */
export const PARAGRAPHS = { large: 50, small: 8 };

const BLAST_MAX = 50_000;

interface CampaignSize {
  listId: string;
  recipients: number;
  signing?: 'relay' | 'own';
  paragraphs?: number;
}

/** One campaign; the callback may disturb it while it is sent. Throws when a recipient did not get it or got it twice. */
export async function measureCampaign(
  installation: Installation,
  { listId, recipients, signing = 'relay', paragraphs = PARAGRAPHS.large }: CampaignSize,
  meanwhile: (id: string) => Promise<void> = async () => undefined,
): Promise<Measured> {
  const { drill, relay, children, mongodPid } = installation;
  await drill.deps.db.domains.updateMany({ projectId: drill.project._id }, { $set: { dkimSigning: signing } });
  await relay.reset();
  const before = used();
  const began = performance.now();
  const id = await launch(installation, { listId, paragraphs });
  const frozen = freezeEnd(drill, id).then((at) => ({ at, used: used() }));
  const disturbed = meanwhile(id);
  const { seconds: sendingSeconds, duplicates } = await relay.wait(recipients);
  const seconds = (performance.now() - began) / 1_000;
  const after = used();
  await disturbed;
  await requireAllOnce(drill, id, recipients, duplicates);
  const raw = await relay.sample();
  const written = await frozen;
  const each = (until: typeof before) =>
    Object.fromEntries(KINDS.map((kind) => [kind, microsEach(before[kind], until[kind], recipients)])) as Micros;
  return {
    recipients,
    seconds,
    freezeSeconds: (written.at - began) / 1_000,
    sendingSeconds,
    ...(await ceilings(installation, raw, recipients)),
    bytes: raw.length,
    micros: each(after),
    freezeMicros: each(written.used),
    peakMb: { api: peak(children.api), background: peak(children.background), sender: peak(...children.senders) },
    history: await historyLength(drill, id),
  };

  function peak(...some: { pid: number }[]): number {
    return Math.max(...some.map(({ pid }) => usageOf(pid).peakMb));
  }

  function used() {
    return {
      sink: usageOf(relay.pid),
      senders: cpuOf(children.senders.map(({ pid }) => pid)),
      background: usageOf(children.background.pid),
      mongod: usageOf(mongodPid),
    };
  }
}

interface Launched {
  listId: string;
  paragraphs?: number;
  sendRatePerSecond?: number;
  /** Else it is sent now. */
  localTime?: object;
  sendNow?: undefined;
  htmlTemplate?: string;
  inlinePictures?: boolean;
}

/** HTML with a variable, a tracked link and a pixel. */
export async function launch(
  { drill, url }: Pick<Installation, 'drill' | 'url'>,
  { listId, paragraphs = PARAGRAPHS.large, ...fields }: Launched,
): Promise<string> {
  const paragraph = '<p>Hello, this is a newsletter paragraph with some text in it to fill.</p>\n';
  const { data } = await call(drill, `${url}/campaigns`, {
    name: 'Bench',
    subject: 'Hello {{firstName}}',
    htmlTemplate: `<html><body><p>Hi {{firstName}}</p>${paragraph.repeat(paragraphs)}<p><a href="https://shop.example.com/sale">Sale</a></p></body></html>`,
    from: { email: SENDER, name: 'Bench' },
    toLists: [listId],
    trackingClick: true,
    trackingOpen: true,
    publish: true,
    sendNow: true,
    ...fields,
  });
  return data.id as string;
}

async function ceilings({ drill, relay, connections, blasters }: Installation, raw: string, recipients: number) {
  const text = stuffed(raw);
  const count = Math.min(recipients, BLAST_MAX);
  await relay.reset();
  const perSecond = await blasters.run(relay.port, count, text);
  await relay.reset();
  return { blast: perSecond, bare: await bareLane(drill.deps, relay.port, connections, count, text) };
}
