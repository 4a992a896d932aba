import type { Context, Next } from 'koa';
import type { Deps } from '../../core/base/deps.ts';

export type Observe = (labels: { method: string; route: string; status: number }, seconds: number) => void;

interface Answered {
  requestId: string;
  method: string;
  route: string;
  status: number;
  projectId?: string | undefined;
}

export function observeRequests(deps: Deps, observe: Observe) {
  return async (context: Context, next: Next): Promise<void> => {
    const begun = performance.now();
    await next();
    const { method, status } = context;
    const { requestId, route = 'none', projectId } = context.state;
    noteAnswer(deps, observe, { requestId, method, route, status, projectId }, begun);
  };
}

/** One log line and one measurement for each request; never a key, a query or a body. */
export function noteAnswer({ log }: Pick<Deps, 'log'>, observe: Observe, answered: Answered, begun: number): void {
  const { method, route, status } = answered;
  const ms = performance.now() - begun;
  observe({ method, route, status }, ms / 1_000);
  log.debug({ ...answered, ms: Math.round(ms) }, 'request');
}
