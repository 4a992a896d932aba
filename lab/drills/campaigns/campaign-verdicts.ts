import type { Verdict } from '../../rig/results/drill-results.ts';
import type { Drill } from '../drill.ts';
import { bothWays } from '../with-and-without-evidence.ts';
import { campaignDecisions, type DecisionsTally } from './campaign-decisions.ts';
import { campaignKill, campaignRolling, campaignStop, campaignWorkers, serverKill } from './campaign-faults.ts';
import type { CampaignDrill, CampaignTally } from './campaigns.ts';
import { frequencyCap, judgeCap } from './frequency-cap.ts';
import { type LocalTimeTally, localTimeKill } from './local-time.ts';

const RECIPIENTS = 10_000;
const KILLS = 20;
/** As many as two cores send to in ten minutes, half of that being the processes that start again. */
const CAPPED_PEOPLE = 30_000;
const full = { recipients: RECIPIENTS, connections: 20, ackMs: 20, evidence: false };

/** No mail is lost or sent twice, the counts add up in every sample, and mail that may have arrived is listed as unknown. */
export function judgeCampaign(
  name: string,
  { connections, evidence }: Pick<CampaignDrill, 'connections' | 'evidence'>,
  tally: CampaignTally,
  unknownMax = evidence ? 0 : tally.faults * connections,
): Verdict {
  const { recipients, faults, status, lost, duplicates, strangers, unknown, unknownAccepted } = tally;
  const { samples, unbalanced, seconds } = tally;
  const kept =
    status === 'sent' && lost + duplicates + strangers + unbalanced === 0 && samples > 0 && unknown <= unknownMax;
  const listed = unknown > 0 ? ` (listed; ${unknownAccepted} of them with the relay)` : '';
  return {
    kept,
    says: `${name}: ${recipients} recipients, ${faults} faults, ${status} after ${seconds.toFixed(0)} s, lost ${lost}, duplicates ${duplicates}, unknown ${unknown}${listed}, ${samples} looks at the counts, ${unbalanced} wrong`,
  };
}

