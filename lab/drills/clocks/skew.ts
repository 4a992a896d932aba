import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openDrill, SENDER } from '../../rig/context.ts';
import { broken, check, type Findings, tell } from '../../rig/facts/check.ts';
import { readFacts } from '../../rig/facts/facts.ts';
import { untilSettled } from '../../rig/facts/settled.ts';
import { type Verdict, verdict } from '../../rig/results/drill-results.ts';
import { brokenCalls, type Calls, noCalls, post, tellCalls } from '../../rig/traffic/calls.ts';
import { until } from '../../rig/waiting.ts';
import { queueMails } from '../kills/worker-kill.ts';
import { startSkewReceiver, type WebhookWaits } from './skew-webhooks.ts';

export interface SkewTally {
  found: Findings;
  calls: Calls;
  people: number;
  /** Of the mails behind a wait of a minute: from the request to the relay. */
  shortestWaitMs: number;
  longestWaitMs: number;
  /** Mails whose dates lie in the future. */
  fromTheFuture: number;
  webhooks: WebhookWaits;
}

const HOUR_MS = 3_600_000;
const WAIT_MS = 60_000;
/** A wait may end late by as much as a busy machine needs, never early. */
const LATE_MS_MAX = 45_000;
const preload = pathToFileURL(join(import.meta.dirname, '../../rig/faults/skewed-clock.mjs')).href;

function skewed(skewMs: number, step?: { ms: number; afterMs: number }): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${preload}`,
    DRILL_SKEW_MS: String(skewMs),
    ...(step ? { DRILL_SKEW_STEP_MS: String(step.ms), DRILL_SKEW_STEP_AFTER_MS: String(step.afterMs) } : {}),
  };
}

/**
 * One worker an hour fast that is then set back two, another ten minutes slow: mails, people who wait a minute, and webhooks whose
 * endpoint refuses every event twice.
 */
export async function clockSkew(
  env: NodeJS.ProcessEnv,
  { mails, people }: { mails: number; people: number },
): Promise<SkewTally> {
  const context = await openDrill(env, { ackMs: 20 });
  const { deps, project } = context;
  const calls = noCalls();
  const endpoint = await startSkewReceiver();
  const allowed = { ALLOW_PRIVATE_URLS: endpoint.allowed };
  try {
    const api = await context.startApi(allowed);
    const line = { key: context.key, urls: () => [api.url] };
    const send = (path: string, body: object) => post(line, calls, path, body);
    const lanes = { ...allowed, WORKER_LANES: 'workflows,background,mail', SMTP_MAX_CONNECTIONS: '10' };
    await send('/webhooks', { url: endpoint.url, events: ['contact.created'] });
    await send('/events', { eventName: 'waited' });
    await send('/automations', {
      ...{ name: 'Wait', active: true, entryCriteria: { type: 'event_trigger', eventName: 'waited' } },
      steps: [
        { type: 'wait', delay: { value: 1, unit: 'minutes' } },
        { type: 'email', email: { htmlTemplate: '<p>Now</p>', subject: 'Now', senderEmail: SENDER } },
      ],
    });
    await Promise.all([
      context.startWorker({ ...lanes, ...skewed(HOUR_MS, { ms: -2 * HOUR_MS, afterMs: 15_000 }) }),
      context.startWorker({ ...lanes, ...skewed(-HOUR_MS / 6) }),
    ]);
    const asked = new Map<string, number>();
    await Promise.all([
      queueMails(context, { mails: mails / 2, lane: 'transactional' }),
      queueMails(context, { mails: mails / 2, lane: 'marketing' }),
      ...Array.from({ length: people }, async (_, index) => {
        const email = `w${index}@in.test`;
        asked.set(email, Date.now());
        await send('/events/send', { eventName: 'waited', email });
      }),
    ]);
    await untilSettled(context);
    await until('every webhook is delivered', async () => endpoint.delivered() >= people).catch(() => undefined);
    const sent = await deps.db.messages.find({ projectId: project._id, automationId: { $exists: true } }).toArray();
    const waits = sent.map(({ email, sentAt }) => (sentAt?.getTime() ?? 0) - (asked.get(email) ?? 0));
    const later = { $gt: new Date(Date.now() + 1_000) };
    const fromTheFuture = await deps.db.messages.countDocuments({
      projectId: project._id,
      $or: [{ createdAt: later }, { sentAt: later }, { endedAt: later }, { claimedAt: later }],
    });
    return {
      found: check(await readFacts(context)),
      ...{ calls, people, fromTheFuture, webhooks: endpoint.waits() },
      shortestWaitMs: Math.min(...waits),
      longestWaitMs: Math.max(...waits),
    };
  } finally {
    await context.close();
    await endpoint.stop();
  }
}

export function judgeSkew(tally: SkewTally): Verdict {
  const { found, calls, people, shortestWaitMs, longestWaitMs, fromTheFuture, webhooks } = tally;
  const faulty = [
    ...broken(found),
    ...brokenCalls(calls),
    ...(shortestWaitMs < WAIT_MS ? ['a wait ended early'] : []),
    ...(longestWaitMs > WAIT_MS + LATE_MS_MAX ? ['a wait ended late'] : []),
    ...(fromTheFuture > 0 ? [`${fromTheFuture} mails with dates in the future`] : []),
    ...(webhooks.delivered < people ? [`${people - webhooks.delivered} webhooks not delivered`] : []),
    ...(webhooks.early + webhooks.late > 0 ? [`${webhooks.early} webhooks repeated early, ${webhooks.late} late`] : []),
    ...(webhooks.staleStamps > 0 ? [`${webhooks.staleStamps} webhooks with a wrong time`] : []),
  ];
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  return verdict(faulty, [
    `${found.mails} mails by workers 1 h fast, then 1 h slow, and 10 min slow; ${people} people waited ${seconds(shortestWaitMs)} to ${seconds(longestWaitMs)} s of 60`,
    `${webhooks.delivered} of ${people} webhooks delivered at their third try, ${webhooks.early} repeated early, ${webhooks.late} late`,
    tell(found),
    tellCalls(calls),
  ]);
}
