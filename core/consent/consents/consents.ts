import type { ObjectId } from 'mongodb';
import { type Page, type PageOf, pageOf } from '../../base/paging.ts';
import { hashesOfErased } from '../../base/secrets.ts';
import type { ConsentDeps } from '../deps.ts';
import type { Consent } from './model.ts';

interface Person {
  _id: ObjectId;
  projectId: ObjectId;
}

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

export function listConsents(
  { db }: Pick<ConsentDeps, 'db'>,
  { _id: contactId, projectId }: Person,
  page: Page,
): Promise<PageOf<Consent>> {
  return pageOf(db.consents, { projectId, contactId }, page, { sort: NEWEST_FIRST, hint: 'contact' });
}

/** For the operator: the records of erased people who had the address, found by every key that SECRET_KEYS names. */
export function consentsOfErased(
  { db, config }: Pick<ConsentDeps, 'db' | 'config'>,
  projectId: ObjectId,
  email: string,
): Promise<Consent[]> {
  const emailHash = { $in: hashesOfErased({ config }, projectId, email) };
  return db.consents.find({ projectId, emailHash }, { hint: 'erased_address' }).sort(NEWEST_FIRST).toArray();
}
