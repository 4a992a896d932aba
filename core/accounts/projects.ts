import { ObjectId } from 'mongodb';
import type { createProjectBody, updateProjectBody } from '../../schemas/accounts/account.ts';
import { CONTACT_PROPERTY } from '../../schemas/people/contacts.ts';
import type { Described } from '../../schemas/schema.ts';
import { searchDatesAgain } from '../automations/dates/search.ts';
import { nextUpdate, refuseUnseen } from '../base/database/seen.ts';
import { inTransaction } from '../base/database/transactions.ts';
import { AppError, notFound } from '../base/errors.ts';
import { parseId } from '../base/ids.ts';
import type { Project } from '../base/model.ts';
import { type Page, type PageOf, pageOf } from '../base/paging.ts';
import { changeProject, insertProject, raiseAudienceVersion, updatedAtOf } from '../base/projects.ts';
import { makeBuiltInGroups } from '../consent/suppressions/built-in-groups.ts';
import { makeGlobalList } from '../people/global-list.ts';
import { KEYS_CHANGED } from './api-keys.ts';
import type { AccountsDeps } from './deps.ts';
import { holdExceptedGroups, readFrequencyCap } from './frequency-cap.ts';
import { readPublicFields } from './public-fields.ts';

type ProjectInput = Described<typeof createProjectBody>;
type ProjectChange = Described<typeof updateProjectBody>;

export async function createProject(
  deps: AccountsDeps,
  organizationId: ObjectId,
  {
    name,
    trackingOpen = true,
    trackingClick = true,
    sandboxAddresses,
    sandboxSuppressions,
    dkimAlgorithms,
    timezone,
    timezoneProperty,
    ...shown
  }: ProjectInput,
  _id = new ObjectId(),
): Promise<Project> {
  const createdAt = deps.clock.now();
  const project: Project = {
    _id,
    organizationId,
    name,
    trackingOpen,
    trackingClick,
    ...given({ sandboxAddresses, sandboxSuppressions, dkimAlgorithms }),
    ...readZones({ timezone, timezoneProperty }),
    ...(await readPublicFields(deps, { _id }, shown)).set,
    audienceVersion: 0,
    createdAt,
    deletedAt: null,
  };
  // Everything that belongs to each project comes first, so that a project is complete as soon as it can be read.
  await Promise.all([makeBuiltInGroups(deps, project), makeGlobalList(deps, project)]);
  return insertProject(deps, project);
}

/** Here a malformed id is an invalid request; elsewhere it is a project that does not exist. */
export async function getProject(deps: AccountsDeps, organizationId: ObjectId, projectId: string): Promise<Project> {
  const _id = parseId(projectId);
  if (!_id)
    throw new AppError('invalid', 'projectId must be 24 hexadecimal characters.', {
      code: 'VALIDATION_ERROR',
      details: 'projectId: must be 24 hexadecimal characters',
    });
  return findProject(deps, organizationId, projectId);
}

export async function findProject(deps: AccountsDeps, organizationId: ObjectId, projectId: string): Promise<Project> {
  const _id = parseId(projectId);
  const project = _id && (await deps.db.projects.findOne({ _id, organizationId, deletedAt: null }));
  if (!project) throw projectNotFound();
  return project;
}

export async function listProjects(deps: AccountsDeps, organizationId: ObjectId, page: Page): Promise<PageOf<Project>> {
  return pageOf(deps.db.projects, { organizationId, deletedAt: null }, page);
}

export async function updateProject(
  deps: AccountsDeps,
  organizationId: ObjectId,
  projectId: string,
  {
    name,
    trackingOpen,
    trackingClick,
    sandboxAddresses,
    sandboxSuppressions,
    dkimAlgorithms,
    timezone,
    timezoneProperty,
    frequencyCap,
    updatedAt: seen,
    ...shown
  }: ProjectChange,
): Promise<Project> {
  const project = await findProject(deps, organizationId, projectId);
  const zones = readZones({ timezone, timezoneProperty });
  const plain = given({ name, trackingOpen, trackingClick, sandboxAddresses, sandboxSuppressions, dkimAlgorithms });
  const shownFields = await readPublicFields(deps, project, shown);
  const cap = await readFrequencyCap(deps, project, frequencyCap);
  const fields = { ...plain, ...zones, ...shownFields.set, ...cap.set };
  const unset = { ...shownFields.unset, ...cap.unset };
  const updated = await inTransaction(deps, async (session) => {
    // A project that another call changes after this read makes the transaction conflict, and be repeated.
    const own = { _id: project._id, organizationId, deletedAt: null };
    const found = await deps.db.projects.findOne(own, { session });
    if (!found) throw projectNotFound();
    const before = { updatedAt: updatedAtOf(found) };
    refuseUnseen('project', before, seen);
    const changed = { ...fields, updatedAt: nextUpdate(before, deps.clock.now()) };
    // Automations are compiled with the zones.
    if (Object.keys(zones).length > 0) {
      await raiseAudienceVersion(deps, project._id, session);
      await searchDatesAgain(deps, session, project._id);
    }
    await holdExceptedGroups(deps, session, project, cap.set.frequencyCap);
    return changeProject(deps, project, { set: changed, unset }, session);
  });
  if (!updated) throw projectNotFound();
  deps.signals.publish(KEYS_CHANGED, '');
  return updated;
}

/** The property by its name alone. */
function readZones({ timezone, timezoneProperty }: Pick<ProjectInput, 'timezone' | 'timezoneProperty'>) {
  const name = timezoneProperty === null ? null : timezoneProperty?.replace(CONTACT_PROPERTY, '$1');
  return given({ timezone, timezoneProperty: name });
}

function given<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}

function projectNotFound(): AppError {
  const { kind, code } = notFound('PROJECT');
  return new AppError(kind, 'There is no such project in this organization.', { code });
}
