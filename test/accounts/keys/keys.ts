import type { Scope } from '../../../schemas/operations.ts';
import type { Client } from '../../support/client.ts';
import type { Environment, Tenant } from '../../support/environment.ts';

export interface MadeKey {
  id: string;
  key: string;
  client: Client;
}

/** A project key as the account holder makes it. */
export async function makeKey(
  environment: Environment,
  { project, adminKey }: Tenant,
  limits: { scope?: Scope; domainName?: string } = {},
): Promise<MadeKey> {
  const path = `/account/projects/${project._id}/api-keys`;
  const { status, body, text } = await environment.client(adminKey).post(path, { name: 'made', ...limits });
  if (status !== 201) throw new Error(`no key: ${text}`);
  const { id, key } = body.data;
  return { id, key, client: environment.client(key) };
}
