import { isScanner } from '../messages/clicks.ts';
import type { OpenSignal } from '../messages/model.ts';

type AutomatedReason = 'soon' | 'prefetch' | 'head' | 'privacy' | 'scanner';

/** Mailbox privacy, which fetches the pictures of all mail, names itself so and says nothing else. */
const PRIVACY = /^Mozilla\/5\.0$/;
/** The program that fetches pictures for Gmail before the mail is read. GoogleImageProxy fetches them when it is read. */
const PREFETCHER = /Edge\/12\.246/;

/** To be raised with each change of these rules: then setup starts a run that judges the stored opens again. */
export const OPEN_RULES = 2;

/**
 * Why an open counts as a machine's; null for a person's. A picture proxy (Gmail, Yahoo) that comes later than `automatedSeconds` after
 * delivery is a person: it fetches when the mail is read.
 */
export function automatedBy(signal: OpenSignal, automatedSeconds: number): AutomatedReason | null {
  const { at, deliveredAt, agent, purpose, method } = signal;
  if (method === 'HEAD') return 'head';
  if (/prefetch|preview|prerender/i.test(purpose) || PREFETCHER.test(agent)) return 'prefetch';
  if (isScanner(agent)) return 'scanner';
  if (PRIVACY.test(agent.trim())) return 'privacy';
  // Opened before even the relay's answer was stored.
  if (!deliveredAt || at.getTime() - deliveredAt.getTime() < automatedSeconds * 1_000) return 'soon';
  return null;
}
