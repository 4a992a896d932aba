import { countNow, refreshCounts } from './campaign-counts.ts';
import { CAMPAIGN_STARTS } from './campaigns.ts';
import type { Deps } from './deps.ts';
import { wakeDue } from './due.ts';
import type { Campaign } from './model.ts';
import { breachOf, STRETCH_MIN, type Stretch } from './rules/thresholds.ts';

const EXACT_EVERY_MS = 1_000;

export interface ThresholdWatch {
  /** Each outcome of this process. */
  count(kind: string): void;
  isBreached(): boolean;
  /** Counts the ledger and pauses the campaign when the stretch is too bad. */
  check(): Promise<void>;
}

/**
 * This process's own outcomes raise the suspicion, the ledger decides: an exact count is taken at most once a second and
 * never more than a tenth of the time.
 */
export function watchThresholds(deps: Deps, campaign: Campaign): ThresholdWatch {
  const own: Stretch = { sent: 0, bounced: 0, spamReported: 0 };
  let breached = false;
  let checking: Promise<void> | null = null;
  let nextAt = performance.now() + EXACT_EVERY_MS;

  async function check(): Promise<void> {
    const begun = performance.now();
    breached ||= await pauseIfBreached(deps, campaign);
    const took = performance.now() - begun;
    nextAt = performance.now() + Math.max(EXACT_EVERY_MS, took * 10);
  }

  function checkSoon(): void {
    checking ??= check()
      .catch((error) => deps.log.warn({ err: error }, 'thresholds could not be checked'))
      .finally(() => {
        checking = null;
      });
  }

  return {
    count(kind) {
      if (kind === 'sent' || kind === 'bounced') own.sent += 1;
      if (kind === 'bounced') own.bounced += 1;
      const isSuspect =
        kind === 'bounced' && own.sent >= STRETCH_MIN && breachOf(campaign.thresholdPreset, own) !== null;
      if (performance.now() >= nextAt || (isSuspect && performance.now() >= nextAt - EXACT_EVERY_MS * 0.9)) checkSoon();
    },
    isBreached: () => breached,
    async check() {
      await checking;
      await check();
    },
  };
}

/** A compare-and-set like every pause: it binds every sender at its next claim. */
async function pauseIfBreached(deps: Deps, { _id, projectId }: Campaign): Promise<boolean> {
  const counts = await countNow(deps, { _id, projectId });
  const campaign = await deps.db.campaigns.findOne({ _id, projectId });
  if (!campaign || (campaign.status !== 'sending' && campaign.status !== 'sending_gradual')) return true;
  const since = {
    sent: counts.sent - campaign.stretch.sent,
    bounced: counts.bounced - campaign.stretch.bounced,
    spamReported: counts.spamReported - campaign.stretch.spamReported,
  };
  const pausedReason = breachOf(campaign.thresholdPreset, since);
  if (!pausedReason) return false;
  const now = deps.clock.now();
  const { modifiedCount } = await deps.db.campaigns.updateOne(
    { _id, projectId, status: campaign.status, resumedAt: campaign.resumedAt },
    { $set: { status: 'paused', pausedAt: now, pausedReason, nextBatchAt: null, updatedAt: now, startDueAt: now } },
  );
  if (modifiedCount === 0) return true;
  wakeDue(deps, CAMPAIGN_STARTS, projectId);
  await refreshCounts(deps, { _id, projectId });
  return true;
}
