import { hash } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import { derivedId } from '../../base/ids.ts';
import type { Project, Session } from '../../base/model.ts';
import { plainAddress, shortenedAddress } from '../../base/text/networks.ts';
import type { ConsentDeps } from '../deps.ts';
import type { Consent, NewConsent } from './model.ts';

/** A project, with its setting. */
export type ConsentProject = Pick<Project, '_id' | 'consentAddress'>;

const VERSION_LENGTH = 12;
const SECONDS_MAX = 0xffffffff;

/**
 * Writes consents in the transaction of the change that they belong to. A record that is there already is left as it is; one that
 * another transaction inserts at the same time fails this one with a duplicate key or a conflict, and the caller repeats it.
 */
export async function recordConsents(
  { db, clock }: Pick<ConsentDeps, 'db' | 'clock'>,
  session: Session,
  projectId: ObjectId,
  given: readonly NewConsent[],
): Promise<void> {
  if (given.length === 0) return;
  const createdAt = clock.now();
  const records = new Map<string, Consent>();
  for (const consent of given) {
    const _id = consentId(projectId, consent);
    records.set(_id.toHexString(), { _id, projectId, ...consent, textVersion: textVersion(consent.text), createdAt });
  }
  const ids = [...records.values()].map(({ _id }) => _id);
  const known = await db.consents
    .find({ _id: { $in: ids }, projectId }, { session, hint: '_id_', projection: { _id: 1 } })
    .toArray();
  for (const { _id } of known) records.delete(_id.toHexString());
  if (records.size > 0) await db.consents.insertMany([...records.values()], { session });
}

/** The setting of the project decides how much is stored: the address, its /24 or /48, or nothing. null for a text that is no address. */
export function networkAddressFor(
  { consentAddress = 'shortened' }: ConsentProject,
  address: string | null | undefined,
): string | null {
  if (!address || consentAddress === 'none') return null;
  return consentAddress === 'full' ? plainAddress(address) : shortenedAddress(address);
}

export function textVersion(text: string): string {
  return hash('sha256', text).slice(0, VERSION_LENGTH);
}

/** Address and network are left out: from an id without a key they could be guessed after the erasure. */
function consentId(projectId: ObjectId, consent: NewConsent): ObjectId {
  const { contactId, formId, importId, listIds = [], source, text, askedAt, confirmedAt } = consent;
  const seconds = Math.min(SECONDS_MAX, Math.max(0, Math.floor(askedAt.getTime() / 1_000)));
  const references = [projectId, contactId, formId, importId].map((id) => id?.toHexString() ?? '');
  const lists = listIds.map((id) => id.toHexString()).sort();
  const times = [askedAt.getTime(), confirmedAt?.getTime() ?? ''];
  return derivedId(new Date(seconds * 1_000), 'consent', ...references, lists.join(), ...times, source, text);
}
