import type { Layer, Suppression, SuppressionReason } from './model.ts';

/** SANDBOX: there is no entry, but the sandbox address is treated as if there were one. */
type FactReason = SuppressionReason | 'SANDBOX';

/** The fields of an entry that decide about a mail. */
export interface SuppressionFact extends Pick<Suppression, 'groupId' | 'isGlobal' | 'isDefault' | 'isMarketing'> {
  reason: FactReason;
  /** The weaker reason against the address, which counts where this one does not. */
  beside?: Layered | undefined;
  /** Groups that the person turned on after turning everything off; null: mail that names no group. */
  exceptGroups?: ReadonlyArray<string | null> | undefined;
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
    const entry = mail.passesUnsubscribe || isExcepted(given, mail) ? withoutUnsubscribe(given) : given;
    if (entry && stops(entry, mail) && (!strongest || isStronger(entry.reason, strongest.reason))) strongest = entry;
  }
  return strongest;
}

interface Layered {
  reason: FactReason;
  beside?: Layered | undefined;
}

/** Of the entries at one address of a person those that count at another of theirs too: a bounce says something of its address alone. */
export function aboutPerson<T extends Layered>(entries: readonly T[]): T[] {
  return entries.flatMap((entry) => withoutAddress(entry) ?? []);
}

/** The strongest reason that is not about the address, with what is beneath it. */
function withoutAddress<T extends Layered>(entry: T): T | null {
  const beside = entry.beside ? withoutAddress(entry.beside) : null;
  if (!isAboutAddress(entry)) return { ...entry, beside: beside ?? undefined };
  return beside && { ...entry, ...beside };
}

function isAboutAddress({ reason }: { reason: FactReason }): boolean {
  return reason === 'BOUNCE' || reason === 'SANDBOX';
}

/** The person has turned on what the mail belongs to. */
function isExcepted({ exceptGroups }: SuppressionFact, mail: MailFacts): boolean {
  return exceptGroups?.includes(groupNamedBy(mail)) ?? false;
}

/** null: none, or one that is gone. */
function groupNamedBy({ groupId, isGroupGone }: MailFacts): string | null {
  return isGroupGone ? null : groupId;
}

/** The entry that would be there, had the person never unsubscribed. */
function withoutUnsubscribe(entry: SuppressionFact): SuppressionFact | null {
  if (entry.reason !== 'UNSUBSCRIBE') return entry;
  return entry.beside ? { ...entry, reason: entry.beside.reason } : null;
}

/** Suppressing an address again keeps the stronger reason. */
export function isStronger(reason: FactReason, than: FactReason): boolean {
  return STRENGTH[reason] > STRENGTH[than];
}

/** The entry of an address within one group. */
export type AddressEntry = Pick<Suppression, 'reason' | 'evidence' | 'beside' | 'exceptGroupIds'> &
  Partial<Pick<Suppression, 'updatedAt'>>;

export type EntryChange =
  | {
      /** null: release the address. 'subscribe': only from what the person said. */
      reason: SuppressionReason | 'subscribe' | null;
      evidence: string | null;
      /** The time at which the person said it; not given: now. */
      saidAt?: Date | undefined;
      /** Of an unsubscribe from all marketing mail: the groups that the person has turned on since. An entry that is there keeps its own. */
      exceptGroupIds?: string[] | undefined;
    }
  /** Of an entry that stops all marketing mail: the person has turned this group on. */
  | { reason: 'except'; exceptGroupId: string };

export type SuppressionOutcome = 'added' | 'strengthened' | 'kept' | 'removed' | 'absent';

/** The entry of an address after a change: null when there is none, the same object when nothing has changed. */
export function afterChange(
  entry: AddressEntry | null,
  change: EntryChange,
): { outcome: SuppressionOutcome; entry: AddressEntry | null } {
  if (change.reason === 'except') return afterException(entry, change.exceptGroupId);
  const { reason, evidence, exceptGroupIds } = change;
  if (reason === null) return { outcome: entry ? 'removed' : 'absent', entry: null };
  if (reason === 'subscribe')
    return entry?.reason === 'UNSUBSCRIBE'
      ? { outcome: 'removed', entry: entry.beside ?? null }
      : { outcome: 'absent', entry };
  const exceptions = exceptGroupIds ? { exceptGroupIds } : {};
  if (!entry) return { outcome: 'added', entry: { reason, evidence, ...exceptions } };
  if (isStronger(reason, entry.reason))
    return {
      outcome: 'strengthened',
      entry: { reason, evidence, ...exceptions, ...(reason === 'COMPLAINT' ? {} : { beside: layerOf(entry) }) },
    };
  const kept = entry.reason === reason ? entry : withWeaker(entry, { reason, evidence });
  const isSaidAgain = reason === 'UNSUBSCRIBE' && !isOlder(change.saidAt, entry);
  return { outcome: 'kept', entry: isSaidAgain ? withoutExceptions(kept) : kept };
}

/** A complaint covers every weaker reason. */
function withWeaker(entry: AddressEntry, change: Pick<Suppression, 'reason' | 'evidence'>): AddressEntry {
  if (entry.reason === 'COMPLAINT') return entry;
  const before = entry.beside ?? null;
  const { entry: after } = afterChange(before, change);
  return after === null || after === before ? entry : { ...entry, beside: layerOf(after) };
}

function layerOf({ reason, evidence, beside }: AddressEntry): Layer {
  return beside ? { reason, evidence, beside } : { reason, evidence };
}

/** An unsubscribe that the person made before they turned a group on again does not turn it off. */
function isOlder(saidAt: Date | undefined, { updatedAt }: AddressEntry): boolean {
  return saidAt !== undefined && updatedAt !== undefined && saidAt < updatedAt;
}

/** Only what the person said has exceptions. */
function afterException(
  entry: AddressEntry | null,
  groupId: string,
): { outcome: SuppressionOutcome; entry: AddressEntry | null } {
  const excepted = entry?.exceptGroupIds ?? [];
  if (entry?.reason !== 'UNSUBSCRIBE' || excepted.includes(groupId)) return { outcome: 'absent', entry };
  return { outcome: 'removed', entry: { ...entry, exceptGroupIds: [...excepted, groupId] } };
}

/** Everything off, said again, includes the groups that were turned on since. */
function withoutExceptions(entry: AddressEntry): AddressEntry {
  if (!entry.exceptGroupIds) return entry;
  const { exceptGroupIds: _, ...rest } = entry;
  return rest;
}

/** Campaigns and automation mail always are; a send is when it names a group or uses a marketing template. */
export function isMarketingSend(send: {
  groupId: string | null;
  templateType: 'marketing' | 'transactional' | null;
}): boolean {
  return send.groupId !== null || send.templateType === 'marketing';
}

const STRENGTH: Record<FactReason, number> = { SANDBOX: 0, MANUAL: 1, BOUNCE: 2, UNSUBSCRIBE: 3, COMPLAINT: 4 };

function stops(entry: SuppressionFact, mail: MailFacts): boolean {
  const { marketing, groupId, bypass } = mail;
  if (bypass && entry.reason !== 'COMPLAINT') return false;
  if (entry.isGlobal) return true;
  if (entry.isMarketing) return marketing;
  if (groupId !== null && entry.groupId === groupId) return true;
  if (groupNamedBy(mail) !== null) return false;
  return entry.isDefault && (marketing || entry.reason !== 'UNSUBSCRIBE');
}
