import type { ObjectId } from 'mongodb';
import type { Consent } from '../../consent/consents/model.ts';
import type { PersonsOwnDeps } from '../deps.ts';
import type { ListChoice, Preferences } from './preferences.ts';

/** Why a person got a mail, in facts that the person knows or may know. */
export interface Reason {
  /** The mail with the link; null: its record is gone. */
  mail: { kind: 'campaign' | 'automation' | 'single'; subject: string | null; sentAt: Date } | null;
  /** The public lists that the person is in; since null: nothing is stored about it any more. */
  lists: Array<Pick<ListChoice, 'name'> & { since: Date | null }>;
  /** Since when the address is a contact of the project. */
  knownSince: Date | null;
  /** The newest first. */
  consents: Array<Pick<Consent, 'text' | 'askedAt' | 'confirmedAt'>>;
}

const CONSENTS_MAX = 5;
/** The newest changes of a contact; of an older one the page shows no date. */
const CHANGES_READ_MAX = 500;
/** A subject that differs for each recipient is stored as it was written. */
const BRACES = '{{';

export async function findReason(deps: PersonsOwnDeps, preferences: Preferences): Promise<Reason> {
  const { contact, lists } = preferences;
  const [mail, since, consents] = await Promise.all([
    mailOf(deps, preferences),
    joinedSince(deps, preferences),
    consentsOf(deps, preferences),
  ]);
  return {
    mail,
    lists: lists.filter(({ isOn }) => isOn).map(({ id, name }) => ({ name, since: since.get(id) ?? null })),
    knownSince: contact?.createdAt ?? null,
    consents,
  };
}

async function mailOf({ db }: PersonsOwnDeps, { ref }: Preferences): Promise<Reason['mail']> {
  const { projectId, messageId } = ref;
  const message = await db.messages.findOne(
    { _id: messageId, projectId },
    { projection: { subject: 1, campaignId: 1, automationId: 1, sentAt: 1, firstAt: 1, createdAt: 1 } },
  );
  const sentAt = message?.sentAt ?? message?.firstAt ?? message?.createdAt;
  if (!message || !sentAt) return null;
  const { campaignId, automationId } = message;
  const stored = message.subject ?? (campaignId ? await subjectOf({ db }, projectId, campaignId) : null);
  const subject = stored?.includes(BRACES) ? null : (stored ?? null);
  return { kind: campaignId ? 'campaign' : automationId ? 'automation' : 'single', subject, sentAt };
}

async function subjectOf(
  { db }: Pick<PersonsOwnDeps, 'db'>,
  projectId: ObjectId,
  _id: ObjectId,
): Promise<string | null> {
  const content = await db.campaignContents.findOne({ _id, projectId }, { projection: { subject: 1 } });
  return content?.subject ?? null;
}

/** When the contact joined each list, the last time. */
async function joinedSince({ db }: PersonsOwnDeps, { ref, contact }: Preferences): Promise<Map<string, Date>> {
  const since = new Map<string, Date>();
  if (!contact) return since;
  const changes = await db.contactHistory
    .find(
      { projectId: ref.projectId, contactId: contact._id },
      { sort: { at: -1, _id: -1 }, limit: CHANGES_READ_MAX, projection: { at: 1, joinedListIds: 1 }, hint: 'contact' },
    )
    .toArray();
  for (const { at, joinedListIds = [] } of changes)
    for (const id of joinedListIds.map((joined) => joined.toHexString())) if (!since.has(id)) since.set(id, at);
  return since;
}

async function consentsOf({ db }: PersonsOwnDeps, { ref, contact }: Preferences): Promise<Reason['consents']> {
  if (!contact) return [];
  return db.consents
    .find(
      { projectId: ref.projectId, contactId: contact._id },
      { sort: { createdAt: -1, _id: -1 }, limit: CONSENTS_MAX, hint: 'contact' },
    )
    .project<Reason['consents'][number]>({ _id: 0, text: 1, askedAt: 1, confirmedAt: 1 })
    .toArray();
}
