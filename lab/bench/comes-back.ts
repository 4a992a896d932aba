import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import type { Message } from '../../core/mail/ledger/model.ts';
import { anyFreePort } from '../../stack/ports.ts';
import { startDnsStandIn } from '../../test/support/mail/dns-stand-in.ts';
import { type DrillContext, openDrill } from '../rig/context.ts';
import { microsEach, quantile, usageOf } from '../rig/processes.ts';
import { type Figure, figure } from '../rig/results/report.ts';
import { pause } from '../rig/waiting.ts';
import { letters, MAIL_BYTES, MAIL_FROM, MAIL_TO } from './comes-back/mails.ts';
import { ask, trackedPaths } from './comes-back/requests.ts';
import { chosen, inRounds, keep, rateOf } from './run.ts';
import { blast } from './smtp/raw-blast.ts';

/**
 * Pixels and clicks at 2,000 a second and as fast as they are answered, recounted, and the same at a bare HTTP server; inbound letters of 20 kB,
 * signed, and the same at an SMTP server that drops them. Names among the arguments choose: tracking, inbound.
 */
const ROUNDS = 3;
const SECONDS = 10;
const MAILS = 2_000;
const RATE = 2_000;
const FLAT_OUT_SECONDS = 4;
const MAIL_CONNECTIONS = 16;
const WRITTEN_MS = 20_000;
/** Flat: what the collector has not come to, and no more. */
const GROWTH_MAX_MB = 20;

const bare = fork(join(import.meta.dirname, 'comes-back/bare.ts'));
const [{ httpPort, smtpPort }] = (await once(bare, 'message')) as [{ httpPort: number; smtpPort: number }];
for (const [, part] of chosen({ tracking, inbound })) keep('comes-back', await part());
process.exit(0);

async function tracking(): Promise<Figure[]> {
  const drill = await openDrill(process.env);
  const { url, child } = await drill.startApi({ PUBLIC_RATE_LIMIT: '100000000' });
  const port = Number(new URL(url).port);
  const paths = await newPaths(drill, 1_000);
  let expected = (await ask(port, paths, { rate: 500, seconds: 3 })).answered;
  await written(drill, expected);
  const steady = { rate: RATE, seconds: SECONDS };
  const flatOut = { rate: null, seconds: FLAT_OUT_SECONDS };
  const found = await inRounds(ROUNDS, async () => {
    const bareP99 = quantile((await ask(httpPort, paths, steady)).delaysMs, 0.99);
    const barePace = (await ask(httpPort, paths, flatOut)).perSecond;
    // Nothing is opened or clicked twice: each is written as news.
    const fresh = await newPaths(drill, (RATE * SECONDS) / 2);
    const before = usageOf(child.pid);
    const asked = await ask(port, fresh, steady);
    expected += asked.answered;
    const counted = await written(drill, expected);
    const lost = RATE * SECONDS - asked.answered + (expected - counted);
    const micros = microsEach(before, usageOf(child.pid), asked.answered);
    const p99 = quantile(asked.delaysMs, 0.99);
    const pace = (await ask(port, paths, flatOut)).perSecond;
    expected = await settled(drill);
    return { bareP99, barePace, lost, micros, p99, pace };
  });
  await drill.close();
  const ceiling = (name: string, of: number[]) => ({ name, values: of });
  return [
    figure(`Pixels and clicks at ${RATE} a second: p99 from when each was due`, 'ms', found.p99, {
      ceiling: ceiling('a bare HTTP server', found.bareP99),
      asked: { atMost: 50 },
    }),
    figure(`Pixels and clicks at ${RATE} a second: not counted afterwards`, '', found.lost, {
      asked: { atMost: 0 },
      note: `of ${RATE * SECONDS} a round`,
    }),
    figure('Pixels and clicks, as fast as they are answered at 64 connections', '/s', found.pace, {
      ceiling: ceiling('a bare HTTP server', found.barePace),
      asked: { atLeast: RATE },
    }),
    figure('CPU of the API for each pixel or click, with its writes', 'us', found.micros),
  ];
}

