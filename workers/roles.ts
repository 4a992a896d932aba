import { signInMails } from '../core/accounts/sign-in/mails.ts';
import { enrollmentJobQueue } from '../core/automations/by-hand/run.ts';
import { dateQueue } from '../core/automations/dates/enter.ts';
import { enrollmentQueue, eventQueue, triggerQueue } from '../core/automations/enrollments/enroll.ts';
import { automationChangeQueue } from '../core/automations/enrollments/lifecycle-jobs.ts';
import type { Deps } from '../core/base/deps.ts';
import { campaignMetrics, campaignQueue } from '../core/campaigns/jobs.ts';
import { domainQueue, domainRechecks } from '../core/domains/checks.ts';
import { webhookDeliveries } from '../core/events/webhook-deliveries.ts';
import { seriesCounts } from '../core/figures/reports/counting/count.ts';
import { reputationWarnings } from '../core/figures/reports/warnings.ts';
import { formSubmissions } from '../core/forms/handle-submissions.ts';
import { pendingSubscriptions } from '../core/forms/pending.ts';
import { inboundRemovals } from '../core/inbound/removals.ts';
import type { JobQueue } from '../core/jobs/queue.ts';
import { MailQueue } from '../core/mail/deliver/mail-queue.ts';
import { RANGES_MAX } from '../core/mail/deliver/range-sending.ts';
import { messageErasures } from '../core/mail/erase/erase.ts';
import { contentRemovals, ownContentRemovals } from '../core/mail/messages/content-retention.ts';
import { migrationQueue } from '../core/migrations/progress/jobs.ts';
import { factCounts } from '../core/people/behaviour/count.ts';
import { passingWindows } from '../core/people/behaviour/passing.ts';
import { importQueue } from '../core/people/imports/imports.ts';
import { segmentRecomputes } from '../core/people/lists/recompute.ts';
import { listRemovals } from '../core/people/lists/removals.ts';
import { mediaRemovals } from '../core/templates/media/removals.ts';
import { republicationQueue } from '../core/templates/parts/run.ts';
import { createPoster } from '../platform/fetch/webhook-poster.ts';
import type { TaskQueue } from '../workflows/names.ts';
import { inboundService, ownReports } from './inbound-role.ts';
import { retentionService } from './retention.ts';
import { sendingOf, sendingService } from './sending.ts';
import type { Service } from './service.ts';
import { submissionService } from './submission-role.ts';

/** The roles of the processes. Each role lists its activities, its queues, and services with their own life cycle. */
export const roles = {
  /** A cached run takes half a megabyte, and most runs sleep for days; a run that is not cached is replayed, a dozen events. */
  workflows: { worker: () => ({ queue: 'workflows', runsWorkflows: true, options: { maxCachedWorkflows: 64 } }) },

  background: {
    worker: (deps) => ({
      queue: 'background',
      activities: async () => (await import('../activities/index.ts')).backgroundActivities(deps),
      options: { maxConcurrentActivityTaskExecutions: 50 },
    }),
    due: [
      ...[
        domainQueue,
        domainRechecks,
        migrationQueue,
        segmentRecomputes,
        listRemovals,
        factCounts,
        passingWindows,
        importQueue,
        contentRemovals,
        ownContentRemovals,
        inboundRemovals,
        messageErasures,
        mediaRemovals,
        republicationQueue,
        formSubmissions,
        pendingSubscriptions,
      ],
      ...[campaignQueue, campaignMetrics],
      ...[seriesCounts, reputationWarnings],
      ...[triggerQueue, eventQueue, enrollmentQueue, enrollmentJobQueue, automationChangeQueue, dateQueue],
      (deps) => webhookDeliveries(deps, createPoster(deps.config)),
    ],
    services: [retentionService],
  },

  campaign: {
    worker: (deps) => ({
      queue: 'campaign',
      activities: async () => (await import('../activities/campaigns.ts')).campaignPageActivities(sendingOf(deps)),
      options: { maxConcurrentActivityTaskExecutions: RANGES_MAX },
    }),
    services: [sendingService],
  },

  mail: {
    due: [
      (deps) => new MailQueue(sendingOf(deps), 'transactional'),
      (deps) => new MailQueue(sendingOf(deps), 'automation'),
      (deps) => signInMails(sendingOf(deps).deps),
    ],
    services: [sendingService],
  },

  inbound: { due: [ownReports], services: [inboundService] },

  submission: { services: [submissionService] },
} as const satisfies Record<string, Role>;

export type RoleName = keyof typeof roles;

export interface Role {
  /** Runs Temporal's tasks; waits while Temporal is down. */
  worker?: (deps: Deps) => WorkerPlan;
  /** Work without Temporal. */
  due?: readonly ((deps: Deps) => JobQueue)[];
  /** Work without Temporal. */
  services?: readonly ((deps: Deps) => Service)[];
}

export interface WorkerPlan {
  queue: TaskQueue;
  runsWorkflows?: boolean;
  /** Loaded when a worker of Temporal is made: a process of other roles never loads the SDK. */
  activities?: () => Promise<object>;
  options: { maxCachedWorkflows?: number; maxConcurrentActivityTaskExecutions?: number };
}

export function isRoleName(name: string): name is RoleName {
  return name in roles;
}
