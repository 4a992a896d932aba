import type { FrequencyCap } from '../../../core/base/model.ts';
import { changeProject } from '../../../core/base/projects.ts';
import type { DrillContext } from '../context.ts';
import { pause } from '../waiting.ts';

/** Senders read the cap once a second. */
const KNOWN_MS = 1_100;

/** null: none. Senders that run know it when it resolves. */
export async function setFrequencyCap(
  { deps, project }: Pick<DrillContext, 'deps' | 'project'>,
  cap: Pick<FrequencyCap, 'mails' | 'withinDays'> | null,
): Promise<void> {
  const set = cap ? { frequencyCap: { ...cap, exceptGroupIds: [] } } : {};
  const unset = cap ? {} : { frequencyCap: '' as const };
  await deps.mongo.withSession((session) =>
    session.withTransaction(() => changeProject(deps, project, { set, unset }, session)),
  );
  await pause(KNOWN_MS);
}
