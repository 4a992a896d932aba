import type { ObjectId } from 'mongodb';
import { distinctIds } from '../base/ids.ts';
import type { Session } from '../base/model.ts';
import type { PeopleDeps } from './deps.ts';
import type { Contact } from './model.ts';

/** Which addresses contacts had, and when: documents that name an address and no contact belong to the contact that had it then. */

type Reading = { db: Pick<PeopleDeps['db'], 'contactHistory' | 'contacts'> };
type Known = Pick<Contact, '_id' | 'email' | 'createdAt'>;
type Purpose = 'file' | 'erasure';

/** An address of a contact, with the time in which documents that name it alone are the contact's. */
export interface AddressSpan {
  email: string;
  /** null: no other contact had the address before. */
  since: Date | null;
  /** null: no other contact has had it later. */
  until: Date | null;
}

/** An address of a deleted contact. */
export interface ErasedAddress {
  projectId: ObjectId;
  email: string;
  /** When the contact that had the address before left it; null: none had. An earlier version did not write it. */
  since?: Date | null;
  /** When the contact was deleted; of an address that another contact has had later: when that one took it. */
  deletedAt: Date;
}

/** A contact had the address from then until then; null: it has it still. */
type Holding = AddressSpan & { since: Date };
/** The time in which an address was with these contacts, or with others. */
type Stretch = Pick<Holding, 'since' | 'until'> & { isOwn: boolean };

/**
 * The present and former addresses of these contacts. Before the first contact with an address and after the last one there are no limits:
 * people write before they become contacts, and from a mailbox that they have left. The time between two contacts may be of either: a file
 * has nothing of it, since it must not show a stranger's letters, and an erasure takes it along, since nothing of a deleted person may stay.
 * A contact has had its first known address since it was made: the history is kept as long as mail, so what is older than both is gone.
 */
export async function addressesOf(
  { db }: Reading,
  projectId: ObjectId,
  contacts: readonly Known[],
  purpose: Purpose,
  session?: Session,
): Promise<AddressSpan[]> {
  const own = await holdingsOf({ db }, projectId, contacts, session);
  const emails = [...new Set(own.map(({ email }) => email))];
  const others = await othersWith({ db }, projectId, contacts, emails, session);
  const theirs = others.length > 0 ? await holdingsOf({ db }, projectId, others, session) : [];
  const all = [...own.map((one) => ({ ...one, isOwn: true })), ...theirs.map((one) => ({ ...one, isOwn: false }))];
  const byEmail = Map.groupBy(all, ({ email }) => email);
  return emails.flatMap((email) => spansOf(stretchesOf(byEmail.get(email) ?? []), purpose, email));
}

/** Those of each contact are in the order of time. */
async function holdingsOf(
  { db }: Reading,
  projectId: ObjectId,
  contacts: readonly Known[],
  session: Session | undefined,
): Promise<Holding[]> {
  const contactId = { $in: contacts.map(({ _id }) => _id) };
  const reading = { session, projection: { contactId: 1, at: 1, fields: 1 }, hint: 'addresses' };
  const changes = await db.contactHistory.find({ projectId, contactId, 'fields.field': 'email' }, reading).toArray();
  changes.sort((one, two) => one.at.getTime() - two.at.getTime());
  const byContact = Map.groupBy(changes, (change) => change.contactId.toHexString());
  return contacts.flatMap(({ _id, email, createdAt }) => {
    let since = createdAt;
    const former: Holding[] = [];
    for (const { at, fields = [] } of byContact.get(_id.toHexString()) ?? []) {
      const from = fields.find(({ field }) => field === 'email')?.from;
      if (typeof from === 'string') former.push({ email: from, since, until: at });
      since = at;
    }
    return [...former, { email, since, until: null }];
  });
}

/** Other contacts that have one of the addresses, or had it; those that were deleted have left nothing by it. */
async function othersWith(
  { db }: Reading,
  projectId: ObjectId,
  contacts: readonly Known[],
  emails: string[],
  session: Session | undefined,
): Promise<Known[]> {
  const own = contacts.map(({ _id }) => _id);
  const reading = { session, projection: { email: 1, createdAt: 1 } };
  const present = await db.contacts
    .find({ projectId, email: { $in: emails }, _id: { $nin: own } }, { ...reading, hint: 'email' })
    .toArray();
  const left = { projectId, 'fields.field': 'email', 'fields.from': { $in: emails }, contactId: { $nin: own } };
  const changes = await db.contactHistory
    .find(left, { session, projection: { contactId: 1 }, hint: 'former' })
    .toArray();
  const ids = distinctIds(changes.map(({ contactId }) => contactId));
  if (ids.length === 0) return present;
  const further = { _id: { $in: ids, $nin: present.map(({ _id }) => _id) }, projectId };
  return [...present, ...(await db.contacts.find(further, { ...reading, hint: '_id_' }).toArray())];
}

/** The times of one address, in their order. */
function stretchesOf(holdings: ReadonlyArray<Holding & Stretch>): Stretch[] {
  const stretches: Stretch[] = [];
  for (const { isOwn, since, until } of holdings.toSorted((one, two) => one.since.getTime() - two.since.getTime())) {
    const last = stretches.at(-1);
    if (last?.isOwn === isOwn) last.until = until;
    else stretches.push({ isOwn, since, until });
  }
  return stretches;
}

function spansOf(stretches: readonly Stretch[], purpose: Purpose, email: string): AddressSpan[] {
  return stretches.flatMap(({ isOwn, since, until }, index) => {
    const [before, after] = [stretches[index - 1], stretches[index + 1]];
    if (!isOwn) return [];
    if (purpose === 'file') return { email, since: before ? since : null, until: after ? until : null };
    return { email, since: before ? (before.until ?? since) : null, until: after?.since ?? null };
  });
}

/** Filters of the documents that name these addresses: one for all that have no limits, and one with dates for each of the others. */
export function namingOf(
  addresses: readonly AddressSpan[],
  field: string,
  time: string,
): Array<Record<string, unknown>> {
  const [whole, parts] = [addresses.filter(isWhole), addresses.filter((one) => !isWhole(one))];
  return [
    ...(whole.length > 0 ? [{ [field]: { $in: whole.map(({ email }) => email) } }] : []),
    ...parts.map((one) => ({ [field]: one.email, [time]: within(one) })),
  ];
}

/** The same for documents that are found in another way: the addresses that are the person's at this time. */
export function addressesAt(addresses: readonly AddressSpan[], at: Date): string[] {
  const had = addresses.filter(({ since, until }) => (!since || since <= at) && (!until || at <= until));
  return had.map(({ email }) => email);
}

/** The condition on the time of a document. */
export function within({ since, until }: { since?: Date | null; until: Date | null }): { $gte?: Date; $lte?: Date } {
  return { ...(since ? { $gte: since } : {}), ...(until ? { $lte: until } : {}) };
}

function isWhole({ since, until }: AddressSpan): boolean {
  return since === null && until === null;
}
