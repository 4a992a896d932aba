import { createAutomation, listAutomations, updateAutomation } from '../../core/automations/automations.ts';
import { type AutomationAt, discardDraft, readAutomation, saveDraft } from '../../core/automations/drafts/drafts.ts';
import { publishAutomation } from '../../core/automations/drafts/publish.ts';
import { listEnrollments } from '../../core/automations/enrollments/enrollments.ts';
import {
  activateAutomation,
  archiveAutomation,
  deleteAutomation,
  pauseAutomation,
  resumeAutomation,
} from '../../core/automations/lifecycle.ts';
import type { Automation } from '../../core/automations/model/automation.ts';
import { simulateAutomation } from '../../core/automations/simulation/simulate.ts';
import { insideBy, statisticsOf } from '../../core/automations/statistics.ts';
import { warningsOf } from '../../core/automations/warnings.ts';
import type { Deps } from '../../core/base/deps.ts';
import {
  automationAnswer,
  automationsAnswer,
  automationsQuery,
  createAutomationBody,
  publishedAutomationAnswer,
  updateAutomationBody,
} from '../../schemas/automations/automations.ts';
import { automationQuery, discardDraftQuery, publishAutomationBody } from '../../schemas/automations/drafts.ts';
import { enrollmentsAnswer, enrollmentsQuery } from '../../schemas/automations/enrollments.ts';
import { simulateBody, simulationAnswer } from '../../schemas/automations/simulation.ts';
import { endpoint, PREVIEWS_A_MINUTE } from '../http/endpoint.ts';
import { presentAutomation, presentEnrollment, presentInside, presentSimulation } from '../present/automations.ts';
import { presentPage } from '../present/page.ts';

const tag = 'automations';
const notThere = { 404: 'There is no such automation, or something that the body names.' };

