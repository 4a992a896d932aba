import { signInMails } from '../core/accounts/sign-in/mails.ts';
import { eventKind, triggerKind } from '../core/automations/enrollments/enroll.ts';
import { automationChangeKind, enrollmentKind } from '../core/automations/lifecycle-jobs.ts';
import type { Deps } from '../core/base/deps.ts';
import { campaignMetrics, campaignStarts } from '../core/campaigns/jobs.ts';
import { factCounts } from '../core/contacts/behaviour/count.ts';
import { passingWindows } from '../core/contacts/behaviour/passing.ts';
import { segmentRecomputes } from '../core/contacts/lists/recompute.ts';
import { listRemovals } from '../core/contacts/lists/removals.ts';
import { MailQueue } from '../core/delivery/mail-queue.ts';
import { domainRechecks, domainStarts } from '../core/domains/checks.ts';
import { webhookDeliveries } from '../core/feed/webhook-deliveries.ts';
import { formSubmissions } from '../core/forms/handle-submissions.ts';
import { pendingSubscriptions } from '../core/forms/pending.ts';
import { importStarts } from '../core/imports/imports.ts';
import { inboundRemovals } from '../core/inbound/removals.ts';
import type { JobQueue } from '../core/jobs/queue.ts';
import { mediaRemovals } from '../core/media/removals.ts';
import { contentRemovals, ownContentRemovals } from '../core/messages/content-retention.ts';
import { messageErasures } from '../core/messages/erase.ts';
import { migrationStarts } from '../core/migrations/jobs.ts';
import { seriesCounts } from '../core/reports/count.ts';
import { reputationWarnings } from '../core/reports/warnings.ts';
import { createPoster } from '../platform/fetch/webhook-poster.ts';
import type { TaskQueue } from '../workflows/names.ts';
import { inboundService, ownReports } from './inbound-lane.ts';
import { retentionService } from './retention.ts';
import { sendingOf, sendingService } from './sending.ts';
import type { Service } from './service.ts';
import { submissionService } from './submission-lane.ts';

/** The roles of the processes. Each role lists its activities, its queues, and services with their own life cycle. */
export const lanes = {
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
        domainStarts,
        domainRechecks,
        migrationStarts,
        segmentRecomputes,
        listRemovals,
        factCounts,
        passingWindows,
        importStarts,
        contentRemovals,
        ownContentRemovals,
        inboundRemovals,
        messageErasures,
        mediaRemovals,
        formSubmissions,
        pendingSubscriptions,
      ],
      ...[campaignStarts, campaignMetrics],
      ...[seriesCounts, reputationWarnings],
      ...[triggerKind, eventKind, enrollmentKind, automationChangeKind],
      (deps) => webhookDeliveries(deps, createPoster(deps.config)),
    ],
    services: [retentionService],
  },

  campaign: {
    worker: (deps) => ({
      queue: 'campaign',
      activities: async () => (await import('../activities/campaigns.ts')).campaignPageActivities(sendingOf(deps)),
      options: { maxConcurrentActivityTaskExecutions: 4 },
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
} as const satisfies Record<string, Lane>;

export type LaneName = keyof typeof lanes;

export interface Lane {
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

export function isLaneName(name: string): name is LaneName {
  return name in lanes;
}
