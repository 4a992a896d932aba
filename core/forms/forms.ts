import type { ObjectId } from 'mongodb';
import { isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { nextUpdate, refuseUnseen } from '../base/database/seen.ts';
import { inTransaction } from '../base/database/transactions.ts';
import type { CallerDeps } from '../base/deps.ts';
import { conflict, invalid, notFound } from '../base/errors.ts';
import { derivedId, findById, parseId } from '../base/ids.ts';
import type { Origin } from '../base/maker.ts';
import type { Project, Session } from '../base/model.ts';
import { type Page, type PageOf, pageOf } from '../base/paging.ts';
import { findNamableGroup } from '../consent/suppressions/find-groups.ts';
import { holdGroup } from '../consent/suppressions/groups.ts';
import { GLOBAL_LIST } from '../people/global-list.ts';
import { holdListsByIds, listsNamed } from '../people/lists/lists.ts';
import { touchProjectRules } from '../people/project-rules.ts';
import { compiled } from '../templates/cache.ts';
import { publishedTemplate, referToTemplate } from '../templates/find.ts';
import type { FormsDeps } from './deps.ts';
import type { Form } from './model.ts';
import { type FormInput, readInput } from './read-input.ts';

/** Returns in words what the removal of the form would break, or null. Called in the transaction of the removal. */
type UseOfForm = (deps: CallerDeps, session: Session, form: Pick<Form, '_id' | 'projectId'>) => Promise<string | null>;

declare module '../base/deps.ts' {
  interface Subscribers {
    usesOfForm: readonly UseOfForm[];
  }
}

/** The parts of a form that name other things of the project. */
type Named = Pick<Form, 'listIds' | 'confirmationTemplateId' | 'unsubscribeGroupIds'>;

type FormChange = FormInput & { updatedAt?: string | undefined };

/** The variable that a template for confirmation mails must name. */
export const CONFIRM_URL = 'confirmUrl';

export async function createForm(
  deps: FormsDeps,
  project: Project,
  { name = '', ...input }: FormInput,
  { at, seed }: Origin,
): Promise<Form> {
  const form: Form = {
    _id: derivedId(at, 'form', seed.toHexString()),
    projectId: project._id,
    name,
    fields: [],
    doubleOptIn: true,
    texts: {},
    redirectTo: { submitted: null, confirmed: null },
    allowedOrigins: [],
    isActive: true,
    ...readInput(input),
    listIds: [],
    confirmationTemplateId: null,
    unsubscribeGroupIds: [],
    ...(await readNamed(deps, project, input)),
    createdAt: at,
    updatedAt: at,
  };
  try {
    await inTransaction(deps, async (session) => {
      await holdNamed(deps, session, form);
      await deps.db.forms.insertOne(form, { session });
    });
    return form;
  } catch (error) {
    if (!isDuplicateKey(error, '_id_')) throw error;
    return findById(deps.db.forms, project, form._id.toHexString(), 'FORM');
  }
}

/** The newest first. */
export function listForms(deps: FormsDeps, project: Project, page: Page): Promise<PageOf<Form>> {
  return pageOf(deps.db.forms, { projectId: project._id }, page, { sort: { createdAt: -1, _id: -1 }, hint: 'project' });
}

export function getForm(deps: FormsDeps, project: Project, formId: string): Promise<Form> {
  return findById(deps.db.forms, project, formId, 'FORM');
}

export async function updateForm(
  deps: FormsDeps,
  project: Project,
  formId: string,
  { updatedAt: seen, ...input }: FormChange,
): Promise<Form> {
  const { _id } = await getForm(deps, project, formId);
  const set: Partial<Form> = { ...readInput(input), ...(await readNamed(deps, project, input)) };
  return inTransaction(deps, async (session) => {
    // A form that another call changes after this read makes the transaction conflict, and be repeated.
    const own = { _id, projectId: project._id };
    const before = await deps.db.forms.findOne(own, { session });
    if (!before) throw notFound('FORM');
    refuseUnseen('form', before, seen);
    const updated = await deps.db.forms.findOneAndUpdate(
      own,
      { $set: { ...set, updatedAt: nextUpdate(before, deps.clock.now()) } },
      { session, returnDocument: 'after' },
    );
    if (!updated) throw notFound('FORM');
    await holdNamed(deps, session, updated);
    return updated;
  });
}

/**
 * Subscriptions that wait for their confirmation can still be confirmed: they hold everything that it needs. The rules of the project are
 * written too, as by an activation that names the form: of the two the later one is repeated, and refused.
 */
export async function deleteForm(deps: FormsDeps, project: Project, formId: string): Promise<void> {
  const _id = parseId(formId);
  if (!_id) throw notFound('FORM');
  const form = { _id, projectId: project._id };
  await inTransaction(deps, async (session) => {
    const { deletedCount } = await deps.db.forms.deleteOne(form, { session });
    if (deletedCount === 0) throw notFound('FORM');
    for (const useOf of deps.subscribers.usesOfForm) {
      const use = await useOf(deps, session, form);
      if (use) throw conflict('INVALID_STATE', `The form lets people into ${use}; take it out there first.`);
    }
    await touchProjectRules(deps, project, session);
  });
}

/** The parts of the input that name other things, each looked up. Parts that are left out are left out of the result. */
async function readNamed(
  deps: FormsDeps,
  project: Project,
  { listIds, confirmationTemplateId, unsubscribeGroupIds }: FormInput,
): Promise<Partial<Named>> {
  const named: Partial<Named> = {};
  if (listIds) named.listIds = await readLists(deps, project, listIds);
  if (confirmationTemplateId !== undefined)
    named.confirmationTemplateId = await readTemplate(deps, project, confirmationTemplateId);
  if (unsubscribeGroupIds) {
    const groups = await Promise.all(
      [...new Set(unsubscribeGroupIds)].map((id) => findNamableGroup(deps, project, id, 'unsubscribeGroupIds')),
    );
    named.unsubscribeGroupIds = groups.map(({ groupId }) => groupId);
  }
  return named;
}

async function readLists(deps: FormsDeps, project: Project, listIds: string[]): Promise<ObjectId[]> {
  if (listIds.includes(GLOBAL_LIST))
    throw invalid(
      'Every contact is in the global list; name the lists that the form adds people to.',
      'listIds: names the global list',
    );
  return listsNamed(deps, project, listIds);
}

async function readTemplate(deps: FormsDeps, project: Project, templateId: string | null): Promise<string | null> {
  if (templateId === null) return null;
  const template = await publishedTemplate(deps, project, templateId, 'confirmationTemplateId');
  if (!namesConfirmUrl(template.emailTemplate))
    throw invalid(
      `The template does not name {{${CONFIRM_URL}}}, so its mail could not be confirmed.`,
      `confirmationTemplateId: must name {{${CONFIRM_URL}}}`,
    );
  return template.templateId;
}

export function namesConfirmUrl(html: string): boolean {
  return compiled(html, 'html', 'confirmationTemplateId').paths.includes(CONFIRM_URL);
}

/** The updates make this transaction conflict with one that removes a thing that the form names: the repeated one sees the other. */
async function holdNamed(
  deps: FormsDeps,
  session: Session,
  { projectId, listIds, confirmationTemplateId, unsubscribeGroupIds }: Form,
): Promise<void> {
  if ((await holdListsByIds(deps, session, projectId, listIds)) < listIds.length)
    throw notFound('CONTACT_LIST', 'listIds');
  const project = { _id: projectId };
  for (const groupId of unsubscribeGroupIds) await holdGroup(deps, session, project, groupId);
  if (confirmationTemplateId)
    await referToTemplate(deps, session, project, confirmationTemplateId, 'confirmationTemplateId');
}
