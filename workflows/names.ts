/** Task queues and workflow ids. Every id is derived from a document, so a repeated start finds the existing run. */
export type TaskQueue = 'workflows' | 'background' | 'campaign';

const DEFAULT_PREFIX = 'everpost';

/** Installations that share a Temporal namespace have prefixes of their own. */
export function prefixed(prefix: string, name: string): string {
  return prefix === DEFAULT_PREFIX ? name : `${prefix}-${name}`;
}

/** A queue of the same installation, derived from the one that a workflow runs on. */
export function queueBeside(workflowQueue: string, queue: TaskQueue): string {
  return workflowQueue.replace(/workflows$/, queue);
}

export const workflowIds = {
  campaignSend: (campaignId: string) => `campaign-${campaignId}`,
  metricsRefresh: (campaignId: string) => `metrics-${campaignId}`,
  domainCheck: (domainId: string) => `domain-${domainId}`,
  segmentRecompute: (listId: string) => `segment-${listId}`,
  contactImport: (importId: string) => `import-${importId}`,
  enrollment: (enrollmentId: string) => `enrollment-${enrollmentId}`,
  migration: (projectId: string) => `migration-${projectId}`,
  opensRecompute: () => 'recompute-opens',
};
