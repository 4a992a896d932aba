import { CONSENT_TEXT_MAX } from '../../../schemas/people/consents.ts';
import { parseIsoDate, WITH_ZONE } from '../../base/text/dates.ts';
import { plainAddress } from '../../base/text/networks.ts';
import type { ConsentEvidence } from './model.ts';
import { type ConsentProject, networkAddressFor } from './record.ts';

/** The clock of a caller may be ahead of ours by this. */
const AHEAD_MAX_MS = 60_000;

type Parsed = { ok: true; evidence: ConsentEvidence } | { ok: false; problem: string };

/** The consent of a call at `at`. A problem names the field under `consent`. */
export function parseConsent(project: ConsentProject, given: unknown, { at, now }: { at: Date; now: Date }): Parsed {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return bad('consent: must be an object');
  const { text, askedAt, confirmedAt, networkAddress } = given as Record<string, unknown>;
  const fault = textFault(text);
  if (fault) return bad(`consent/text: ${fault}`);
  const asked = readTime(askedAt, now);
  if (typeof asked === 'string') return bad(`consent/askedAt: ${asked}`);
  const confirmed = readTime(confirmedAt, now);
  if (typeof confirmed === 'string') return bad(`consent/confirmedAt: ${confirmed}`);
  if (asked && confirmed && confirmed < asked) return bad('consent/confirmedAt: must not be before askedAt');
  if (!isAddress(networkAddress)) return bad('consent/networkAddress: must be an IP address');
  return {
    ok: true,
    evidence: {
      ...{ source: 'api', text: text as string, askedAt: asked ?? confirmed ?? at, confirmedAt: confirmed },
      networkAddress: networkAddressFor(project, networkAddress),
    },
  };
}

function textFault(text: unknown): string | null {
  if (text === undefined) return 'is required';
  if (typeof text !== 'string') return 'must be a string';
  if (text.length > CONSENT_TEXT_MAX && [...text].length > CONSENT_TEXT_MAX)
    return `must be ${CONSENT_TEXT_MAX} characters at most`;
  return text.trim() === '' ? 'must not be blank' : null;
}

function readTime(given: unknown, now: Date): Date | string | null {
  if (given === undefined || given === null) return null;
  // A time without a zone would be evidence of another hour.
  const ms = typeof given === 'string' && WITH_ZONE.test(given) ? parseIsoDate(given) : null;
  if (ms === null) return 'must be an ISO 8601 time with a zone: Z, or an offset such as +02:00';
  return ms > now.getTime() + AHEAD_MAX_MS ? 'must not be in the future' : new Date(ms);
}

function isAddress(given: unknown): given is string | null | undefined {
  return given === undefined || given === null || (typeof given === 'string' && plainAddress(given) !== null);
}

function bad(problem: string): Parsed {
  return { ok: false, problem };
}
