import { audienceMidway, judgeMidway } from './campaigns/audience-midway.ts';
import { campaignDrills } from './campaigns/campaign-verdicts.ts';
import { earlyReturnsDrill } from './campaigns/early-returns.ts';
import { fairnessDrill } from './campaigns/fairness.ts';
import { judgeStarts, temporalStarts } from './campaigns/temporal-starts.ts';
import { variantsDrill } from './campaigns/variants.ts';
import { judgeLater, later } from './clocks/later.ts';
import { clockSkew, judgeSkew } from './clocks/skew.ts';
import type { Drill } from './drill.ts';
import { installation } from './installation/installation.ts';
import { judgeInstallation } from './installation/verdict.ts';
import { apiKill } from './kills/api-kill.ts';
import { automationDrill } from './kills/automations.ts';
import { clientDrill } from './kills/client.ts';
import { faultPoints } from './kills/fault-points.ts';
import { migrationDrill } from './kills/migrations.ts';
import { judgeRaces, races } from './kills/races.ts';
import { judgeRolling, rolling } from './kills/rolling.ts';
import { submissionDrill } from './kills/submission.ts';
import { judgeBoth, workerKill, workerStop } from './kills/worker-kill.ts';
import { composeBusy, judgeBusy } from './limits/compose-busy.ts';
import { fuzzDrill } from './limits/fuzz.ts';
import { hostileBytes, judgeHostile } from './limits/hostile-bytes.ts';
import { judgeMemory, memory } from './limits/memory.ts';
import { chosenBy, mutationDrill } from './mutations/drill.ts';
import { mutations } from './mutations/mutations.ts';
import { diskFull, judgeMedia, mediaFull } from './outages/disk-full.ts';
import { outageDrills } from './outages/outage-drills.ts';
import { judgeOutage } from './outages/outages.ts';
import { judgeRestore, restore } from './outages/restore.ts';
import { judgeSoak, soak } from './outages/soak.ts';
import { relayDrills } from './relays/relay-drills.ts';
import { bothWays } from './with-and-without-evidence.ts';

const MAILS = 10_000;
const KILLS = 20;
const CONNECTIONS = 20;
const SOAK_MINUTES = 30;
const INSTALLATION_MINUTES = 10;
const FUZZ_CASES = 100_000;

