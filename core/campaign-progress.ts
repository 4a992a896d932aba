import { progressOf } from './campaign-counts.ts';
import type { Deps } from './deps.ts';
import type { Campaign } from './model.ts';

const LOOK_EVERY_MS = 1_000;
const LIFE_EVERY = 15;
const OVER = new Set(['sent', 'failed', 'aborted']);

export interface ProgressEvent {
  id: string;
  event: string;
  data: unknown;
}

/** The figures of `/progress`, each time they changed, until the campaign is over or the caller goes away. */
export async function* watchCampaign(
  deps: Deps,
  campaign: Campaign,
  signal: AbortSignal,
): AsyncGenerator<ProgressEvent | null> {
  const { _id, projectId } = campaign;
  let last = '';
  for (let looks = 0; !signal.aborted; looks += 1) {
    const now = await deps.db.campaigns.findOne({ _id, projectId });
    if (!now) return;
    const progress = await progressOf(deps, now);
    const { ratePerSecond: _rate, etaSeconds: _eta, ...counts } = progress;
    const shown = JSON.stringify(counts);
    if (shown !== last) yield { id: String(looks), event: 'progress', data: progress };
    else if (looks % LIFE_EVERY === 0) yield null;
    last = shown;
    if (OVER.has(now.status)) return;
    await pause(LOOK_EVERY_MS, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
