import type { Context, Next } from 'koa';
import type { Deps } from '../../core/base/deps.ts';

export type Observe = (labels: { method: string; route: string; status: number }, seconds: number) => void;

/** One log line and one measurement for each request; never a key, a query or a body. */
export function observeRequests({ log }: Deps, observe: Observe) {
  return async (context: Context, next: Next): Promise<void> => {
    const begun = performance.now();
    await next();
    const { method, status } = context;
    const { requestId, route = 'none', projectId } = context.state;
    const ms = performance.now() - begun;
    observe({ method, route, status }, ms / 1_000);
    log.debug({ requestId, method, route, status, projectId, ms: Math.round(ms) }, 'request');
  };
}
