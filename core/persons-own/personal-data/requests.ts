import { type Filter, ObjectId } from 'mongodb';
import { repeatOnDuplicate } from '../../base/database/idempotent-insert.ts';
import { inTransaction } from '../../base/database/transactions.ts';
import { countRequest } from '../../base/limits/request-counts.ts';
import type { Project, Session } from '../../base/model.ts';
import { openSecret, SecretError, sealSecret } from '../../base/secrets.ts';
import type { Language } from '../../base/text/languages/index.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { hashOf, newToken } from '../../base/tokens.ts';
import { projectMailing } from '../../mail/accept/project-mail.ts';
import { readUnsubscribeToken } from '../../mail/compose/tokens.ts';
import { insertWritten, wakeLanes, writtenOf } from '../../mail/messages/messages.ts';
import type { PersonsOwnDeps } from '../deps.ts';
import { exportPerson, personOfAddress } from './export.ts';
import { mailOfData } from './mail-of-data.ts';
import type { DataRequest, Person } from './model.ts';

const LINK_MS = DAY_MS;
const ONCE_A_DAY = [{ most: 1, withinMs: DAY_MS }];
/** A process that dies during a download gives the link back after this time. */
const TAKEN_MS = 600_000;

interface Asking {
  project: Project;
  person: Person;
}

/** The person of a link in a mail; null: it is none of ours, or the project is gone. */
export async function findAsking(
  deps: Pick<PersonsOwnDeps, 'config' | 'db'>,
  mailToken: string,
): Promise<Asking | null> {
  const ref = readUnsubscribeToken(deps.config, mailToken);
  return ref && askingOf(deps, ref.projectId, ref.email);
}

/**
 * Mails a link to the address, once a day. It does the same for every address, whether there is anything about it or not: what there is
 * is read when the link is used. A request whose mail cannot be written does not count.
 */
export async function requestData(
  deps: PersonsOwnDeps,
  { project, person }: Asking,
  language: Language,
): Promise<void> {
  const { _id: projectId } = project;
  const { email } = person;
  const { token, hash } = newToken();
  const _id = new ObjectId();
  const { subject, html, text } = mailOfData(project, language, `${deps.config.publicUrl}/d/${token}`);
  const mail = { seed: _id, to: email, subject, html, text, passesUnsubscribe: true };
  const mailing = await projectMailing(deps, project, mail);
  if (!mailing) return;
  const createdAt = deps.clock.now();
  const expiresAt = new Date(createdAt.getTime() + LINK_MS);
  const sealed = sealSecret(deps.config, contextOf({ _id }), email);
  const request: DataRequest = { _id, projectId, hash, email: sealed, createdAt, expiresAt };
  const counted = { purpose: 'data of a person', who: `${projectId.toHexString()} ${email}`, limits: ONCE_A_DAY };
  const written = [writtenOf(deps, mailing)];
  const write = async (session: Session): Promise<boolean> => {
    if (await countRequest(deps, counted, session)) return false;
    await deps.db.dataRequests.insertOne(request, { session });
    await insertWritten(deps, written, session);
    return true;
  };
  const isCounted = await repeatOnDuplicate(() => inTransaction(deps, write));
  if (isCounted) wakeLanes(deps, written);
}

/** A link that still works, with its project; null: it was used, has expired or never was. */
export async function findDataLink(
  deps: Pick<PersonsOwnDeps, 'config' | 'db' | 'clock'>,
  token: string,
): Promise<Asking | null> {
  const filter = usable(deps, token);
  return filter ? opened(deps, await deps.db.dataRequests.findOne(filter)) : null;
}

/**
 * The file, once: of two requests one gets it. A download that breaks off before its last byte was handed over gives the link back,
 * until it expires.
 */
export async function takeData(deps: Pick<PersonsOwnDeps, 'config' | 'db' | 'clock'>, token: string) {
  const filter = usable(deps, token);
  const takenAt = deps.clock.now();
  const request = filter && (await deps.db.dataRequests.findOneAndUpdate(filter, { $set: { takenAt } }));
  const found = await opened(deps, request);
  return found && request ? download(deps, request, found, takenAt) : null;
}

async function* download(
  deps: Pick<PersonsOwnDeps, 'db' | 'clock'>,
  { _id, projectId }: DataRequest,
  { project, person }: Asking,
  takenAt: Date,
): AsyncGenerator<string> {
  let isWhole = false;
  try {
    yield* exportPerson(deps, project, person);
    isWhole = true;
  } finally {
    if (isWhole) await deps.db.dataRequests.deleteOne({ _id, projectId });
    else await deps.db.dataRequests.updateOne({ _id, projectId, takenAt }, { $unset: { takenAt: '' } });
  }
}

/** Without a project, which the link does not name: the token is 256 random bits. */
function usable({ clock }: Pick<PersonsOwnDeps, 'clock'>, token: string): Filter<DataRequest> | null {
  const hash = hashOf(token);
  const now = clock.now();
  const isFree = { $not: { $gt: new Date(now.getTime() - TAKEN_MS) } };
  return hash && { hash, expiresAt: { $gt: now }, takenAt: isFree };
}

async function askingOf(deps: Pick<PersonsOwnDeps, 'db'>, projectId: ObjectId, email: string): Promise<Asking | null> {
  const project = await deps.db.projects.findOne({ _id: projectId, deletedAt: null });
  return project && { project, person: await personOfAddress(deps, projectId, email) };
}

async function opened(
  deps: Pick<PersonsOwnDeps, 'config' | 'db'>,
  request: DataRequest | null,
): Promise<Asking | null> {
  if (!request) return null;
  try {
    return askingOf(deps, request.projectId, openSecret(deps.config, contextOf(request), request.email));
  } catch (error) {
    // Its key is not named any more.
    if (error instanceof SecretError) return null;
    throw error;
  }
}

function contextOf({ _id }: Pick<DataRequest, '_id'>): string[] {
  return ['data request', _id.toHexString()];
}

export async function deleteRequestsOfProject({ db }: Pick<PersonsOwnDeps, 'db'>, projectId: ObjectId): Promise<void> {
  await db.dataRequests.deleteMany({ projectId }, { hint: 'project' });
}
