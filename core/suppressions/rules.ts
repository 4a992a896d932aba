import type { Suppression, SuppressionReason } from './model.ts';

/** The fields of an entry that decide about a mail. */
export interface SuppressionFact extends Pick<Suppression, 'groupId' | 'isGlobal' | 'isDefault' | 'reason'> {
  /** Of an unsubscribe: the other reason against the address. */
  beside?: Pick<Suppression, 'reason'> | undefined;
}

export interface MailFacts {
  marketing: boolean;
  /** The code of the group that the mail names. */
  groupId: string | null;
  /** The group was deleted: the mail is treated as one without a group. */
  isGroupGone?: boolean;
  /** bypassSuppressions: only a complaint stops it. */
  bypass: boolean;
  /** Passes over what the person said by unsubscribing, and over nothing else. */
  passesUnsubscribe?: boolean;
}

/** The entry that stops this mail, the strongest of several, or null when it may be sent. */
export function stoppedBy(entries: readonly SuppressionFact[], mail: MailFacts): SuppressionFact | null {
  let strongest: SuppressionFact | null = null;
  for (const given of entries) {
    const entry = mail.passesUnsubscribe ? withoutUnsubscribe(given) : given;
    if (entry && stops(entry, mail) && (!strongest || isStronger(entry.reason, strongest.reason))) strongest = entry;
  }
  return strongest;
}

/** The entry that would be there, had the person never unsubscribed. */
function withoutUnsubscribe(entry: SuppressionFact): SuppressionFact | null {
  if (entry.reason !== 'UNSUBSCRIBE') return entry;
  return entry.beside ? { ...entry, reason: entry.beside.reason } : null;
}

/** Suppressing an address again keeps the stronger reason. */
export function isStronger(reason: SuppressionReason, than: SuppressionReason): boolean {
  return STRENGTH[reason] > STRENGTH[than];
}

/** The entry of an address within one group. */
export type AddressEntry = Pick<Suppression, 'reason' | 'evidence' | 'beside'>;

export interface EntryChange {
  /** null: release the address. 'subscribe': only from what the person said. */
  reason: SuppressionReason | 'subscribe' | null;
  evidence: string | null;
}

export type SuppressionOutcome = 'added' | 'strengthened' | 'kept' | 'removed' | 'absent';

/** The entry of an address after a change: null when there is none, the same object when nothing has changed. */
export function afterChange(
  entry: AddressEntry | null,
  { reason, evidence }: EntryChange,
): { outcome: SuppressionOutcome; entry: AddressEntry | null } {
  if (reason === null) return { outcome: entry ? 'removed' : 'absent', entry: null };
  if (reason === 'subscribe')
    return entry?.reason === 'UNSUBSCRIBE'
      ? { outcome: 'removed', entry: entry.beside ?? null }
      : { outcome: 'absent', entry };
  if (!entry) return { outcome: 'added', entry: { reason, evidence } };
  if (isStronger(reason, entry.reason)) {
    const beside = { reason: entry.reason, evidence: entry.evidence };
    return {
      outcome: 'strengthened',
      entry: { reason, evidence, ...(reason === 'UNSUBSCRIBE' ? { beside } : {}) },
    };
  }
  const isNews =
    entry.reason === 'UNSUBSCRIBE' &&
    reason !== 'UNSUBSCRIBE' &&
    (!entry.beside || isStronger(reason, entry.beside.reason));
  return { outcome: 'kept', entry: isNews ? { ...entry, beside: { reason, evidence } } : entry };
}

/** Campaigns and automation mail always are; a send is when it names a group or uses a marketing template. */
export function isMarketingSend(send: {
  groupId: string | null;
  templateType: 'marketing' | 'transactional' | null;
}): boolean {
  return send.groupId !== null || send.templateType === 'marketing';
}

const STRENGTH: Record<SuppressionReason, number> = { MANUAL: 1, BOUNCE: 2, UNSUBSCRIBE: 3, COMPLAINT: 4 };

function stops(entry: SuppressionFact, { marketing, groupId, isGroupGone, bypass }: MailFacts): boolean {
  if (bypass && entry.reason !== 'COMPLAINT') return false;
  if (entry.isGlobal) return true;
  if (groupId !== null && entry.groupId === groupId) return true;
  if (groupId !== null && !isGroupGone) return false;
  return entry.isDefault && (marketing || entry.reason !== 'UNSUBSCRIBE');
}
