import type { Project } from '../base/model.ts';
import { carryOverStarts } from '../jobs/starts.ts';
import type { DomainsDeps } from './deps.ts';
import { makeEd25519Keys } from './keys.ts';

/**
 * Domains that were stored before there were Ed25519 keys get one; mail has its signature once the record is found. Their checks that are due
 * become starts. Returns how many there were.
 */
export async function carryOverDomains(deps: DomainsDeps, project: Pick<Project, '_id'>): Promise<number> {
  const projectId = project._id;
  const without = { projectId, dkimEd25519: { $exists: false } };
  let carried = await carryOverStarts(deps, 'domain', { projectId, documents: deps.db.domains, field: 'startDueAt' });
  for await (const { _id } of deps.db.domains.find(without, { projection: { _id: 1 } })) {
    const change = { dkimEd25519: makeEd25519Keys(deps, { _id, projectId }), dkimEd25519Enabled: false };
    const { modifiedCount } = await deps.db.domains.updateOne(
      { _id, ...without },
      { $set: change, $inc: { revision: 1 } },
    );
    carried += modifiedCount;
  }
  return carried;
}
