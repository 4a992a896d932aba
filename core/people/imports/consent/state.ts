import { isIP } from 'node:net';
import { readDate } from '../../../base/text/coercion.ts';
import { DAY_MS } from '../../../base/time/durations.ts';
import type { SuppressionReason } from '../../../consent/suppressions/model.ts';
import { type ConsentStatus, type DateField, STATE_FIELDS, type StateField, statusOf } from './words.ts';

/** The state of consent that a row gives its person. */
export interface ConsentState {
  /** Why mail to the address must stop; empty for a person who is subscribed. */
  stops: Stop[];
  /** Codes or names of suppression groups; empty: the marketing group. */
  groups: string[];
  saysSubscribed: boolean;
  consent: ImportedConsent | null;
}

export interface Stop {
  reason: Extract<SuppressionReason, 'UNSUBSCRIBE' | 'BOUNCE' | 'COMPLAINT'>;
  status: Exclude<ConsentStatus, 'subscribed'>;
  at: Date | null;
}

export interface ImportedConsent {
  text: string;
  askedAt: Date;
  confirmedAt: Date | null;
  /** As the file has it; the project's setting decides how much of it is stored. */
  address: string | null;
}

type ReadState = { ok: true; state: ConsentState | null } | { ok: false; message: string };

const STOPS = [
  { reason: 'UNSUBSCRIBE', status: 'unsubscribed', dateField: 'unsubscribedAt' },
  { reason: 'BOUNCE', status: 'bounced', dateField: 'bouncedAt' },
  { reason: 'COMPLAINT', status: 'complained', dateField: 'complainedAt' },
] as const;

const CONSENT_TEXT_MAX = 4_000;
const GROUPS_MAX = 50;
const GROUP_NAME_MAX = 200;
const STATUS_SHOWN_MAX = 40;
/** Clocks and time zones differ; later dates are mistakes. */
const FUTURE_MAX_MS = DAY_MS;

class RowProblem extends Error {}

/** null: the row says nothing about consent. A word that is not understood refuses the row. */
export function readConsentState(given: Record<string, unknown>, nowMs: number): ReadState {
  try {
    const said = withConsentFields(given);
    const isSilent = STATE_FIELDS.every((field) => said[field] === undefined || said[field] === null);
    return { ok: true, state: isSilent ? null : stateOf(said, nowMs) };
  } catch (error) {
    if (error instanceof RowProblem) return { ok: false, message: error.message };
    throw error;
  }
}

/** A line of NDJSON may have the `consent` of POST /contacts/email in place of the four fields. */
function withConsentFields(given: Record<string, unknown>): Record<string, unknown> {
  const { consent } = given;
  if (consent === undefined || consent === null) return given;
  if (typeof consent !== 'object' || Array.isArray(consent)) throw new RowProblem('consent: must be an object');
  const { text, askedAt, confirmedAt, networkAddress } = consent as Record<string, unknown>;
  const fields = { consentText: text, consentAskedAt: askedAt, consentConfirmedAt: confirmedAt };
  return { ...fields, consentAddress: networkAddress, ...given };
}

function stateOf(given: Record<string, unknown>, nowMs: number): ConsentState {
  const dateOf = (field: DateField) => readTime(given, field, nowMs);
  const subscribedAt = dateOf('subscribedAt');
  const dates = STOPS.map(({ dateField }) => dateOf(dateField));
  const groups = readGroups(given.groups);
  const consent = readConsent(given, dateOf, subscribedAt);
  const isDated = (at: Date | null) => at !== null && (subscribedAt === null || at >= subscribedAt);
  const status = readStatus(given.status, dates.some(isDated));
  const stops = STOPS.flatMap(({ reason, status: stop }, index): Stop[] => {
    const at = dates[index] ?? null;
    return status === stop || isDated(at) ? [{ reason, status: stop, at }] : [];
  });
  return { stops, groups, saysSubscribed: status === 'subscribed' && stops.length === 0, consent };
}

/** An empty status is none; it is missing unless a date says the same. */
function readStatus(given: unknown, isDated: boolean): ConsentStatus | null {
  if (given === undefined || given === null) return null;
  if (typeof given !== 'string') throw new RowProblem('status: must be a string');
  if (given.trim() === '') {
    if (isDated) return null;
    throw new RowProblem('status: is empty; it must be subscribed, unsubscribed, bounced or complained');
  }
  const status = statusOf(given);
  if (status) return status;
  const shown = given.trim().slice(0, STATUS_SHOWN_MAX).toWellFormed();
  throw new RowProblem(
    `status: ${JSON.stringify(shown)} is not known; it must be subscribed, unsubscribed, bounced or complained`,
  );
}

function readGroups(given: unknown): string[] {
  if (given === undefined || given === null) return [];
  const names = typeof given === 'string' ? given.split(/[;|]/) : given;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw new RowProblem('groups: must be codes or names of suppression groups');
  const named = [...new Set(names.map((name: string) => name.trim()).filter((name) => name !== ''))];
  if (named.length > GROUPS_MAX || named.some((name) => name.length > GROUP_NAME_MAX))
    throw new RowProblem(`groups: must be ${GROUPS_MAX} codes or names of suppression groups at most`);
  return named;
}

function readTime(given: Record<string, unknown>, field: DateField, nowMs: number): Date | null {
  const value = given[field];
  const isEmpty = value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
  if (isEmpty) return null;
  const ms = typeof value === 'string' ? readDate(value.trim()) : null;
  if (ms === null) throw new RowProblem(`${field}: must be an ISO 8601 date, for example 2026-05-31T12:00:00Z`);
  if (ms > nowMs + FUTURE_MAX_MS) throw new RowProblem(`${field}: is in the future`);
  return new Date(ms);
}

function readConsent(
  given: Record<string, unknown>,
  dateOf: (field: DateField) => Date | null,
  subscribedAt: Date | null,
): ImportedConsent | null {
  const text = readText(given, 'consentText');
  const address = readText(given, 'consentAddress');
  const [asked, confirmedAt] = [dateOf('consentAskedAt'), dateOf('consentConfirmedAt')];
  if (address !== '' && isIP(address) === 0) throw new RowProblem('consentAddress: must be an IP address');
  if (text === '' && address === '' && !asked && !confirmedAt) return null;
  const askedAt = asked ?? confirmedAt ?? subscribedAt;
  if (!askedAt) throw new RowProblem('consentAskedAt: is required as the date of the consent');
  if (confirmedAt && confirmedAt < askedAt) throw new RowProblem('consentConfirmedAt: is before consentAskedAt');
  return { text, askedAt, confirmedAt, address: address === '' ? null : address };
}

function readText(given: Record<string, unknown>, field: StateField): string {
  const value = given[field];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new RowProblem(`${field}: must be a string`);
  if (value.length > CONSENT_TEXT_MAX) throw new RowProblem(`${field}: must be ${CONSENT_TEXT_MAX} characters at most`);
  if (value.includes('\0') || !value.isWellFormed()) throw new RowProblem(`${field}: must be valid text`);
  return value.trim();
}
