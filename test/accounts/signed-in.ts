import { sessionCookieName } from '../../api/http/identity/session-cookie.ts';
import { addMember } from '../../core/accounts/members.ts';
import type { Member } from '../../core/accounts/model.ts';
import { createSession } from '../../core/accounts/sign-in/sessions.ts';
import type { Role } from '../../schemas/operations.ts';
import type { Client } from '../support/client.ts';
import type { Environment, Tenant } from '../support/environment.ts';

export interface SignedIn {
  member: Member;
  sessionId: string;
  token: string;
  /** Of the browser, without a project. */
  headers: Record<string, string>;
  /** Speaks with the session, about the project of the tenant. */
  client: Client;
}

/** A member of the tenant's organization with a session, by default with an address of its own. */
export async function signIn(
  environment: Environment,
  tenant: Tenant,
  role: Role,
  email = `${role}-${crypto.randomUUID()}@example.com`,
): Promise<SignedIn> {
  const member = await addMember(environment.deps, tenant.organization._id, { email, role });
  return { member, ...(await newSession(environment, tenant, email)) };
}

export async function newSession(
  environment: Environment,
  { project }: Pick<Tenant, 'project'>,
  email: string,
): Promise<Omit<SignedIn, 'member'>> {
  const { session, token } = await createSession(environment.deps, { email, userAgent: 'a test' });
  const headers = headersWith(environment, token);
  const client = environment.client(null, { ...headers, 'x-project-id': project._id.toHexString() });
  return { sessionId: session._id.toHexString(), token, headers, client };
}

/** The headers of each call of the console, but for the cookie. */
export function consoleHeaders({ url }: Pick<Environment, 'url'>): Record<string, string> {
  return { 'X-Everpost-Console': '1', Origin: url };
}

export function headersWith(environment: Pick<Environment, 'url' | 'deps'>, token: string): Record<string, string> {
  return { ...consoleHeaders(environment), Cookie: `${sessionCookieName(environment.deps.config)}=${token}` };
}
