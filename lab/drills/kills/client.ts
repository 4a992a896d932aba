import { Everpost, type EverpostError } from '../../../client/index.ts';
import { openDrill, SENDER } from '../../rig/context.ts';
import { broken, check, type Findings, tell } from '../../rig/facts/check.ts';
import { readFacts } from '../../rig/facts/facts.ts';
import { type HttpFault, startHttpProxy } from '../../rig/faults/http-proxy.ts';
import { type Verdict, verdict } from '../../rig/results/drill-results.ts';
import { inLanes, pause } from '../../rig/waiting.ts';
import type { Drill } from '../drill.ts';
import { drain } from './worker-kill.ts';

interface ClientSends {
  mails: number;
  /** kill -9 of the API while the mails are sent. */
  kills: number;
  /** By which requests meet faults. */
  random?: () => number;
}

interface ClientTally extends Pick<ClientSends, 'mails' | 'kills'> {
  found: Findings;
  /** Calls that failed for good, by their codes. */
  failed: Map<string, number>;
  /** emailIds that more than one call got. */
  shared: number;
  /** Repeats by the code of what failed before. */
  repeats: Map<string, number>;
  faults: Map<HttpFault['kind'] | 'delay', number>;
  seconds: number;
}

const CALLERS = 50;
const TIMEOUT_MS = 4_000;
/** One of each kind in so many requests: together every sixth one fails. */
const ONE_IN: [HttpFault['kind'], number][] = [
  ['drop', 25],
  ['loseAnswer', 25],
  ['cutAnswer', 50],
  ['refuse', 16],
];
const DELAYED_ONE_IN = 10;
const DELAY_MS_MAX = 200;
/** Longer than a try may take. */
const HANGS_ONE_IN = 1_000;

/** Mails sent by the client through a proxy that drops, delays and answers 503: each call resolves, and each mail leaves once. */
export async function clientSends(
  env: NodeJS.ProcessEnv,
  { mails, kills, random = Math.random }: ClientSends,
): Promise<ClientTally> {
  const context = await openDrill(env, { ackMs: 0 });
  const faults: ClientTally['faults'] = new Map();
  let api = await context.startApi();
  const proxy = await startHttpProxy(
    () => new URL(api.url).origin,
    () => randomFault(faults, random),
  );
  try {
    const repeats = new Map<string, number>();
    const failed = new Map<string, number>();
    const client = new Everpost({
      ...{ apiKey: context.key, baseUrl: proxy.url, timeoutMs: TIMEOUT_MS },
      onRetry: ({ error }) => count(repeats, nameOf(error)),
    });
    const ids: string[] = [];
    const began = performance.now();
    const sending = inLanes(CALLERS, mails, async (index) => {
      const mail = {
        to: { email: `c${index}@in.test` },
        from: { email: SENDER },
        subject: `Mail ${index}`,
        text: 'Once.',
      };
      const { data, error } = await client.safe.mails.send(mail);
      if (data) ids.push(data.emailId);
      else count(failed, nameOf(error));
    });
    for (let kill = 1; kill <= kills; kill += 1) {
      while (ids.length < (mails * kill) / (kills + 1)) await pause(5);
      api.child.kill('SIGKILL');
      await api.child.exited;
      api = await context.startApi();
    }
    await sending;
    const seconds = Math.round((performance.now() - began) / 1_000);
    await drain(context, mails);
    const found = check(await readFacts(context, { acknowledged: ids }));
    return { mails, kills, found, failed, shared: ids.length - new Set(ids).size, repeats, faults, seconds };
  } finally {
    await proxy.stop();
    await context.close();
  }
}

function randomFault(faults: ClientTally['faults'], random: () => number): HttpFault {
  const one = (among: number) => random() < 1 / among;
  const kind = ONE_IN.find(([, among]) => one(among))?.[0] ?? 'none';
  const delayMs = one(HANGS_ONE_IN) ? 2 * TIMEOUT_MS : one(DELAYED_ONE_IN) ? random() * DELAY_MS_MAX : 0;
  if (kind !== 'none') count(faults, kind);
  if (delayMs > 0) count(faults, 'delay');
  return { kind, delayMs };
}

export function judgeClient({ mails, kills, found, failed, shared, repeats, faults, seconds }: ClientTally): Verdict {
  const twice = found.mails - mails;
  const faulty = [
    ...broken(found),
    ...(twice > 0 ? [`${twice} mails queued twice`] : []),
    ...(twice < 0 ? [`${-twice} mails not queued`] : []),
    ...(shared > 0 ? [`${shared} calls with the emailId of another`] : []),
    ...(failed.size > 0 ? [`calls failed: ${listed(failed)}`] : []),
    ...(sum(repeats) === 0 ? ['no call was repeated'] : []),
  ];
  return verdict(faulty, [
    `${mails} sends in ${seconds} s through a proxy (${listed(faults)})${kills > 0 ? `, the API killed ${kills} times` : ''}`,
    tell(found),
    `queued twice ${Math.max(0, twice)}`,
    `calls repeated ${sum(repeats)} (${listed(repeats)})`,
  ]);
}

function nameOf({ code, status }: EverpostError): string {
  return code ?? String(status);
}

function count<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function sum(counts: Map<unknown, number>): number {
  return [...counts.values()].reduce((total, each) => total + each, 0);
}

function listed(counts: Map<string, number>): string {
  return [...counts].map(([name, each]) => `${name} ${each}`).join(', ');
}

const MAILS = 10_000;
const KILLS = 10;

export const clientDrill: Drill = {
  does: `${MAILS} mails sent by the client through a proxy that drops, delays and answers 503; the same while the API is killed ${KILLS} times`,
  async *run(env) {
    yield judgeClient(await clientSends(env, { mails: MAILS, kills: 0 }));
    yield judgeClient(await clientSends(env, { mails: MAILS, kills: KILLS }));
  },
};
