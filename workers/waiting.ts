import type { Deps } from '../core/base/deps.ts';
import { type WaitingMails, waitingMails } from '../core/figures/live/waiting.ts';
import type { Metrics } from '../platform/metrics.ts';

const ASK_EVERY_MS = 10_000;
const FAILED_AGAIN_MS = 1_000;
/** At most a fiftieth of the time is spent on asking. */
const PAUSE_FACTOR = 50;

/**
 * The backlog of the installation, for /metrics. The first process with the role `background` reports it, and asks for it only while it
 * is scraped. A scrape gets the last answer and does not wait for MongoDB.
 */
export function measureWaiting({ gauges }: Metrics, deps: Deps): void {
  let known: WaitingMails[] = [];
  let nextAskMs = Number.NEGATIVE_INFINITY;
  const ask = async () => {
    const beganMs = performance.now();
    nextAskMs = Number.POSITIVE_INFINITY;
    const found = await waitingMails(deps).catch(() => null);
    const tookMs = performance.now() - beganMs;
    nextAskMs = beganMs + (found ? Math.max(ASK_EVERY_MS, tookMs * PAUSE_FACTOR) : FAILED_AGAIN_MS);
    known = found ?? [];
  };
  const latest = () => {
    if (deps.members.rank('background').rank !== 0) known = [];
    else if (performance.now() >= nextAskMs) void ask();
    return known;
  };
  gauges('everpost_mails_waiting', 'Mails of all projects that are due and not claimed.', ['lane'], () =>
    latest().map(({ lane, waiting }) => ({ labels: { lane }, value: waiting })),
  );
  gauges('everpost_mails_oldest_seconds', 'How long the oldest of them waits.', ['lane'], () =>
    latest().map(({ lane, oldestSeconds }) => ({ labels: { lane }, value: oldestSeconds })),
  );
}
