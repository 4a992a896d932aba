import type { Child } from '../../../stack/processes/child.ts';
import { type DrillContext, withDrill } from '../../rig/context.ts';
import { tell } from '../../rig/facts/check.ts';
import { untilSettled } from '../../rig/facts/settled.ts';
import { type Verdict, verdict } from '../../rig/results/drill-results.ts';
import { type Calls, tellCalls } from '../../rig/traffic/calls.ts';
import { brokenPromises, type Promises } from '../../rig/traffic/promises.ts';
import type { Mix } from '../../rig/traffic/requests.ts';
import { startTraffic } from '../../rig/traffic/traffic.ts';
import { pause } from '../../rig/waiting.ts';

export interface RollingTally {
  rounds: number;
  promises: Promises;
  calls: Calls;
  slowestExitMs: number;
}

const EXIT_MS_MAX = 15_000;
/** A connection that was kept open may be closed just as a request enters it: nothing was done, and the client repeats it. */
const CUTS_EACH_MAX = 2;
const LANES = 'workflows,background,campaign,mail';

/** Two APIs and two workers under traffic; with SIGTERM each makes room for a new one, in turn. */
export function rolling(
  env: NodeJS.ProcessEnv,
  { mix, rounds, everyMs }: { mix: Mix; rounds: number; everyMs: number },
): Promise<RollingTally> {
  return withDrill(env, { ackMs: 20 }, async (context) => {
    const apis = [await context.startAnotherApi(), await context.startAnotherApi()];
    const workers = [await newWorker(context), await newWorker(context)];
    const traffic = await startTraffic(context, () => apis.map(({ url }) => url), mix);
    let slowestExitMs = 0;
    const replace = async <T extends { child: Child }>(all: T[], place: number, make: () => Promise<T>) => {
      const old = all[place] as T;
      const began = performance.now();
      const stopped = old.child.stop(20_000).then(() => {
        slowestExitMs = Math.max(slowestExitMs, performance.now() - began);
      });
      all[place] = await make();
      await stopped;
    };
    for (let round = 0; round < rounds; round += 1) {
      await pause(everyMs);
      await Promise.all([
        replace(apis, round % 2, context.startAnotherApi),
        replace(workers, round % 2, () => newWorker(context)),
      ]);
    }
    await traffic.stop();
    await untilSettled(context);
    return { rounds, promises: await traffic.verify(), calls: traffic.calls, slowestExitMs };
  });
}

/** Nothing is even unknown: who is asked to go finishes what it has begun. */
export function judgeRolling({ rounds, promises, calls, slowestExitMs }: RollingTally): Verdict {
  const faulty = [
    ...brokenPromises(promises, calls),
    ...(slowestExitMs > EXIT_MS_MAX ? ['an exit took too long'] : []),
    ...(calls.cut > rounds * CUTS_EACH_MAX ? [`${calls.cut} requests were cut off`] : []),
  ];
  const { found, contacts, events } = promises;
  return verdict(faulty, [
    `${rounds} restarts of API and worker: ${found.mails} mails, ${contacts} contacts, ${events} events`,
    tell(found),
    tellCalls(calls),
    `slowest exit ${(slowestExitMs / 1_000).toFixed(1)} s`,
  ]);
}

async function newWorker(context: DrillContext): Promise<{ child: Child }> {
  return { child: await context.startWorker({ WORKER_LANES: LANES, SMTP_MAX_CONNECTIONS: '20' }) };
}
