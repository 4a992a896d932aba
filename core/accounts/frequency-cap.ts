import type { updateProjectBody } from '../../schemas/accounts/account.ts';
import type { Described } from '../../schemas/schema.ts';
import { invalid } from '../base/errors.ts';
import type { FrequencyCap, Project, Session } from '../base/model.ts';
import { liveGroups } from '../consent/suppressions/find-groups.ts';
import { holdGroup } from '../consent/suppressions/groups.ts';
import type { SuppressionGroup } from '../consent/suppressions/model.ts';
import type { AccountsDeps } from './deps.ts';

type Tenant = Pick<Project, '_id'>;
type Input = Described<typeof updateProjectBody>['frequencyCap'];

const FIELD = 'frequencyCap/exceptGroupIds';

/** The cap of a call, checked; null removes it. */
export async function readFrequencyCap(
  deps: AccountsDeps,
  project: Tenant,
  input: Input,
): Promise<{ set: { frequencyCap?: FrequencyCap }; unset: { frequencyCap?: '' } }> {
  if (input === undefined) return { set: {}, unset: {} };
  if (input === null) return { set: {}, unset: { frequencyCap: '' } };
  const { mails, withinDays, exceptGroupIds = [] } = input;
  if (exceptGroupIds.length > 0) refuseUnknown(exceptGroupIds, await liveGroups(deps, project));
  return { set: { frequencyCap: { mails, withinDays, exceptGroupIds } }, unset: {} };
}

function refuseUnknown(codes: string[], groups: SuppressionGroup[]): void {
  for (const [index, code] of codes.entries()) {
    const group = groups.find(({ groupId }) => groupId === code);
    const problem = problemOf(group);
    if (problem) throw invalid(`${FIELD}/${index} ${problem}.`, `${FIELD}/${index}: ${problem}`);
  }
}

function problemOf(group: SuppressionGroup | undefined): string | null {
  if (!group) return 'names no suppression group of this project';
  return group.isMarketing ? 'must not be the marketing group, which no mail names' : null;
}

/** So that none of them is deleted while the cap is stored. */
export async function holdExceptedGroups(
  deps: AccountsDeps,
  session: Session,
  project: Tenant,
  cap: FrequencyCap | undefined,
): Promise<void> {
  for (const [index, groupId] of (cap?.exceptGroupIds ?? []).entries())
    await holdGroup(deps, session, project, groupId, `${FIELD}/${index}`);
}
