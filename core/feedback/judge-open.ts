import type { OpenSignal } from '../messages/model.ts';

type AutomatedReason = 'soon' | 'prefetch' | 'head' | 'proxy' | 'scanner';

/**
 * Fetch pictures for their users, whether or not these read the mail: Gmail, Yahoo, and mailbox privacy ("Mozilla/5.0" and nothing else).
 */
const PROXIES =
  /GoogleImageProxy|ggpht\.com|YahooMailProxy|YahooCacheSystem|ImageProxy|DuckDuckGo.{0,100}Email|^Mozilla\/5\.0$/i;

/** Read mail to protect or index it: never a person. */
const SCANNERS =
  /bot\b|crawl|spider|slurp|preview|scan|monitor|barracuda|mimecast|proofpoint|safelinks|fireeye|trendmicro|symantec|messagelabs|sophos|ironport|forcepoint|zscaler|bitdefender|checkpoint|cloudmark|HeadlessChrome|PhantomJS|python|curl|wget|libwww|java\/|okhttp|axios|go-http-client|node-fetch|undici|^node\b|ruby|perl|facebookexternalhit|slackbot|whatsapp/i;

/** Why an open counts as a machine's; null for a person's. Computed again from the kept signals when the rules change. */
export function automatedBy(signal: OpenSignal, automatedSeconds: number): AutomatedReason | null {
  const { at, deliveredAt, agent, purpose, method } = signal;
  if (method === 'HEAD') return 'head';
  if (/prefetch|preview|prerender/i.test(purpose)) return 'prefetch';
  if (agent.trim() === '' || SCANNERS.test(agent)) return 'scanner';
  if (PROXIES.test(agent)) return 'proxy';
  // Opened before even the relay's answer was stored.
  if (!deliveredAt || at.getTime() - deliveredAt.getTime() < automatedSeconds * 1_000) return 'soon';
  return null;
}
