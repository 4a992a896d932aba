import { conflict } from '../base/errors.ts';
import type { Session } from '../base/model.ts';
import type { SuppressionGroup } from '../consent/suppressions/model.ts';
import type { StoredList } from '../people/model.ts';
import type { Template } from '../templates/model.ts';
import type { FormsDeps } from './deps.ts';

type Named = Pick<Template, 'projectId' | 'templateId'>;
const projection = { name: 1 };

/** Runs in the transaction that removes the list. */
export async function refuseListOfForm({ db }: FormsDeps, session: Session, list: StoredList): Promise<void> {
  const { _id, projectId, name } = list;
  const form = await db.forms.findOne({ projectId, listIds: _id }, { session, projection });
  if (!form) return;
  throw conflict(
    'INVALID_STATE',
    `The list "${name}" is named by the form "${form.name}"; take it out there first.`,
    `form ${form._id.toHexString()}: names it`,
  );
}

export async function formWithTemplate(
  { db }: FormsDeps,
  session: Session,
  { projectId, templateId }: Named,
): Promise<string | null> {
  const form = await db.forms.findOne({ projectId, confirmationTemplateId: templateId }, { session, projection });
  return form && `the form "${form.name}"`;
}

export async function formWithGroup(
  { db }: FormsDeps,
  session: Session,
  { projectId, groupId }: Pick<SuppressionGroup, 'projectId' | 'groupId'>,
): Promise<string | null> {
  const form = await db.forms.findOne({ projectId, unsubscribeGroupIds: groupId }, { session, projection });
  return form && `the form "${form.name}"`;
}
