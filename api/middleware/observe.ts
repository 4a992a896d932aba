import type { Context, Next } from 'koa';
import type { Deps } from '../../core/deps.ts';

export type Observe = (labels: { method: string; route: string; status: number }, seconds: number) => void;

/** One log line and one measurement a request; never a key, a query or a body. */
export function observeRequests(deps: Deps, observe: Observe) {
  return async (context: Context, next: Next): Promise<void> => {
    const begun = performance.now();
    await next();
    const seconds = (performance.now() - begun) / 1000;
    const { requestId, route = 'none', projectId } = context.state;
    observe({ method: context.method, route, status: context.status }, seconds);
    deps.log.debug(
      { requestId, method: context.method, route, status: context.status, projectId, ms: Math.round(seconds * 1000) },
      'request',
    );
  };
}
