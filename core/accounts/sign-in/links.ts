import { type Filter, ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import { sealSecret } from '../../base/secrets.ts';
import { hashOf, newToken } from '../../base/tokens.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import { dueAtOnce } from '../../mail/messages/messages.ts';
import type { AccountsDeps } from '../deps.ts';
import type { SignInLink } from '../model.ts';
import { countLinkRequest } from './limits.ts';

export const LINK_MS = 15 * 60_000;
export const SIGN_IN_MAILS = 'sign-in-mails';
/** Sign-in mails belong to no project. */
const NO_PROJECT = new ObjectId('000000000000000000000000');

/** Sealed for its link alone. */
export interface LinkSecret {
  email: string;
  token: string;
}

export function linkContext({ _id }: Pick<SignInLink, '_id'>): string[] {
  return ['sign-in link', _id.toHexString()];
}

/**
 * Does the same for a known and an unknown address, so neither answer nor time says which it is: the queue of mails finds out, and
 * removes the link of an unknown one.
 */
export async function requestLink(deps: AccountsDeps, asked: { email: string; ip: string }): Promise<void> {
  const { config, db, log } = deps;
  await countLinkRequest(deps, asked);
  if (config.consoleFrom === '')
    return log.warn(
      {},
      'a sign-in link was asked for, and none can be sent without CONSOLE_FROM; make one with npm run admin -- members link EMAIL',
    );
  const { link, token } = newLink(deps);
  const secret: LinkSecret = { email: asked.email, token };
  const sealed = sealSecret(config, linkContext(link), JSON.stringify(secret));
  await db.signInLinks.insertOne({ ...link, sealed, dueAt: dueAtOnce(deps) });
  wakeQueue(deps, SIGN_IN_MAILS, NO_PROJECT);
}

/** For an operator, who has made sure that the address is a member's. Returns the page that the link opens. */
export async function createLink(deps: AccountsDeps, email: string): Promise<string> {
  const { link, token } = newLink(deps);
  await deps.db.signInLinks.insertOne({ ...link, email });
  return linkUrl(deps, token);
}

/** For `npm start`: works on this machine until it is used. The link of the start before ends. */
export async function createLocalLink(deps: AccountsDeps, email: string): Promise<string> {
  const { link, token } = newLink(deps);
  const { expiresAt: _none, ...lasting } = link;
  await deps.db.signInLinks.deleteMany({ isLocal: true });
  await deps.db.signInLinks.insertOne({ ...lasting, email, isLocal: true });
  return linkUrl(deps, token);
}

export function linkUrl({ config }: Pick<AccountsDeps, 'config'>, token: string): string {
  return `${config.publicUrl}/sign-in/${token}`;
}

export interface LinkUse {
  token: string;
  /** The request came from this machine. */
  isLocal: boolean;
}

/** The address that the link signs in; null when it was used, has expired or never was. */
export async function findLink(deps: Pick<AccountsDeps, 'db' | 'clock'>, use: LinkUse): Promise<string | null> {
  const filter = usable(deps, use);
  const link = filter && (await deps.db.signInLinks.findOne(filter));
  return link?.email ?? null;
}

/** The same, once: of two requests one gets the address. */
export async function useLink(
  deps: Pick<AccountsDeps, 'db' | 'clock'>,
  use: LinkUse,
  session: Session,
): Promise<string | null> {
  const filter = usable(deps, use);
  const link = filter && (await deps.db.signInLinks.findOneAndDelete(filter, { session }));
  return link?.email ?? null;
}

function usable({ clock }: Pick<AccountsDeps, 'clock'>, { token, isLocal }: LinkUse): Filter<SignInLink> | null {
  const hash = hashOf(token);
  if (!hash) return null;
  const isLasting = { $not: { $lte: clock.now() } };
  return { hash, email: { $exists: true }, expiresAt: isLasting, ...(isLocal ? {} : { isLocal: false }) };
}

function newLink({ clock }: Pick<AccountsDeps, 'clock'>): { link: SignInLink & { expiresAt: Date }; token: string } {
  const createdAt = clock.now();
  const { token, hash } = newToken();
  const expiresAt = new Date(createdAt.getTime() + LINK_MS);
  return { token, link: { _id: new ObjectId(), projectId: NO_PROJECT, hash, isLocal: false, createdAt, expiresAt } };
}
