import { isScanner } from '../messages/clicks.ts';
import type { OpenSignal } from '../messages/model.ts';

type AutomatedReason = 'soon' | 'prefetch' | 'head' | 'proxy' | 'scanner';

/**
 * Fetch pictures for their users, whether or not these read the mail: Gmail, Yahoo, and mailbox privacy ("Mozilla/5.0" and nothing else).
 */
const PROXIES =
  /GoogleImageProxy|ggpht\.com|YahooMailProxy|YahooCacheSystem|ImageProxy|DuckDuckGo.{0,100}Email|^Mozilla\/5\.0$/i;

/** Why an open counts as a machine's; null for a person's. Computed again from the kept signals when the rules change. */
export function automatedBy(signal: OpenSignal, automatedSeconds: number): AutomatedReason | null {
  const { at, deliveredAt, agent, purpose, method } = signal;
  if (method === 'HEAD') return 'head';
  if (/prefetch|preview|prerender/i.test(purpose)) return 'prefetch';
  if (isScanner(agent)) return 'scanner';
  if (PROXIES.test(agent)) return 'proxy';
  // Opened before even the relay's answer was stored.
  if (!deliveredAt || at.getTime() - deliveredAt.getTime() < automatedSeconds * 1_000) return 'soon';
  return null;
}
