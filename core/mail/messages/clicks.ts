import { createHash } from 'node:crypto';
import type { ClickSignal, Engagement } from './model.ts';

/** Links of a mail whose clicks are kept; those on further links only count. */
export const LINKS_KEPT_MAX = 100;
const BURST_LINKS = 3;
const BURST_MS = 2_000;
const URL_KEY_CHARS = 16;
/** No address of a link that can be clicked begins with it. */
const ERASED = 'erased:';
const ERASED_AGENT = 'erased';

/** Read mail to protect or index it: never a person. */
const SCANNERS =
  /bot\b|crawl|spider|slurp|preview|scan|monitor|barracuda|mimecast|proofpoint|safelinks|fireeye|trendmicro|symantec|messagelabs|sophos|ironport|forcepoint|zscaler|bitdefender|checkpoint|cloudmark|HeadlessChrome|PhantomJS|python|curl|wget|libwww|java\/|okhttp|axios|go-http-client|node-fetch|undici|^node\b|ruby|perl|facebookexternalhit|slackbot|whatsapp/i;

type Clicked = Pick<Engagement, 'clicks' | 'laterClicks'>;

export function isScanner(agent: string): boolean {
  return agent.trim() === '' || SCANNERS.test(agent);
}

/** The name of a link in `linkClicks`: its number, else a hash of its URL. */
export function linkKey({ link, url }: Pick<ClickSignal, 'link' | 'url'>): string {
  return link === undefined ? urlKey(url) : String(link);
}

function urlKey(url: string): string {
  if (isErased(url)) return url.slice(ERASED.length);
  return `u${createHash('sha256').update(url).digest('base64url').slice(0, URL_KEY_CHARS)}`;
}

/** Without the address, which may name a person, and the name of the browser: links stay apart, and machines stay machines. */
export function erasedClick(click: ClickSignal): ClickSignal {
  return { ...click, url: ERASED + urlKey(click.url), agent: isScanner(click.agent) ? '' : ERASED_AGENT };
}

export function isErased(url: string): boolean {
  return url.startsWith(ERASED);
}

/** Within `automatedSeconds` of delivery, or by a known scanner. */
export function isAutomatedClick({ at, agent, deliveredAt }: ClickSignal, automatedSeconds: number): boolean {
  if (isScanner(agent)) return true;
  return !deliveredAt || at.getTime() - deliveredAt.getTime() < automatedSeconds * 1_000;
}

/** The links that a person clicked, by the kept clicks. */
export function humanLinks(kept: Clicked, automatedSeconds: number): Set<string> {
  return new Set(humanClicks(kept, automatedSeconds).map(linkKey));
}

export function humanClicks(kept: Clicked, automatedSeconds: number): ClickSignal[] {
  const clicks = [...(kept.clicks ?? []), ...(kept.laterClicks ?? [])];
  const burst = inBursts(clicks);
  return clicks.filter((click) => !burst.has(click) && !isAutomatedClick(click, automatedSeconds));
}

/** Clicks on three links or more within two seconds: of a program that follows all links. */
function inBursts(clicks: readonly ClickSignal[]): Set<ClickSignal> {
  const sorted = clicks.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const found = new Set<ClickSignal>();
  const within = new Map<string, number>();
  let first = 0;
  let marked = 0;
  for (const [index, click] of sorted.entries()) {
    within.set(placeOf(click), (within.get(placeOf(click)) ?? 0) + 1);
    for (; click.at.getTime() - sorted[first]!.at.getTime() > BURST_MS; first += 1) leave(within, sorted[first]!);
    if (within.size < BURST_LINKS) continue;
    for (marked = Math.max(marked, first); marked <= index; marked += 1) found.add(sorted[marked]!);
  }
  return found;
}

function leave(within: Map<string, number>, click: ClickSignal): void {
  const place = placeOf(click);
  const left = within.get(place)! - 1;
  if (left > 0) within.set(place, left);
  else within.delete(place);
}

/** A link in a loop has one number and several URLs, and two links may have the same URL. */
export function placeOf({ link, url }: Pick<ClickSignal, 'link' | 'url'>): string {
  return `${link ?? ''} ${url}`;
}