async function inbound(): Promise<Figure[]> {
  const drill = await openDrill(process.env);
  const { db } = drill.deps;
  const projectId = drill.project._id;
  await db.domains.updateMany({ projectId }, { $set: { inboundEnabledAt: new Date() } });
  const dns = await startDnsStandIn();
  const port = await anyFreePort();
  const worker = await drill.startWorker({
    WORKER_LANES: 'inbound',
    INBOUND_SMTP_PORT: String(port),
    DNS_SERVERS: dns.address,
  });
  const warm = 500;
  const letterAt = letters(dns, warm + ROUNDS * MAILS);
  const envelopeAt = () => ({ from: MAIL_FROM, to: MAIL_TO });
  const send = (to: number, from: number, count: number) =>
    rateOf(count, () => blast(to, MAIL_CONNECTIONS, count, (index) => letterAt(from + index), envelopeAt));
  await send(port, 0, warm);
  let sent = warm;
  const found = await inRounds(ROUNDS, async () => {
    const barePace = await send(smtpPort, 0, MAILS);
    const before = usageOf(worker.pid);
    const pace = await send(port, sent, MAILS);
    sent += MAILS;
    const after = usageOf(worker.pid);
    const missing = sent - (await db.inboundMessages.countDocuments({ projectId, dkimVerdict: 'PASS' }));
    return { barePace, pace, micros: microsEach(before, after, MAILS), resident: after.residentMb, missing };
  });
  const { resident } = found;
  const growth = resident.slice(1).map((now, round) => now - resident[round]!);
  const peak = usageOf(worker.pid).peakMb;
  await dns.stop();
  await drill.close();
  return [
    figure(`Inbound letters of ${MAIL_BYTES / 1_000} kB, signed, to their 250`, '/s', found.pace, {
      ceiling: { name: 'an SMTP server that drops them', values: found.barePace },
      asked: { atLeast: 200 },
    }),
    figure('Inbound letters taken and not stored with their signature as PASS', '', found.missing, {
      asked: { atMost: 0 },
    }),
    figure('CPU of the inbound process for each letter, its threads included', 'us', found.micros),
    figure('Resident memory of the inbound process at the end of a round', 'MB', resident, {
      note: `round by round ${resident.join(', ')}; at its highest ${peak}`,
    }),
    figure('Growth of that memory over a round of letters', 'MB', growth, { asked: { atMost: GROWTH_MAX_MB } }),
  ];
}

/** Of so many new messages. */
async function newPaths({ deps, project }: DrillContext, count: number): Promise<string[]> {
  const sentAt = new Date(Date.now() - 60_000);
  const messages = Array.from({ length: count }, (_, index): Message => {
    const email = `p${index}@example.com`;
    return { _id: new ObjectId(), projectId: project._id, lane: 'campaign', state: 'sent', email, sentAt };
  });
  await deps.db.messages.insertMany(messages);
  return trackedPaths(deps.config, messages, 'https://example.com/');
}

/** Looks until so many are counted, or for a while. */
async function written(drill: DrillContext, expected: number): Promise<number> {
  const until = performance.now() + WRITTEN_MS;
  for (;;) {
    const counted = await countOf(drill);
    if (counted >= expected || performance.now() > until) return counted;
    await pause(50);
  }
}

/** Until it does not change any more. */
async function settled(drill: DrillContext): Promise<number> {
  for (let before = -1; ; await pause(500)) {
    const counted = await countOf(drill);
    if (counted === before) return counted;
    before = counted;
  }
}

async function countOf({ deps, project }: DrillContext): Promise<number> {
  const counts = { opens: { $sum: '$openCount' }, clicks: { $sum: '$clickCount' } };
  const [sum] = await deps.db.engagements
    .aggregate<{ opens: number; clicks: number }>([
      { $match: { projectId: project._id } },
      { $group: { _id: null, ...counts } },
    ])
    .toArray();
  return (sum?.opens ?? 0) + (sum?.clicks ?? 0);
}
