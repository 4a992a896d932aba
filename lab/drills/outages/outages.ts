import type { Child } from '../../../stack/processes/child.ts';
import type { Server } from '../../../stack/servers/server.ts';
import { type DrillContext, withDrill } from '../../rig/context.ts';
import { type Allowed, tell } from '../../rig/facts/check.ts';
import { untilSettled } from '../../rig/facts/settled.ts';
import { type Cable, type NetworkFaults, noFaults } from '../../rig/faults/proxy.ts';
import { quantile } from '../../rig/processes.ts';
import { type Verdict, verdict } from '../../rig/results/drill-results.ts';
import type { SinkClient, Stoppable } from '../../rig/sink.ts';
import { type Calls, tellCalls } from '../../rig/traffic/calls.ts';
import { brokenPromises, type Promises } from '../../rig/traffic/promises.ts';
import type { Mix } from '../../rig/traffic/requests.ts';
import { startTraffic } from '../../rig/traffic/traffic.ts';
import { between, pause, until } from '../../rig/waiting.ts';

export interface Outage {
  mix: Mix;
  /** Each strikes, lasts and is mended, with some undisturbed time in between. */
  faults: readonly Fault[];
  quietMs: number;
  /** Times of answers count from then on: processes that have just started need some seconds until they are as fast as they will be. */
  warmMs?: number;
  env?: Record<string, string>;
  /** The relay may be asked what it has. */
  evidence?: boolean;
  relay?: () => Promise<SinkClient & Stoppable>;
}

export interface Fault {
  lastsMs: number;
  strike(context: DrillContext): Promise<unknown>;
  mend(context: DrillContext): Promise<unknown>;
}

/** A signal to a server, and its return. */
export function hit(server: Server | null, signal: 'SIGKILL' | 'SIGSTOP', lastsMs: number): Fault {
  const mend = async () => (signal === 'SIGKILL' ? server?.start() : server?.kill('SIGCONT'));
  return { lastsMs, strike: async () => server?.kill(signal), mend };
}

/** Faults of a network; connections are cut when they are over. */
export function disturb(proxy: Cable, faults: Partial<NetworkFaults>, lastsMs: number): Fault {
  return {
    lastsMs,
    strike: async () => proxy.set(faults),
    async mend() {
      proxy.set(noFaults());
      proxy.cut();
    },
  };
}

export interface OutageTally {
  faults: number;
  promises: Promises;
  calls: Calls;
  /** Processes of ours that ended by themselves. */
  exits: string[];
  /** From the end of a fault to the next 2xx. */
  slowestReturnMs: number;
}

interface OutageRules {
  allowed?: Allowed;
  /** True when the server hangs: that is noticed later than a server that is gone. */
  isStalled?: boolean;
  /** false: in the suite, whose machine may be as busy as it likes. */
  isTimed?: boolean;
  /** And not one 503. */
  p99MsMax?: number;
}

const SLOWEST_REFUSAL_MS = 6_000;
const SLOWEST_STALLED_MS = 12_000;
const SLOWEST_RETURN_MS = 10_000;
const CONNECTIONS = 10;

/** One API and two workers under traffic, while something that they need goes away and comes back. They all must stay. */
export function outage(env: NodeJS.ProcessEnv, options: Outage): Promise<OutageTally> {
  const { mix, faults, quietMs, relay, warmMs = 0 } = options;
  return withDrill(env, { ackMs: 5, relay }, async (context) => {
    const settings = {
      ...options.env,
      SMTP_MAX_CONNECTIONS: String(CONNECTIONS),
      ...(options.evidence ? { SMTP_EVIDENCE_URL: context.sink.evidenceUrl } : {}),
    };
    const { child, url } = await context.startApi(options.env);
    const workers = await Promise.all([
      context.startWorker({ ...settings, WORKER_LANES: mix.events ? 'workflows,background,mail' : 'mail' }),
      context.startWorker(settings),
    ]);
    const exits = watchExits({ api: child, 'first worker': workers[0], 'second worker': workers[1] });
    const traffic = await startTraffic(context, () => [url], mix);
    let slowestReturnMs = 0;
    await pause(warmMs);
    if (warmMs > 0) traffic.calls.durations.splice(0);
    for (const fault of faults) {
      await pause(between(quietMs / 2, quietMs));
      await fault.strike(context);
      await pause(fault.lastsMs);
      await fault.mend(context);
      const mendedAt = performance.now();
      await until('an answer with 2xx', async () => traffic.calls.lastAnswerAt > mendedAt);
      slowestReturnMs = Math.max(slowestReturnMs, traffic.calls.lastAnswerAt - mendedAt);
    }
    await pause(quietMs / 2);
    await traffic.stop();
    await untilSettled(context);
    const promises = await traffic.verify();
    return { faults: faults.length, promises, calls: traffic.calls, exits: [...exits], slowestReturnMs };
  });
}

/** Nothing promised is lost, no process ends, and callers get a quick 503 instead of waiting. */
export function judgeOutage(
  name: string,
  { faults, promises, calls, exits, slowestReturnMs }: OutageTally,
  { allowed = {}, isStalled = false, isTimed = true, p99MsMax }: OutageRules = {},
): Verdict {
  const refusalMsMax = isStalled ? SLOWEST_STALLED_MS : SLOWEST_REFUSAL_MS;
  const p99Ms = quantile(calls.durations, 0.99);
  const faulty = [
    ...brokenPromises(promises, calls, allowed),
    ...exits,
    ...(isTimed && calls.hung > 0 ? [`${calls.hung} requests not answered in 20 s`] : []),
    ...(isTimed && calls.slowestRefusalMs > refusalMsMax ? ['a 503 came late'] : []),
    ...(isTimed && slowestReturnMs > SLOWEST_RETURN_MS ? ['it came back late'] : []),
    ...(p99MsMax !== undefined && p99Ms > p99MsMax ? ['p99 is too long'] : []),
    ...(p99MsMax !== undefined && calls.unavailable > 0 ? [`${calls.unavailable} answers 503`] : []),
  ];
  const { found, contacts, events } = promises;
  const inSeconds = (ms: number) => (ms / 1_000).toFixed(1);
  return verdict(faulty, [
    `${name}: ${found.mails} mails, ${contacts} contacts, ${events} events, ${faults} faults`,
    tell(found),
    tellCalls(calls),
    calls.slowestRefusalMs > 0 ? `slowest 503 ${inSeconds(calls.slowestRefusalMs)} s` : `p99 ${p99Ms.toFixed(0)} ms`,
    `2xx at most ${inSeconds(slowestReturnMs)} s after the return`,
  ]);
}

/** Collects the processes that ended without being stopped; read it before the drill stops them. */
export function watchExits(children: Record<string, Child>): Set<string> {
  const exits = new Set<string>();
  for (const [name, child] of Object.entries(children))
    void child.exited.then((how) => exits.add(`the ${name} ended (${how})`));
  return exits;
}
