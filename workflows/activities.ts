import { type ActivityOptions, proxyActivities, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { queueBeside, type TaskQueue } from './names.ts';
import { attributePairs, type SearchAttributeValues } from './search-attributes.ts';

/** Must be called inside a workflow, where the queues of its installation are known. */
export function activitiesOn<Activities>(queue: TaskQueue, options: ActivityOptions) {
  return proxyActivities<Activities>({ ...options, taskQueue: queueBeside(workflowInfo().taskQueue, queue) });
}

/** Writes only what changed: each write is an event of the history. */
export function showAttributes(values: SearchAttributeValues): void {
  const shown = workflowInfo().typedSearchAttributes;
  const changed = attributePairs(values).filter(({ key, value }) => shown.get(key) !== value);
  if (changed.length > 0) upsertSearchAttributes(changed);
}
