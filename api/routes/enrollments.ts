import { getEnrollmentJob, startEnrollments } from '../../core/automations/by-hand/jobs.ts';
import { removeEnrollment } from '../../core/automations/by-hand/remove.ts';
import { enrollBody, enrollmentJobAnswer } from '../../schemas/automations/enrollments.ts';
import { endpoint } from '../http/endpoint.ts';
import { presentEnrollmentJob } from '../present/automations.ts';

const tag = 'automations';

/** People who are entered into an automation by a call. */
export const enrollmentRoutes = [
  endpoint({
    operation: 'automations.enroll',
    method: 'post',
    path: '/automations/{automationId}/enrollments',
    key: 'token',
    tag,
    summary: 'Enter up to 10,000 contacts, or all of a list or a segment, into an active automation',
    description:
      'The entry criteria are not asked, and people enter as `reentry` says. The job runs in the background; its progress can be read for 30 days after its end.',
    body: enrollBody,
    answer: enrollmentJobAnswer,
    status: 202,
    errors: {
      404: 'There is no such automation, or no such list.',
      409: 'The automation is not active.',
    },
    handler: async ({ deps, project, params, body, apiKey, request: { at, seed } }) => {
      const enteredBy = apiKey ? `key ${apiKey.name}` : 'by hand';
      const origin = { at, seed, enteredBy };
      return presentEnrollmentJob(await startEnrollments(deps, project, params.automationId ?? '', body, origin));
    },
  }),
  endpoint({
    operation: 'automations.enrollmentJob',
    method: 'get',
    path: '/automations/{automationId}/enrollments/jobs/{jobId}',
    key: 'token',
    tag,
    summary: 'Get the progress of entering contacts into an automation',
    answer: enrollmentJobAnswer,
    handler: async ({ deps, project, params: { automationId = '', jobId = '' } }) =>
      presentEnrollmentJob(await getEnrollmentJob(deps, project, automationId, jobId)),
  }),
  endpoint({
    operation: 'automations.removeEnrollment',
    method: 'delete',
    path: '/automations/{automationId}/enrollments/{enrollmentId}',
    key: 'token',
    tag,
    summary: 'Let a person leave an automation now, without their later mails',
    description: 'Mail that is queued already goes out.',
    errors: { 404: 'There is no such automation, or no such enrollment that is active.' },
    handler: async ({ deps, project, params: { automationId = '', enrollmentId = '' } }) =>
      removeEnrollment(deps, project, automationId, enrollmentId),
  }),
];
