import type { Outcome } from '../../mail/ledger/ledger.ts';
import { states } from '../../mail/ledger/states.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { ledgerCounts, refreshCounts } from '../numbers/counts.ts';
import { isUnderWay } from '../status.ts';
import { transition } from '../transition.ts';
import { breachOf, maySpeak, type Stretch } from './threshold-rules.ts';

const EVERY_MS = 1_000;
const SUSPICION_EVERY_MS = 100;
/** Counting takes a tenth of the time at most. */
const SHARE = 10;

export interface ThresholdWatch {
  /** Called with each outcome of this run, when it is durable. */
  count(kind: Outcome['kind']): void;
  isBreached(): boolean;
  /** Pauses the campaign when the stretch breaches a threshold. */
  check(): Promise<void>;
}

/**
 * This run's own outcomes raise the suspicion, the ledger decides. Numbers that only grow need not be counted each time: while
 * bounces are few among those sent at the last count, they are few among all.
 */
export function watchThresholds(deps: CampaignsDeps, campaign: Campaign): ThresholdWatch {
  const own: Stretch = { sent: 0, bounced: 0, spamReported: 0 };
  let breached = false;
  let sentAtLeast = 0;
  let checking: Promise<void> | null = null;
  let nextAt = performance.now() + EVERY_MS;
  let nextSuspicionAt = performance.now();

  async function check(): Promise<void> {
    const begun = performance.now();
    if (!breached) {
      const found = await judge(deps, campaign, sentAtLeast);
      breached = found.breached;
      sentAtLeast = Math.max(sentAtLeast, found.sent);
    }
    const restMs = (performance.now() - begun) * SHARE;
    nextAt = performance.now() + Math.max(EVERY_MS, restMs);
    nextSuspicionAt = performance.now() + Math.max(SUSPICION_EVERY_MS, restMs);
  }

  function checkSoon(): void {
    checking ??= check()
      .catch((error) => deps.log.warn({ err: error }, 'checking thresholds failed'))
      .finally(() => {
        checking = null;
      });
  }

  return {
    count(kind) {
      const isBounce = kind === states.bounced;
      if (isBounce || kind === states.sent) own.sent += 1;
      if (isBounce) own.bounced += 1;
      const now = performance.now();
      const isSuspect = isBounce && now >= nextSuspicionAt && breachOf(campaign.thresholdPreset, own) !== null;
      if (now >= nextAt || isSuspect) checkSoon();
    },
    isBreached: () => breached,
    async check() {
      await checking;
      await check();
    },
  };
}

async function judge(
  deps: CampaignsDeps,
  { _id, projectId }: Campaign,
  sentAtLeast: number,
): Promise<{ breached: boolean; sent: number }> {
  const campaign = await deps.db.campaigns.findOne({ _id, projectId });
  if (!campaign || !isUnderWay(campaign)) return { breached: true, sent: 0 };
  const { stretch, thresholdPreset } = campaign;
  const [bounced, spamReported] = await Promise.all([
    deps.db.messages.countDocuments({ campaignId: _id, projectId, state: states.bounced }, { hint: 'campaign' }),
    deps.db.engagements.countDocuments({ projectId, campaignId: _id, complainedAt: { $exists: true } }),
  ]);
  const since = (sent: number, bounces: number): Stretch => ({
    sent: sent - stretch.sent,
    bounced: bounces - stretch.bounced,
    spamReported: spamReported - stretch.spamReported,
  });
  if (!maySpeak(thresholdPreset, since(sentAtLeast, bounced))) return { breached: false, sent: sentAtLeast };
  const counts = await ledgerCounts(deps, campaign);
  const pausedReason = breachOf(thresholdPreset, since(counts.sent, counts.bounced));
  if (!pausedReason) return { breached: false, sent: counts.sent };
  const now = deps.clock.now();
  // Like every pause it binds every sender at its next claim. If another call changed the status first, its decision wins.
  const to = { status: 'paused' as const, pausedAt: now, pausedReason, nextBatchAt: null };
  if (await transition(deps, campaign, to, { wakeRun: true })) await refreshCounts(deps, campaign);
  return { breached: true, sent: counts.sent };
}
