import type { Verdict } from '../rig/results/drill-results.ts';
import { campaignDrills } from './campaigns/campaign-verdicts.ts';
import type { Drill } from './drill.ts';
import { apiKill } from './kills/api-kill.ts';
import { automationDrill } from './kills/automations.ts';
import { migrationDrill } from './kills/migrations.ts';
import { type Kind, type Tally, type WorkerKill, workerKill } from './kills/worker-kill.ts';
import { workerStop } from './kills/worker-stop.ts';
import { outageDrills } from './outages/outage-drills.ts';
import { moreDrills } from './registry.ts';
import { relayDrills } from './relays/relay-drills.ts';
import { bothWays } from './with-and-without-evidence.ts';

const MAILS = 10_000;
const KILLS = 20;
const CONNECTIONS = 20;

/** Each drill says which fault it causes, and which effects the fault must not have. Full size; the suite runs the same with smaller figures. */
export const drills: Record<string, Drill> = {
  ...campaignDrills,
  ...outageDrills,
  ...relayDrills,
  ...moreDrills,
  'automation-outage': {
    does: 'kill -9 of Temporal for two minutes while 500 events start automations',
    run: automationDrill,
  },
  'migration-kill': {
    does: 'kill -9 of the worker in each phase of a migration from each provider',
    run: migrationDrill,
  },
  'worker-kill': {
    does: `kill -9 of the worker ${KILLS} times while ${MAILS} mails of each lane drain, each 0.4 to 1 s after it is up`,
    async *run(env) {
      const shared = { mails: MAILS, kills: KILLS, connections: CONNECTIONS, ackMs: 20 };
      for (const { drill, tally } of await bothWays(shared, (one) => workerKill(env, one)))
        yield* judgeBoth(drill, tally);
    },
  },
  'worker-stop': {
    does: 'SIGSTOP of a worker for 60 s, a second one takes over, SIGCONT',
    async *run(env) {
      const shared = { mails: 3_000, connections: CONNECTIONS, ackMs: 20, stoppedMs: 60_000 };
      for (const { drill, tally } of await bothWays(shared, (one) => workerStop(env, one)))
        yield* judgeBoth(drill, tally);
    },
  },
  'api-kill': {
    does: 'kill -9 of the API under 1,000 concurrent sends with idempotency keys, clients repeating',
    async *run(env) {
      const tally = await apiKill(env, { keys: 1_000, kills: 5 });
      const { keys, kills, mails, ambiguous, lost, duplicates, repeats } = tally;
      yield {
        kept: mails === keys && ambiguous + lost + duplicates === 0,
        says: `${keys} keys, ${kills} kills, ${repeats} requests repeated, ${mails} mails, keys with two emailIds ${ambiguous}, lost ${lost}, duplicates ${duplicates}`,
      };
    },
  },
};

export function judgeBoth(
  drill: Pick<WorkerKill, 'evidence' | 'connections'>,
  tallies: Record<Kind, Tally>,
): Verdict[] {
  return (['transactional', 'marketing'] as const).map((kind) => judgeKill({ ...drill, kind }, tallies[kind]));
}

/**
 * Nothing is lost. A repeat is at most one for each connection that was open, with the same Message-ID. Marketing mail is never
 * repeated, and unknown is at most one for each connection of a killed process: what it had not begun is in its dot journal.
 */
function judgeKill(drill: Pick<WorkerKill, 'evidence' | 'connections'> & { kind: Kind }, tally: Tally): Verdict {
  const { mails, kills, lost, duplicates, unknown, unknownAccepted, strangers } = tally;
  const { connectionsAtKills, inHandAtKills } = tally;
  const duplicatesMax = drill.kind === 'transactional' && !drill.evidence ? connectionsAtKills : 0;
  const unknownMax = drill.kind === 'marketing' && !drill.evidence ? kills * drill.connections : 0;
  const kept = lost === 0 && strangers === 0 && duplicates <= duplicatesMax && unknown <= unknownMax;
  const how = `${drill.kind}${drill.evidence ? ' with evidence' : ''}`;
  const listed = unknown > 0 ? ` (listed; ${unknownAccepted} of them with the relay)` : '';
  return {
    kept,
    says: `${how}: ${mails} sent, ${kills} kills with ${connectionsAtKills} connections open and ${inHandAtKills} of its mails in hand, lost ${lost}, duplicates ${duplicates}, unknown ${unknown}${listed}`,
  };
}
