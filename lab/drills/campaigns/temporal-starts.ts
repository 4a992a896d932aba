import { withDrill } from '../../rig/context.ts';
import { broken, check, type Findings, tell } from '../../rig/facts/check.ts';
import { readFacts } from '../../rig/facts/facts.ts';
import { untilSettled } from '../../rig/facts/settled.ts';
import { type Verdict, verdict } from '../../rig/results/drill-results.ts';
import { withServers } from '../../rig/servers.ts';
import { brokenCalls, type Calls, noCalls, post, tellCalls } from '../../rig/traffic/calls.ts';
import { campaignTo, makeList } from '../../rig/traffic/people.ts';
import { atOnce, pause, until } from '../../rig/waiting.ts';

export interface StartsTally {
  campaigns: number;
  recipients: number;
  found: Findings;
  calls: Calls;
  /** Campaigns that had begun while Temporal was away. */
  early: number;
  slowestStartMs: number;
}

const START_MS_MAX = 30_000;

/** Campaigns are published while there is no Temporal: each request is answered, and each starts once when it is back. */
export function temporalStarts(drill: { campaigns: number; recipients: number; downMs: number }): Promise<StartsTally> {
  const { campaigns, recipients, downMs } = drill;
  return withServers(({ temporal }, env) =>
    withDrill(env, { ackMs: 5 }, async (context) => {
      const calls = noCalls();
      const { db } = context.deps;
      const projectId = context.project._id;
      const api = await context.startApi();
      await context.startWorker({ WORKER_LANES: 'workflows,background,campaign' });
      const lists = await atOnce(campaigns, (index) => makeList(context, `l${index}x`, recipients));
      await temporal?.kill('SIGKILL');
      const line = { key: context.key, urls: () => [api.url] };
      await Promise.all(lists.map(({ listId }) => post(line, calls, '/campaigns', campaignTo(listId), 30_000)));
      await pause(downMs);
      const early = await db.campaigns.countDocuments({ projectId, 'freeze.isDone': true });
      await temporal?.start();
      const back = performance.now();
      await until('every campaign has begun', async () => {
        return (await db.campaigns.countDocuments({ projectId, 'freeze.isDone': true })) === campaigns;
      });
      const slowestStartMs = performance.now() - back;
      await untilSettled(context);
      const found = check(await readFacts(context));
      return { campaigns, recipients, found, calls, early, slowestStartMs };
    }),
  );
}

export function judgeStarts({ campaigns, recipients, found, calls, early, slowestStartMs }: StartsTally): Verdict {
  const faulty = [
    ...broken(found),
    ...brokenCalls(calls),
    ...(calls.unavailable > 0 ? [`${calls.unavailable} answers 503`] : []),
    ...(found.sent === campaigns * recipients ? [] : [`${found.sent} mails instead of ${campaigns * recipients}`]),
    ...(early > 0 ? ['Temporal was not away'] : []),
    ...(slowestStartMs > START_MS_MAX ? ['it started late'] : []),
  ];
  return verdict(faulty, [
    `${campaigns} campaigns of ${recipients} published without Temporal, all begun ${(slowestStartMs / 1_000).toFixed(1)} s after its return`,
    tell(found),
    tellCalls(calls),
  ]);
}