export const campaignDrills: Record<string, Drill> = {
  'campaign-kill': {
    does: `kill -9 of the worker ${KILLS} times during a campaign of ${RECIPIENTS}, each 0.4 to 1 s after it sends`,
    async *run(env: NodeJS.ProcessEnv) {
      const kill = { ...full, kills: KILLS };
      for (const { drill, tally } of await bothWays(kill, (one) => campaignKill(env, one)))
        yield judgeCampaign(drill.evidence ? 'with evidence' : 'without evidence', drill, tally);
    },
  },
  'frequency-cap': {
    does: 'two campaigns and an automation at once to 30,000 people (--size) with a cap of two, eight senders, 20 kills: each person gets two',
    alone: true,
    async *run(env: NodeJS.ProcessEnv) {
      const people = Number(env.DRILL_SIZE ?? CAPPED_PEOPLE);
      yield judgeCap(await frequencyCap(env, { people, senders: 8, kills: KILLS, connections: 64, ackMs: 20 }));
    },
  },
  'local-time': {
    does: 'kill -9 of the sender and of the API in the middle of each of five zones of 10,000 people (--size), and a pause over the moment of one',
    async *run(env: NodeJS.ProcessEnv) {
      const recipients = Number(env.DRILL_SIZE ?? RECIPIENTS);
      for (const { drill, tally } of await bothWays({ ...full, recipients, hurry: true }, (one) =>
        localTimeKill(env, one),
      ))
        yield judgeLocalTime(drill.evidence ? 'with evidence' : 'without evidence', drill, tally);
    },
  },
  'campaign-mongod': {
    does: 'kill -9 of mongod three times during a campaign, two senders',
    async *run() {
      yield judgeCampaign('mongod', full, await serverKill('mongodb', { ...full, kills: 3, downMs: 3_000 }));
    },
  },
  'campaign-temporal': {
    does: 'kill -9 of Temporal three times during a campaign, two senders',
    async *run() {
      const tally = await serverKill('temporal', { ...full, kills: 3, downMs: 3_000 });
      yield judgeCampaign('Temporal', full, tally, 0);
    },
  },
  'campaign-decisions': {
    does: 'suppressing 1,000 half-way, then pause or abort, with Temporal killed',
    async *run() {
      for (const decision of ['pause', 'abort'] as const)
        yield judgeDecisions(await campaignDecisions({ ...full, suppressed: 1_000, decision }));
    },
  },
  'campaign-relay': {
    does: 'a relay that drops one connection in fifty after the final dot, having the mail or not',
    async *run(env: NodeJS.ProcessEnv) {
      const dropping = await bothWays(full, (one) =>
        campaignWorkers(env, { ...one, workers: 2, email: one.evidence ? heardAfterAll : droppedAfterDot }),
      );
      for (const { drill, tally } of dropping) {
        const { evidence } = drill;
        const name = evidence ? 'drops, with evidence' : 'drops';
        const verdict = judgeCampaign(name, drill, tally, evidence ? 0 : RECIPIENTS / 50);
        const isExact = evidence || tally.unknown === RECIPIENTS / 50;
        yield { ...verdict, kept: verdict.kept && isExact };
      }
    },
  },
  'campaign-stop': {
    does: 'SIGSTOP of a sender for 60 s, a second one takes over, SIGCONT',
    async *run(env: NodeJS.ProcessEnv) {
      const drill = { ...full, recipients: 3_000 };
      yield judgeCampaign('SIGSTOP', drill, await campaignStop(env, { ...drill, stoppedMs: 60_000 }));
    },
  },
  'campaign-rolling': {
    does: 'SIGTERM of the sender every 6 s and a new one: nothing unknown, out within 15 s',
    async *run(env: NodeJS.ProcessEnv) {
      const drill = { ...full, recipients: 25_000, restarts: 5, everyMs: 6_000 };
      const tally = await campaignRolling(env, drill);
      const verdict = judgeCampaign('SIGTERM', drill, tally, 0);
      const says = `${verdict.says}, slowest exit ${(tally.slowestExitMs / 1_000).toFixed(1)} s`;
      yield { kept: verdict.kept && tally.slowestExitMs < 15_000, says };
    },
  },
  'campaign-workers': {
    does: 'one, two and eight senders on one campaign, the relay being the limit',
    async *run(env: NodeJS.ProcessEnv) {
      for (const workers of [1, 2, 8]) {
        const drill = { ...full, connections: 10, workers };
        const name = `${workers} ${workers === 1 ? 'sender' : 'senders'}`;
        yield judgeCampaign(name, drill, await campaignWorkers(env, drill), 0);
      }
    },
  },
};

export function judgeLocalTime(name: string, drill: CampaignDrill, tally: LocalTimeTally): Verdict {
  const { early, inPause, wrongZones, zones } = tally;
  const { kept, says } = judgeCampaign(name, drill, tally);
  return {
    kept: kept && early + inPause + wrongZones === 0,
    says: `${says}; ${zones} zones, ${early} early, ${inPause} in the pause, zones wrong at ${wrongZones} looks`,
  };
}

/** Mail that was not handed over before the abort stays pending, and does not count as lost. */
function judgeDecisions(tally: DecisionsTally): Verdict {
  const { decision, status, recipients, suppressed, claimedLate, settledMs, arrivedLate } = tally;
  const { duplicates, strangers, unknown, samples, unbalanced } = tally;
  const isOver = status === (decision === 'pause' ? 'sent' : 'aborted');
  const faults = claimedLate + arrivedLate + duplicates + strangers + unknown + unbalanced;
  return {
    kept: isOver && faults === 0 && samples > 0 && settledMs < 2_000,
    says: `${decision}: ${recipients} recipients, ${suppressed} suppressed half-way with ${claimedLate} claimed after the answer; answered after ${settledMs} ms, ${arrivedLate} left after it; ${status}, duplicates ${duplicates}, unknown ${unknown}, ${samples} looks at the counts, ${unbalanced} wrong`,
  };
}

/** One in fifty: the relay has it, and does not say so. */
function heardAfterAll(index: number): string {
  return index % 50 === 0 ? `drop-after-dot+${index}@in.test` : `p${index}@in.test`;
}

/** One in fifty: half of them are with the relay, half are not. */
function droppedAfterDot(index: number): string {
  if (index % 100 === 0) return `drop-after-dot+${index}@in.test`;
  return index % 100 === 50 ? `lose-after-dot+${index}@in.test` : `p${index}@in.test`;
}