/** Each drill says which fault it causes, and which effects the fault must not have. Full size; the suite runs the same with smaller figures. */
export const drills: Record<string, Drill> = {
  ...campaignDrills,
  ...outageDrills,
  ...relayDrills,
  rolling: {
    does: 'SIGTERM of an API and of a worker every 6 s, with new ones in their places, under traffic',
    async *run(env) {
      const mix = { mails: 50, bulks: 2, contacts: 30, events: 3 };
      yield judgeRolling(await rolling(env, { mix, rounds: 6, everyMs: 6_000 }));
    },
  },
  'temporal-starts': {
    does: 'campaigns published while Temporal is down: all begin within 30 s of its return, once each',
    async *run() {
      yield judgeStarts(await temporalStarts({ campaigns: 20, recipients: 50, downMs: 15_000 }));
    },
  },
  races: {
    does: '20 keys 200 times at once, 10,000 upserts of one address, 200 cold addresses 50 times, 50 calls that add the same 500 people, eight workers',
    alone: true,
    async *run(env) {
      const sizes = { keys: 20, each: 200, upserts: 10_000, addresses: 200, adds: 50, workers: 8, mails: 3_000 };
      yield judgeRaces(await races(env, sizes));
    },
  },
  restore: {
    does: 'a backup of the database is made while 4,000 mails drain, and restored later',
    async *run() {
      for (const { tally } of await bothWays({ mails: 2_000 }, restore)) yield judgeRestore(tally);
    },
  },
  'early-returns': {
    does: 'bounces, complaints, opens and unsubscribes for mails of a sender that is stopped before it wrote their rows',
    run: earlyReturnsDrill,
  },
  'fault-points': {
    does: 'a sender, a settler or the freeze is killed or stopped between two steps of its work, beside two and eight senders',
    alone: true,
    run: faultPoints,
  },
  fairness: fairnessDrill,
  variants: variantsDrill,
  'audience-midway': {
    does: 'people suppressed and deleted in the middle of a campaign: nobody is written to after the answer',
    async *run(env) {
      yield judgeMidway(await audienceMidway(env, { recipients: 4_000, share: 0.1 }));
    },
  },
  later: {
    does: '10,000 mails are due over an hour, and are cancelled and moved while two workers claim them: none is both sent and cancelled',
    async *run(env) {
      yield judgeLater(await later(env, { mails: 9_000, bulks: 10, asked: 60 }));
    },
  },
  client: clientDrill,
  submission: submissionDrill,
  'clock-skew': {
    does: 'a worker one hour fast that is then set back by two, another ten minutes slow: mails, waits and webhooks',
    async *run(env) {
      yield judgeSkew(await clockSkew(env, { mails: 2_000, people: 20 }));
    },
  },
  fuzz: {
    does: '100,000 inputs for everything that reads bytes from outside: no crash, no event loop held for 50 ms, no effect on another project',
    alone: true,
    byNameOnly: true,
    run: (env) => fuzzDrill(env, FUZZ_CASES),
  },
  mutations: {
    does: 'one-line mutations of production code, each against the tests that must notice it; --only text tries those with the text in their name or file',
    alone: true,
    byNameOnly: true,
    run: (env) => mutationDrill(chosenBy(env.DRILL_ONLY, mutations), env),
  },
  'compose-busy': {
    does: '10,000 ordinary mails are composed beside processes that burn every core: none fails for want of time',
    alone: true,
    async *run(env) {
      yield judgeBusy(await composeBusy(env, { mails: 10_000 }));
    },
  },
  'disk-full': {
    does: 'mongod on a disk of 450 MB that fills up and has room again; images on one of 2 MB',
    async *run() {
      const [tally, media] = [await diskFull({ mails: 40, bulks: 2, contacts: 40 }), await mediaFull()];
      if (!tally || !media) yield { kept: true, says: 'not run: nothing can be mounted here' };
      else yield* [judgeOutage('disk full', tally, { isStalled: true }), judgeMedia(media)];
    },
  },
  memory: {
    does: 'one attachment of 20 MB to 100 people and 20 such mails at once, under the memory limits of docker-compose.yml',
    alone: true,
    async *run() {
      if (process.platform !== 'linux') yield { kept: true, says: 'not run: only Linux tells the highest memory' };
      else yield judgeMemory(await memory({ recipients: 100, bodies: 20, attachmentBytes: 20_000_000 }));
    },
  },
  'hostile-bytes': {
    does: '200 hostile mails, letters and previews of 1 MB, then of 8 MB, then twelve of 24 MB, each from a client of its own, under the memory limits of docker-compose.yml',
    alone: true,
    async *run(env) {
      if (process.platform !== 'linux') yield { kept: true, says: 'not run: only Linux tells the highest memory' };
      else
        for (const [arrivals, bytes] of [
          [200, 1_000_000],
          [200, 8_000_000],
          [12, 24_000_000],
        ] as const)
          yield judgeHostile(await hostileBytes(env, { arrivals, bytes }));
    },
  },
  installation: {
    does: 'for ten minutes (--minutes N for others) every sort of traffic of three projects on three members of MongoDB, four APIs and eight workers, with one kill after the other',
    alone: true,
    byNameOnly: true,
    async *run(env) {
      yield* judgeInstallation(await installation({ minutes: Number(env.DRILL_MINUTES ?? INSTALLATION_MINUTES) }));
    },
  },
  soak: {
    does: 'for 30 minutes (--minutes N for others) 50 messages a second of every sort, and a kill every 30 s',
    byNameOnly: true,
    async *run(env) {
      yield judgeSoak(await soak({ minutes: Number(env.DRILL_MINUTES ?? SOAK_MINUTES) }));
    },
  },
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
