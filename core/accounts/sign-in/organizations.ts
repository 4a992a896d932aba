import type { Project } from '../../base/model.ts';
import type { AccountsDeps } from '../deps.ts';
import type { Member, Organization } from '../model.ts';
import { listProjects } from '../projects.ts';

const PROJECTS_MAX = 100;

export interface OwnOrganization {
  member: Member;
  organization: Organization;
  projects: Project[];
}

/** The organizations and projects that a person who has signed in may choose from. */
export async function ownOrganizations(deps: AccountsDeps, memberships: Member[]): Promise<OwnOrganization[]> {
  const ids = memberships.map(({ organizationId }) => organizationId);
  const found = await deps.db.organizations.find({ _id: { $in: ids } }).toArray();
  const organizations = new Map(found.map((one) => [one._id.toHexString(), one]));
  const own = memberships.map(async (member): Promise<OwnOrganization[]> => {
    const organization = organizations.get(member.organizationId.toHexString());
    if (!organization) return [];
    const { entries } = await listProjects(deps, organization._id, { limit: PROJECTS_MAX });
    return [{ member, organization, projects: entries }];
  });
  return (await Promise.all(own)).flat();
}
