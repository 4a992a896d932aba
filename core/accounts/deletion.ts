import type { ObjectId } from 'mongodb';
import { archiveAutomationsOfProject, deleteEnrollmentsOfProject } from '../automations/lifecycle.ts';
import type { Project } from '../base/model.ts';
import { markProjectDeleted, noteProjectRemoved, takeProjectRemoval } from '../base/projects.ts';
import { abortCampaignsOfProject } from '../campaigns/control.ts';
import { deleteConsentsOfProject } from '../consent/consents/erase.ts';
import { deleteSuppressionsOfProject } from '../consent/suppressions/suppressions.ts';
import { deleteDomainsOfProject } from '../domains/domains.ts';
import { switchWebhooksOff } from '../events/webhooks.ts';
import { deleteReports } from '../figures/reports/state.ts';
import { deleteFormsOfProject } from '../forms/pending.ts';
import { deletePlacesOfProject } from '../mail/frequency/remove.ts';
import { cancelMailOfProject } from '../mail/messages/scheduled/to-deleted.ts';
import { cancelMigrationsOfProject } from '../migrations/migrations.ts';
import { deleteContactsOfProject } from '../people/contacts/of-project.ts';
import { endImportsOfProject, isImporting } from '../people/imports/imports.ts';
import { deleteRequestsOfProject } from '../persons-own/personal-data/requests.ts';
import { deleteMediaOfProject } from '../templates/media/media.ts';
import { KEYS_CHANGED } from './api-keys.ts';
import type { AccountsDeps } from './deps.ts';
import { findProject } from './projects.ts';

type Deleted = Pick<Project, '_id' | 'organizationId'>;
type Step = (deps: AccountsDeps, projectId: ObjectId, mayContinue: () => boolean) => Promise<unknown>;

/** How long the caller waits. */
const WAIT_MS = 2_000;
/** No call that began before the deletion still writes by then. A process that ended in the middle is followed by another one after it. */
const LEASE_MS = 60_000;

/** The keys are revoked first, so that no caller writes into a project that is being deleted. */
export async function deleteProject(deps: AccountsDeps, organizationId: ObjectId, projectId: string): Promise<void> {
  const project = await findProject(deps, organizationId, projectId);
  const deletedAt = deps.clock.now();
  await deps.db.apiKeys.updateMany(
    { organizationId, projectId: project._id, revokedAt: null },
    { $set: { revokedAt: deletedAt } },
  );
  const removalDueAt = new Date(deletedAt.getTime() + LEASE_MS);
  await markProjectDeleted(deps, project, { deletedAt, removalDueAt });
  const until = performance.now() + WAIT_MS;
  await remove(deps, project, parts, () => performance.now() < until);
}

/** A last look at each deleted project, also where the deletion broke off or had too much to remove. */
export async function finishDeletions(deps: AccountsDeps, mayContinue: () => boolean): Promise<void> {
  while (mayContinue()) {
    const now = deps.clock.now();
    const project = await takeProjectRemoval(deps, now, new Date(now.getTime() + LEASE_MS));
    if (!project) return;
    const until = performance.now() + LEASE_MS / 2;
    const isInTime = () => mayContinue() && performance.now() < until;
    // Suppressions of a batch are written before its transaction, so one that was under way is followed by another look.
    const mayStillWrite = await isImporting(deps, project._id);
    const isRemoved = await remove(deps, project, [...parts, ...people], isInTime);
    if (isRemoved && !mayStillWrite) await noteProjectRemoved(deps, project, deps.clock.now());
  }
}

/** Each step may be repeated, and is repeated later where one fails: the project is deleted by then, so its caller gets no error. */
async function remove(
  deps: AccountsDeps,
  project: Deleted,
  steps: readonly Step[],
  mayContinue: () => boolean,
): Promise<boolean> {
  deps.signals.publish(KEYS_CHANGED, '');
  try {
    for (const step of steps) await step(deps, project._id, mayContinue);
    return mayContinue();
  } catch (error) {
    deps.log.error({ err: error, project: project._id }, 'a deleted project is not removed as a whole; retrying');
    return false;
  }
}

/** The first ones keep the project from acting. */
const parts: readonly Step[] = [
  abortCampaignsOfProject,
  archiveAutomationsOfProject,
  cancelMailOfProject,
  switchWebhooksOff,
  cancelMigrationsOfProject,
  endImportsOfProject,
  deleteDomainsOfProject,
  deleteFormsOfProject,
  deleteReports,
  deleteMediaOfProject,
  deleteRequestsOfProject,
  deleteConsentsOfProject,
  deletePlacesOfProject,
];

/** With the last look: by then the runs of people inside automations have ended with their automations. */
const people: readonly Step[] = [deleteContactsOfProject, deleteEnrollmentsOfProject, deleteSuppressionsOfProject];
