import type { Suppression, SuppressionReason } from './model.ts';

/** The fields of an entry that decide about a mail. */
export type SuppressionFact = Pick<Suppression, 'groupId' | 'isGlobal' | 'isDefault' | 'reason'>;

export interface MailFacts {
  marketing: boolean;
  /** The code of the group that the mail names. */
  groupId: string | null;
  /** The group was deleted: the mail is treated as one without a group. */
  isGroupGone?: boolean;
  /** bypassSuppressions: only a complaint stops it. */
  bypass: boolean;
}

/** The entry that stops this mail, the strongest of several, or null when it may be sent. */
export function stoppedBy(entries: readonly SuppressionFact[], mail: MailFacts): SuppressionFact | null {
  let strongest: SuppressionFact | null = null;
  for (const entry of entries)
    if (stops(entry, mail) && (!strongest || isStronger(entry.reason, strongest.reason))) strongest = entry;
  return strongest;
}

/** Suppressing an address again keeps the stronger reason. */
export function isStronger(reason: SuppressionReason, than: SuppressionReason): boolean {
  return STRENGTH[reason] > STRENGTH[than];
}

/** The entry of an address within one group. */
export type Standing = Pick<Suppression, 'reason' | 'evidence' | 'beside'>;

export interface Wish {
  /** null: release the address. 'subscribe': only from what the person said. */
  reason: SuppressionReason | 'subscribe' | null;
  evidence: string | null;
}

export type SuppressionOutcome = 'added' | 'strengthened' | 'kept' | 'removed' | 'absent';

/** The entry of an address after a change: null when there is none, the same object when nothing has changed. */
export function afterWish(
  standing: Standing | null,
  { reason, evidence }: Wish,
): { outcome: SuppressionOutcome; standing: Standing | null } {
  if (reason === null) return { outcome: standing ? 'removed' : 'absent', standing: null };
  if (reason === 'subscribe')
    return standing?.reason === 'UNSUBSCRIBE'
      ? { outcome: 'removed', standing: standing.beside ?? null }
      : { outcome: 'absent', standing };
  if (!standing) return { outcome: 'added', standing: { reason, evidence } };
  if (isStronger(reason, standing.reason)) {
    const beside = { reason: standing.reason, evidence: standing.evidence };
    return {
      outcome: 'strengthened',
      standing: { reason, evidence, ...(reason === 'UNSUBSCRIBE' ? { beside } : {}) },
    };
  }
  const isNews =
    standing.reason === 'UNSUBSCRIBE' &&
    reason !== 'UNSUBSCRIBE' &&
    (!standing.beside || isStronger(reason, standing.beside.reason));
  return { outcome: 'kept', standing: isNews ? { ...standing, beside: { reason, evidence } } : standing };
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
