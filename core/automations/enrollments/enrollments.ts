import { invalid } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { type Page, type PageOf, pageOf } from '../../base/paging.ts';
import { definitionOf, getAutomation } from '../definitions.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Enrollment } from '../model/enrollment.ts';
import { stepAfter } from '../rules/interpreter.ts';

/** An enrollment as the Web UI shows it. */
export interface EnrollmentView {
  enrollment: Enrollment;
  /** null when the contact was deleted. */
  email: string | null;
  /** The step that comes after the current one if nothing changes. */
  nextStepId: string | null;
}

export async function listEnrollments(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  automationId: string,
  { status, stepId, ...page }: Page & { status?: Enrollment['status'] | undefined; stepId?: string | undefined },
): Promise<PageOf<EnrollmentView>> {
  if (stepId !== undefined && status !== undefined && status !== 'active')
    throw invalid('Only active people are on a step.', 'status: must be active, or left out, with stepId');
  const automation = await getAutomation(deps, project, automationId);
  const statuses: Enrollment['status'][] = status ? [status] : ['active', 'completed', 'exited'];
  const own = { projectId: project._id, automationId: automation._id };
  const found = await (stepId === undefined
    ? pageOf(deps.db.enrollments, { ...own, status: { $in: statuses } }, page, {
        sort: { _id: -1 },
        hint: 'automation',
      })
    : pageOf(deps.db.enrollments, { ...own, stepId, live: true }, page, { sort: { _id: -1 }, hint: 'step' }));
  const contacts = await deps.db.contacts
    .find(
      { projectId: project._id, _id: { $in: found.entries.map(({ contactId }) => contactId) } },
      { projection: { email: 1 } },
    )
    .toArray();
  const emails = new Map(contacts.map(({ _id, email }) => [_id.toHexString(), email]));
  const entries = await Promise.all(
    found.entries.map(async (enrollment) => ({
      enrollment,
      email: emails.get(enrollment.contactId.toHexString()) ?? null,
      nextStepId: await nextOf(enrollment),
    })),
  );
  return { ...found, entries };

  async function nextOf({ status: state, stepId, version }: Enrollment): Promise<string | null> {
    if (state !== 'active') return null;
    const compiled = await definitionOf(deps, automation, Math.max(version, automation.moveBefore));
    if (!compiled) return null;
    return stepId === null ? (compiled.graph.first?.stepId ?? null) : stepAfter(compiled, stepId);
  }
}
