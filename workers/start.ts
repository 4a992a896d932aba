import type { Deps } from '../core/base/deps.ts';
import { type JobQueue, startQueues } from '../core/jobs/queue.ts';
import { type Lane, type LaneName, lanes, type WorkerPlan } from './lanes.ts';
import type { Service } from './service.ts';

export interface Workers {
  /** Resolves when every lane works: Temporal's workers poll, the queues have looked, services listen. */
  ready: Promise<void>;
  stop(): Promise<void>;
  /** The state of each queue. */
  due(): Array<{ name: string; running: number; projectsWaiting: number }>;
}

/** Runs the named roles in this process. Tests call it with a database and a prefix of their own. */
export function startWorkers(deps: Deps, names: readonly LaneName[]): Workers {
  const chosen: Lane[] = names.map((name) => lanes[name]);
  const plans = chosen.flatMap(({ worker }) => (worker ? [worker(deps)] : []));
  const kinds: JobQueue[] = chosen.flatMap(({ due = [] }) => due.map((make) => make(deps)));
  const loop = startQueues(deps, kinds);
  const services: Service[] = [
    ...(plans.length > 0 ? [temporalService(deps, plans)] : []),
    ...chosen.flatMap(({ services: made = [] }) => made.map((make) => make(deps))),
  ];
  return {
    ready: Promise.all([loop.ready, ...services.map((service) => service.ready)]).then(() => undefined),
    due: () => loop.stats(),
    stop: () => Promise.all([loop.stop(), ...services.map((service) => service.stop())]).then(() => undefined),
  };
}

/** Temporal's SDK takes thirty megabytes, which a process without a worker of Temporal saves. */
function temporalService(deps: Deps, plans: WorkerPlan[]): Service {
  const running = import('./temporal.ts').then(({ runWorkers }) => runWorkers(deps, plans));
  return {
    name: plans.map(({ queue }) => queue).join(', '),
    ready: running.then(({ ready }) => ready),
    stop: async () => (await running).stop(),
  };
}
