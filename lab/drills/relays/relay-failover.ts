import { type DrillRelay, startTwoRelays, type TwoRelays } from '../../rig/faults/two-relays.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import type { Mix } from '../../rig/traffic/requests.ts';
import { pause, until } from '../../rig/waiting.ts';
import { judgeCampaign } from '../campaigns/campaign-verdicts.ts';
import { type CampaignDrill, type CampaignTally, campaignUnderFire } from '../campaigns/campaigns.ts';
import { type Fault, judgeOutage, type OutageTally, outage } from '../outages/outages.ts';

/** Some connections are opened in this time, on a machine that is busy with everything else. */
const WITHOUT_RELAY_MS_MAX = 2_000;
/** So many mails show that mail is under way. */
const FLOWING = 20;
const UNDISTURBED_MS = 2_000;

interface Gaps {
  /** The longest time in which no relay took a message, while nothing was wrong, and while one of them was down. */
  undisturbedMs: number;
  withoutRelayMs: number;
  /** Messages that each of them took. */
  taken: [number, number];
}

export interface TrafficFailover extends Gaps {
  outage: OutageTally;
}

export interface CampaignFailover extends Gaps {
  campaign: CampaignTally;
}

const noGaps = (): Gaps => ({ undisturbedMs: 0, withoutRelayMs: 0, taken: [0, 0] });

/** The first of two relays goes down under single and bulk mail, returns, and then the second one does. */
export async function trafficFailover(
  env: NodeJS.ProcessEnv,
  { how, mix, lastsMs }: { how: keyof typeof ways; mix: Mix; lastsMs: number },
): Promise<TrafficFailover> {
  const { down, up, parameters, evidence } = ways[how];
  const two = await startTwoRelays(5, parameters);
  const gaps = noGaps();
  const faultOf = (relay: DrillRelay): Fault => ({
    lastsMs,
    async strike() {
      await measureUndisturbed(two, gaps);
      await down(relay);
    },
    async mend() {
      gaps.withoutRelayMs = Math.max(gaps.withoutRelayMs, two.longestGapMs());
      await up(relay);
      await noteTaken(two, gaps);
    },
  });
  const tally = await outage(env, {
    ...{ mix, evidence, relay: async () => two.together, faults: two.relays.map(faultOf) },
    ...{ quietMs: 4_000, warmMs: 3_000 },
  });
  return { ...gaps, outage: tally };
}

/** The same in the middle of a campaign, with two senders. */
export async function campaignFailover(
  env: NodeJS.ProcessEnv,
  { lastsMs, ...drill }: CampaignDrill & { lastsMs: number },
): Promise<CampaignFailover> {
  const two = await startTwoRelays(drill.ackMs, ways.shared.parameters);
  const gaps = noGaps();
  const campaign = await campaignUnderFire(env, { ...drill, relay: async () => two.together }, async (fire) => {
    const workers = [await fire.startWorker(), await fire.startWorker('campaign')];
    await fire.untilMoving();
    for (const relay of two.relays) {
      await measureUndisturbed(two, gaps);
      await fire.noteFault();
      relay.cutOff();
      await pause(lastsMs);
      gaps.withoutRelayMs = Math.max(gaps.withoutRelayMs, two.longestGapMs());
      relay.connect();
      await pause(lastsMs);
    }
    await fire.untilSent();
    await noteTaken(two, gaps);
    await Promise.all(workers.map((worker) => worker.stop(15_000)));
  });
  return { ...gaps, campaign };
}

const cutOff = {
  down: async (relay: DrillRelay) => relay.cutOff(),
  up: async (relay: DrillRelay) => relay.connect(),
  // Cut connections leave mail in doubt, which would be sent again, or stay unknown.
  evidence: true,
};

const ways = {
  standIn: { ...cutOff, parameters: ['priority=0', 'priority=1'] },
  shared: { ...cutOff, parameters: ['weight=3', 'weight=1'] },
  turnedAway: {
    down: (relay: DrillRelay) => relay.refuse(),
    up: (relay: DrillRelay) => relay.welcome(),
    evidence: false,
    parameters: ['priority=0', 'priority=1'],
  },
} as const;

/** Once mail arrives: processes that have just started need some seconds. */
async function measureUndisturbed(two: TwoRelays, gaps: Gaps): Promise<void> {
  const { messages } = await two.together.stats();
  await until('mail arrives', async () => (await two.together.stats()).messages > messages + FLOWING);
  two.longestGapMs();
  await pause(UNDISTURBED_MS);
  gaps.undisturbedMs = Math.max(gaps.undisturbedMs, two.longestGapMs());
}

async function noteTaken({ relays }: TwoRelays, gaps: Gaps): Promise<void> {
  gaps.taken = [await relays[0].taken(), await relays[1].taken()];
}

/**
 * Nothing is lost, nothing is sent twice, nothing stays unknown, and the other relay takes mail at once. The times of the API are for the
 * drills of what it needs.
 */
export function judgeTraffic(name: string, tally: TrafficFailover): Verdict {
  return withGaps(judgeOutage(name, tally.outage, { isTimed: false }), tally);
}

export function judgeCampaignFailover(drill: CampaignDrill, tally: CampaignFailover): Verdict {
  return withGaps(judgeCampaign('campaign', drill, tally.campaign, 0), tally);
}

function withGaps(verdict: Verdict, { taken, undisturbedMs, withoutRelayMs }: Gaps): Verdict {
  return {
    kept: verdict.kept && withoutRelayMs < WITHOUT_RELAY_MS_MAX && Math.min(...taken) > 0,
    says: `${verdict.says}, at most ${withoutRelayMs.toFixed(0)} ms without a relay (undisturbed ${undisturbedMs.toFixed(0)} ms), relays took ${taken.join(' and ')}`,
  };
}
