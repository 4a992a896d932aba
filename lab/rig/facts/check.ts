import type { MessageState } from '../../../core/mail/ledger/states.ts';
import type { BlockFacts } from './block-facts.ts';

/** Three sets that must agree: what the relay has, what the ledger says, and what callers were promised. */
export interface Facts {
  /** Message-IDs that the relay took, with how often. */
  sink: ReadonlyMap<string, number>;
  rows: readonly Row[];
  /** Ids of mails whose request was answered with 2xx. */
  acknowledged: readonly string[];
  campaigns: readonly CampaignFacts[];
}

export interface Row {
  id: string;
  messageId: string;
  state: MessageState;
  /** It is known when it is tried again. */
  isDueLater: boolean;
}

export interface CampaignFacts {
  id: string;
  /** How many the frozen audience has; null: it is not frozen. */
  frozen: number | null;
  /** Rows by state, of one consistent look. */
  counts: Readonly<Record<string, number>>;
  blocks: BlockFacts;
}

export interface Findings {
  mails: number;
  sent: number;
  acknowledged: number;
  /** Answered with 2xx, and there is no row. */
  forgotten: number;
  /** Sent, says the row, and the relay does not have it. */
  lost: number;
  /** Neither in a final state nor scheduled for another try: no process will send it. */
  open: number;
  /** Refused for now, with a time for the next try. */
  deferred: number;
  /** Refused for good, or not to be sent. */
  refused: number;
  /** The relay has it, and the row says that it was not sent. */
  denied: number;
  /** The relay has it, and there is no row. */
  strangers: number;
  /** Taken by the relay once more than once, all of them together. */
  duplicates: number;
  /** Listed as unknown. */
  unknown: number;
  /** Of those, with the relay after all. */
  unknownAccepted: number;
  /** Campaigns whose rows do not add up to their audience. */
  unbalanced: number;
  /** The same words as in BlockFacts, of all campaigns. */
  openClaims: number;
  claimedTwice: number;
  unclaimed: number;
  rowless: number;
}

/** Counts that a fault may leave behind; a field that is left out allows none. */
export interface Allowed {
  duplicates?: number;
  unknown?: number;
  deferred?: number;
  refused?: number;
}

/** Holds the three sets against each other. Pure, so that a test can doctor each of them. */
export function check({ sink, rows, acknowledged, campaigns }: Facts): Findings {
  const timesOf = ({ messageId }: Row) => sink.get(messageId) ?? 0;
  const known = new Map(rows.map((row) => [row.messageId, row]));
  const ids = new Set(rows.map(({ id }) => id));
  const count = (isSo: (row: Row) => boolean) => rows.filter(isSo).length;
  const sum = (name: keyof BlockFacts) => campaigns.reduce((total, { blocks }) => total + blocks[name], 0);
  return {
    mails: rows.length,
    sent: count(({ state }) => state === 'sent'),
    acknowledged: acknowledged.length,
    forgotten: acknowledged.filter((id) => !ids.has(id)).length,
    lost: count((row) => row.state === 'sent' && timesOf(row) === 0),
    open: count(isOpen),
    deferred: count((row) => row.state === 'deferred' && row.isDueLater),
    refused: count((row) => isRefused(row) && timesOf(row) === 0),
    denied: count((row) => (isRefused(row) || isWaiting(row)) && timesOf(row) > 0),
    strangers: [...sink.keys()].filter((messageId) => !known.has(messageId)).length,
    duplicates: [...sink.values()].reduce((sum, times) => sum + Math.max(0, times - 1), 0),
    unknown: count(({ state }) => state === 'unknown'),
    unknownAccepted: count((row) => row.state === 'unknown' && timesOf(row) > 0),
    unbalanced: campaigns.filter((campaign) => !isBalanced(campaign)).length,
    openClaims: sum('openClaims'),
    claimedTwice: sum('claimedTwice'),
    unclaimed: sum('unclaimed'),
    rowless: sum('rowless'),
  };
}

/** The rules that do not hold, each with its figure. */
export function broken(found: Findings, allowed: Allowed = {}): string[] {
  const most: Partial<Record<keyof Findings, number>> = {
    ...{ forgotten: 0, lost: 0, open: 0, denied: 0, strangers: 0, unbalanced: 0 },
    ...{ openClaims: 0, claimedTwice: 0, unclaimed: 0, rowless: 0 },
    ...{ duplicates: 0, unknown: 0, deferred: 0, refused: 0 },
    ...allowed,
  };
  const faults = Object.entries(most)
    .filter(([name, limit]) => found[name as keyof Findings] > limit)
    .map(([name, limit]) => `${name} ${found[name as keyof Findings]}${limit > 0 ? `, at most ${limit}` : ''}`);
  return found.mails === 0 ? ['nothing was sent', ...faults] : faults;
}

/** "lost 0, duplicates 0, unknown 640 (listed)", the same words in every line. Forgotten and open mail counts as lost. */
export function tell(found: Findings): string {
  const { lost, forgotten, open, denied, strangers, duplicates, unknown, unknownAccepted } = found;
  const { openClaims, claimedTwice, unclaimed, rowless } = found;
  const listed = unknown > 0 ? ` (listed; ${unknownAccepted} of them with the relay)` : '';
  const ofBlocks = { openClaims, claimedTwice, unclaimed, rowless };
  const further = Object.entries({ denied, strangers, deferred: found.deferred, refused: found.refused, ...ofBlocks })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `, ${name} ${count}`);
  return `lost ${lost + forgotten + open}, duplicates ${duplicates}, unknown ${unknown}${listed}${further.join('')}`;
}

function isRefused({ state }: Row): boolean {
  return state === 'failed' || state === 'suppressed' || state === 'bounced' || state === 'cancelled';
}

function isWaiting({ state }: Row): boolean {
  return state === 'scheduled' || state === 'queued' || state === 'deferred';
}

function isOpen({ state, isDueLater }: Row): boolean {
  if (state === 'scheduled' || state === 'deferred') return !isDueLater;
  return state === 'queued' || state === 'committing';
}

/** total = suppressed + failed + sent + unknown + pending, and the total is the frozen audience. */
function isBalanced({ frozen, counts }: CampaignFacts): boolean {
  const { total = 0, suppressed = 0, failed = 0, sent = 0, unknown = 0, pending = 0 } = counts;
  return frozen !== null && total === frozen && total === suppressed + failed + sent + unknown + pending;
}
