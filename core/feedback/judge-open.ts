import type { OpenSignal } from '../messages/model.ts';

export type AutomatedReason = 'soon' | 'prefetch' | 'head' | 'proxy' | 'scanner';

/** Fetch pictures for their users, whether or not these look: Gmail, Yahoo, and what mailbox privacy sends ("Mozilla/5.0" and nothing else). */
const PROXIES =
  /GoogleImageProxy|ggpht\.com|YahooMailProxy|YahooCacheSystem|ImageProxy|DuckDuckGo.{0,100}Email|^Mozilla\/5\.0$/i;

/** Look at what is in a mail to protect or index: never a person. */
const SCANNERS =
  /bot\b|crawl|spider|slurp|preview|scan|monitor|barracuda|mimecast|proofpoint|safelinks|fireeye|trendmicro|symantec|messagelabs|sophos|ironport|forcepoint|zscaler|bitdefender|checkpoint|cloudmark|HeadlessChrome|PhantomJS|python|curl|wget|libwww|java\/|okhttp|axios|go-http-client|node-fetch|undici|^node\b|ruby|perl|facebookexternalhit|slackbot|whatsapp/i;

/** Why an open is taken for a machine's, or null for a person's. Made again from the kept signals when the rules change. */
export function automatedBy(signal: OpenSignal, automatedSeconds: number): AutomatedReason | null {
  const { at, deliveredAt, agent, purpose, method } = signal;
  if (method === 'HEAD') return 'head';
  if (/prefetch|preview|prerender/i.test(purpose)) return 'prefetch';
  if (agent.trim() === '' || SCANNERS.test(agent)) return 'scanner';
  if (PROXIES.test(agent)) return 'proxy';
  // Not even the relay's answer was stored when it was opened.
  if (!deliveredAt || at.getTime() - deliveredAt.getTime() < automatedSeconds * 1_000) return 'soon';
  return null;
}
