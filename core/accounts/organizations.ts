import { ObjectId } from 'mongodb';
import { createApiKey } from './api-keys.ts';
import type { AccountsDeps } from './deps.ts';
import type { Organization } from './model.ts';

/** Used by `npm run admin -- organizations create`: an organization must exist before any key. */
export async function createOrganization(
  deps: AccountsDeps,
  { name }: { name: string },
): Promise<{ organization: Organization; adminKey: string }> {
  const organization = { _id: new ObjectId(), name, createdAt: deps.clock.now() };
  await deps.db.organizations.insertOne(organization);
  const { key } = await createApiKey(deps, {
    organizationId: organization._id,
    projectId: null,
    name: 'first admin key',
  });
  return { organization, adminKey: key };
}

export async function listOrganizations(deps: AccountsDeps): Promise<Organization[]> {
  return deps.db.organizations.find().sort({ _id: 1 }).toArray();
}
