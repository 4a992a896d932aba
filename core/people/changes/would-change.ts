import type { AppError } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import type { PeopleDeps } from '../deps.ts';
import { projectRulesOf } from '../project-rules.ts';
import { applyChange, type ContactChange, type ContactOutcome } from './apply-change.ts';
import { findGone, readDrafts } from './changes.ts';

/** How these changes would end, by the rules of `changeContacts`; nothing is written. Segments are not compared. */
export async function wouldChange(
  deps: PeopleDeps,
  { _id: projectId }: Pick<Project, '_id'>,
  changes: ContactChange[],
): Promise<Array<ContactOutcome | AppError>> {
  const rules = { ...(await projectRulesOf(deps, projectId)), segments: [], behaviours: [] };
  const drafts = await readDrafts(deps, undefined, projectId, changes);
  const goneListIds = await findGone(deps, undefined, projectId, changes);
  const facts = { projectId, now: deps.clock.now(), goneListIds, pastOf: null };
  return changes.map((change) => applyChange(drafts, rules, change, facts));
}
