import type { ObjectId } from 'mongodb';
import { batchesById } from '../../base/database/batches.ts';
import { pagesOnSecondaries, type ReadOptions } from '../../base/database/secondaries.ts';
import type { Project } from '../../base/model.ts';
import type { Suppression } from '../../consent/suppressions/model.ts';
import type { PeopleDeps } from '../deps.ts';
import type { Contact } from '../model.ts';
import type { ImportError } from './model.ts';

const ENTRIES_AT_ONCE = 1_000;
/** Fewer, since the properties of one may take 64 KiB. */
const CONTACTS_AT_ONCE = 100;

type Tenant = Pick<Project, '_id'>;

/** In pages by id, so that a slow reader holds neither memory nor a cursor. */
export function everyContact(deps: PeopleDeps, project: Tenant): AsyncGenerator<Contact[]> {
  const options = { size: CONTACTS_AT_ONCE, hint: 'newest' };
  return pagesOnSecondaries(deps, (read) =>
    batchesById(deps.db.contacts, { projectId: project._id }, { ...options, ...read }),
  );
}

/** By address; the entries of one address stay together. */
export function everySuppression(deps: PeopleDeps, project: Tenant): AsyncGenerator<Suppression[]> {
  return pagesOnSecondaries(deps, (read) => pagesOfSuppressions(deps, project, read));
}

async function* pagesOfSuppressions(
  { db }: PeopleDeps,
  project: Tenant,
  read: ReadOptions,
): AsyncGenerator<Suppression[]> {
  let last: Suppression | undefined;
  for (;;) {
    const after = last ? { email: { $gte: last.email } } : {};
    const page = await db.suppressions
      .find({ projectId: project._id, ...after }, { hint: 'address', ...read })
      .sort({ email: 1, groupId: 1 })
      .limit(ENTRIES_AT_ONCE)
      .toArray();
    const isNew = ({ email, groupId }: Suppression) => !last || email !== last.email || groupId > last.groupId;
    const fresh = page.filter(isNew);
    if (fresh.length > 0) yield fresh;
    if (page.length < ENTRIES_AT_ONCE || fresh.length === 0) return;
    last = page.at(-1);
  }
}

/** In the order of the file. */
export async function* everyImportError(
  deps: PeopleDeps,
  { projectId, importId }: { projectId: ObjectId; importId: ObjectId },
): AsyncGenerator<ImportError[]> {
  for (let after = 0; ; ) {
    const page = await deps.db.importErrors
      .find({ projectId, importId, row: { $gt: after } }, { hint: 'import' })
      .sort({ row: 1 })
      .limit(ENTRIES_AT_ONCE)
      .toArray();
    if (page.length > 0) yield page;
    if (page.length < ENTRIES_AT_ONCE) return;
    after = page.at(-1)?.row ?? after;
  }
}
