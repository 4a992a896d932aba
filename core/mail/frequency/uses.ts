import type { Session } from '../../base/model.ts';
import type { SuppressionGroup } from '../../consent/suppressions/model.ts';
import type { MailDeps } from '../deps.ts';

export async function capWithGroup(
  { db }: Pick<MailDeps, 'db'>,
  session: Session,
  { projectId, groupId }: Pick<SuppressionGroup, 'projectId' | 'groupId'>,
): Promise<string | null> {
  const capped = { _id: projectId, 'frequencyCap.exceptGroupIds': groupId };
  const found = await db.projects.findOne(capped, { session, projection: { _id: 1 } });
  return found && 'the frequency cap of the project';
}
