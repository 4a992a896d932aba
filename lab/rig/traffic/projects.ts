import type { DrillContext } from '../context.ts';
import { createTenant } from '../tenant.ts';

/** The same installation, as a further project of it sees it: with a key and a sending domain of its own. */
export async function addProject(context: DrillContext, name: string): Promise<DrillContext> {
  const { organizationId } = context.project;
  const domain = `${name.toLowerCase()}.example.com`;
  return {
    ...context,
    ...(await createTenant(context.deps, { organizationId, name, domain })),
    sender: `drill@${domain}`,
  };
}
