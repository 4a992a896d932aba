import { type ActivityOptions, proxyActivities, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import {
  attributePairs,
  formerState,
  type SearchAttributeValues,
  searchAttributes,
} from './attributes/search-attributes.ts';
import { queueBeside, type TaskQueue } from './names.ts';

/** Every activity beats (activities/beating.ts), or takes no longer than this at most. */
const LOST_AFTER = '10 seconds';

/** Must be called inside a workflow, where the queues of its installation are known. */
export function activitiesOn<Activities>(queue: TaskQueue, options: ActivityOptions) {
  const taskQueue = queueBeside(workflowInfo().taskQueue, queue);
  return proxyActivities<Activities>({ heartbeatTimeout: LOST_AFTER, ...options, taskQueue });
}

/** Writes only what changed: each write is an event of the history. */
export function showAttributes(values: SearchAttributeValues): void {
  const shown = workflowInfo().typedSearchAttributes;
  const keys = hasFormerState() ? { ...searchAttributes, State: formerState } : searchAttributes;
  const changed = attributePairs(values, keys).filter(({ key, value }) => shown.get(key) !== value);
  if (changed.length > 0) upsertSearchAttributes(changed);
}

/** Its history has the writes under that name, so it keeps that name. */
export function hasFormerState(): boolean {
  return workflowInfo().typedSearchAttributes.get(formerState) !== undefined;
}