export const automationRoutes = [
  endpoint({
    operation: 'automations.create',
    method: 'post',
    path: '/automations',
    key: 'project',
    tag,
    summary: 'Create an automation, and activate it when `active` is true',
    body: createAutomationBody,
    answer: automationAnswer,
    status: 201,
    errors: notThere,
    handler: async ({ deps, project, body, request }) => {
      const automation = await createAutomation(deps, project, body, request);
      // It is stored by now: a look that fails must not fail the call.
      return presentAutomation(automation, { warnings: await warningsOf(deps, automation).catch(() => []) });
    },
  }),
  endpoint({
    operation: 'automations.list',
    method: 'get',
    path: '/automations',
    key: 'token',
    tag,
    summary: 'List automations, newest first',
    query: automationsQuery,
    answer: automationsAnswer,
    handler: async ({ deps, project, query }) =>
      presentPage('automations', await listAutomations(deps, project, query), (automation) =>
        presentAutomation(automation),
      ),
  }),
  endpoint({
    operation: 'automations.get',
    method: 'get',
    path: '/automations/{automationId}',
    key: 'token',
    tag,
    summary: 'Get an automation with its statistics and the number of contacts that wait to enter, or its draft',
    query: automationQuery,
    answer: automationAnswer,
    handler: async ({ deps, project, params, query: { version } }) => {
      const at = await readAutomation(deps, project, params.automationId ?? '', version);
      return version === 'draft' ? presentDraft(deps, at) : presentWhole(deps, at.automation);
    },
  }),
  endpoint({
    operation: 'automations.update',
    method: 'patch',
    path: '/automations/{automationId}',
    key: 'token',
    tag,
    summary: 'Update a draft or paused automation, or with `draft` the draft of its next version',
    description:
      'Enrolled contacts keep the version they entered with, unless `existing` is "move". With `draft: true` the automation may be active, and nothing changes for anybody until the draft is published; the answer shows the draft.',
    body: updateAutomationBody,
    answer: automationAnswer,
    errors: { ...notThere, 409: 'It is active and `draft` is not true, or something was saved after draftRevision.' },
    handler: async ({ deps, project, params, body: { draft, ...body }, request }) => {
      const id = params.automationId ?? '';
      if (draft) return presentStoredDraft(deps, await saveDraft(deps, project, id, body, request));
      return presentStored(deps, await updateAutomation(deps, project, id, body, request));
    },
  }),
  endpoint({
    operation: 'automations.publish',
    method: 'post',
    path: '/automations/{automationId}/publish',
    key: 'token',
    tag,
    summary: 'Publish the draft of an automation: it becomes the version that contacts enter',
    description:
      'Checked as at activation when the automation is active or paused. Enrolled contacts keep their version, unless `existing` is "move"; GET with `version=draft` answers beforehand how many they are.',
    body: publishAutomationBody,
    bodyOptional: true,
    answer: publishedAutomationAnswer,
    errors: { 409: 'There is no draft, it is outdated, or something was saved after draftRevision.' },
    handler: async ({ deps, project, params, body }) => {
      const { automation, inside } = await publishAutomation(deps, project, params.automationId ?? '', body);
      return { ...(await presentStored(deps, automation)), inside: presentInside(inside, body.existing) };
    },
  }),
  endpoint({
    operation: 'automations.discardDraft',
    method: 'delete',
    path: '/automations/{automationId}/draft',
    key: 'token',
    tag,
    summary: 'Discard the draft of an automation; what runs stays as it is',
    query: discardDraftQuery,
    errors: { 409: 'There is no draft, or something was saved after draftRevision.' },
    handler: async ({ deps, project, params, query }) =>
      discardDraft(deps, project, params.automationId ?? '', query.draftRevision),
  }),
  endpoint({
    operation: 'automations.delete',
    method: 'delete',
    path: '/automations/{automationId}',
    key: 'token',
    tag,
    summary: 'Delete an automation that is not active; its enrollments end',
    handler: async ({ deps, project, params }) => deleteAutomation(deps, project, params.automationId ?? ''),
  }),
  endpoint({
    operation: 'automations.activate',
    method: 'post',
    path: '/automations/{automationId}/activate',
    key: 'token',
    tag,
    summary: 'Activate an automation, so that contacts enter it',
    answer: automationAnswer,
    handler: async ({ deps, project, params }) =>
      presentStored(deps, await activateAutomation(deps, project, params.automationId ?? '')),
  }),
  endpoint({
    operation: 'automations.pause',
    method: 'post',
    path: '/automations/{automationId}/pause',
    key: 'token',
    tag,
    summary: 'Pause an automation: no contact enters, and enrolled contacts wait at their next step',
    answer: automationAnswer,
    handler: async ({ deps, project, params }) =>
      presentStored(deps, await pauseAutomation(deps, project, params.automationId ?? '')),
  }),
  endpoint({
    operation: 'automations.resume',
    method: 'post',
    path: '/automations/{automationId}/resume',
    key: 'token',
    tag,
    summary: 'Resume a paused automation',
    answer: automationAnswer,
    handler: async ({ deps, project, params }) =>
      presentStored(deps, await resumeAutomation(deps, project, params.automationId ?? '')),
  }),
  endpoint({
    operation: 'automations.archive',
    method: 'post',
    path: '/automations/{automationId}/archive',
    key: 'token',
    tag,
    summary: 'Archive an automation for good; its enrollments end',
    answer: automationAnswer,
    handler: async ({ deps, project, params }) =>
      presentStored(deps, await archiveAutomation(deps, project, params.automationId ?? '')),
  }),
  endpoint({
    operation: 'automations.simulate',
    method: 'post',
    path: '/automations/{automationId}/simulate',
    key: 'token',
    tag,
    summary: 'Simulate the way of a contact through an automation, on a virtual clock and without sending',
    body: simulateBody,
    answer: simulationAnswer,
    perMinute: PREVIEWS_A_MINUTE,
    errors: { ...notThere, 422: 'The mail of `preview` fails with the data of the person.' },
    handler: async ({ deps, project, params, body }) =>
      presentSimulation(await simulateAutomation(deps, project, params.automationId ?? '', body)),
  }),
  endpoint({
    operation: 'automations.enrollments',
    method: 'get',
    path: '/automations/{automationId}/enrollments',
    key: 'token',
    tag,
    summary: 'List the enrollments of an automation, each with its step, the end of its wait and its history',
    query: enrollmentsQuery,
    answer: enrollmentsAnswer,
    handler: async ({ deps, project, params, query }) =>
      presentPage(
        'enrollments',
        await listEnrollments(deps, project, params.automationId ?? '', query),
        presentEnrollment,
      ),
  }),
];

async function presentWhole(deps: Deps, automation: Automation) {
  const [statistics, warnings] = await Promise.all([statisticsOf(deps, automation), warningsOf(deps, automation)]);
  return presentAutomation(automation, { statistics, warnings });
}

/** After a change that is stored: a look that fails leaves its fields out, and must not fail the call. */
function presentStored(deps: Deps, automation: Automation) {
  return presentWhole(deps, automation).catch(() => presentAutomation(automation));
}

function presentStoredDraft(deps: Deps, at: AutomationAt) {
  return presentDraft(deps, at).catch(() => presentAutomation({ ...at.automation, ...at.content }));
}

async function presentDraft(deps: Deps, { automation, content }: AutomationAt) {
  const draft = { ...automation, ...content };
  const [statistics, warnings] = await Promise.all([statisticsOf(deps, draft), warningsOf(deps, draft)]);
  return presentAutomation(draft, { statistics, warnings, inside: insideBy(statistics) });
}
