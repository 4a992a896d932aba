import {
  createAutomation,
  getAutomation,
  listAutomations,
  updateAutomation,
} from '../../core/automations/automations.ts';
import { listEnrollments } from '../../core/automations/enrollments/enrollments.ts';
import {
  activateAutomation,
  archiveAutomation,
  deleteAutomation,
  pauseAutomation,
  resumeAutomation,
} from '../../core/automations/lifecycle.ts';
import type { Automation } from '../../core/automations/model.ts';
import { simulateAutomation } from '../../core/automations/simulate.ts';
import { statisticsOf } from '../../core/automations/statistics.ts';
import { warningsOf } from '../../core/automations/warnings.ts';
import type { Deps } from '../../core/base/deps.ts';
import {
  automationAnswer,
  automationsAnswer,
  automationsQuery,
  createAutomationBody,
  enrollmentsAnswer,
  enrollmentsQuery,
  simulateBody,
  simulationAnswer,
  updateAutomationBody,
} from '../../schemas/automations.ts';
import { endpoint } from '../http/endpoint.ts';
import { presentAutomation, presentEnrollment, presentSimulation } from '../present/automations.ts';
import { presentPage } from '../present/present.ts';

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
    summary: 'Get an automation with its statistics and the number of contacts that wait to enter',
    answer: automationAnswer,
    handler: async ({ deps, project, params }) =>
      presentWhole(deps, await getAutomation(deps, project, params.automationId ?? '')),
  }),
  endpoint({
    operation: 'automations.update',
    method: 'patch',
    path: '/automations/{automationId}',
    key: 'token',
    tag,
    summary: 'Update a draft or paused automation',
    description: 'Enrolled contacts keep the version they entered with, unless `existing` is "move".',
    body: updateAutomationBody,
    answer: automationAnswer,
    handler: async ({ deps, project, params, body, request }) =>
      presentWhole(deps, await updateAutomation(deps, project, params.automationId ?? '', body, request)),
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
      presentWhole(deps, await activateAutomation(deps, project, params.automationId ?? '')),
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
      presentWhole(deps, await pauseAutomation(deps, project, params.automationId ?? '')),
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
      presentWhole(deps, await resumeAutomation(deps, project, params.automationId ?? '')),
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
      presentWhole(deps, await archiveAutomation(deps, project, params.automationId ?? '')),
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
