import { activityInfo, CompleteAsyncError } from '@temporalio/activity';
import { ApplicationFailure, TemporalFailure } from '@temporalio/common';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import type { Log } from '../core/base/deps.ts';
import { AppError } from '../core/base/errors.ts';

/** Translates our errors into Temporal's; every activity runs inside it. */
export function translateFailures(log: Log): ActivityInboundCallsInterceptor {
  return {
    async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>) {
      try {
        return await next(input);
      } catch (error) {
        if (error instanceof TemporalFailure || error instanceof CompleteAsyncError) throw error;
        const { activityType, attempt, workflowExecution } = activityInfo();
        const facts = { activity: activityType, attempt, workflowId: workflowExecution?.workflowId, err: error };
        log.warn(facts, 'an activity failed');
        throw toFailure(error);
      }
    },
  };
}

/**
 * A fault that the caller would have to fix is not retried; an unavailable service is. A history is readable in the Web UI, so it
 * gets our own sentences and only the names of foreign errors: their texts may hold addresses or documents and stay in the log.
 */
export function toFailure(error: unknown): ApplicationFailure {
  if (!(error instanceof AppError)) {
    const { name, code } =
      error instanceof Error ? (error as NodeJS.ErrnoException) : { name: typeof error, code: undefined };
    const type = name || 'Error';
    const message = code === undefined ? type : `${type} ${code}`;
    return withFrames(ApplicationFailure.create({ type, message }), error as Error);
  }
  const { kind, code, message, retryAfterSeconds } = error;
  const nextRetryDelay = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1_000;
  const nonRetryable = kind !== 'unavailable' && kind !== 'rate_limited';
  return withFrames(ApplicationFailure.create({ type: code ?? kind, message, nonRetryable, nextRetryDelay }), error);
}

/** The first lines of a stack repeat the message. */
function withFrames(
  failure: ApplicationFailure,
  { stack = '' }: { stack?: string | undefined } = {},
): ApplicationFailure {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  failure.stack = [`${failure.name}: ${failure.message}`, ...frames].join('\n');
  return failure;
}
