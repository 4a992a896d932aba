import type { Deps } from '../core/base/deps.ts';
import { startQueues } from '../core/jobs/queue.ts';
import { type Role, type RoleName, roles, type WorkerPlan } from './roles.ts';
import type { Service } from './service.ts';

export interface Workers {
  /** Resolves when every role works: Temporal's workers poll, the queues have looked, services listen. */
  ready: Promise<void>;
  stop(): Promise<void>;
  /** The state of each queue. */
  due(): Array<{ name: string; running: number; projectsWaiting: number }>;
}

/** Runs the named roles in this process. Tests call it with a database and a prefix of their own. */
export function startWorkers(deps: Deps, names: readonly RoleName[]): Workers {
  const chosen: Role[] = names.map((name) => roles[name]);
  const plans = chosen.flatMap(({ worker }) => (worker ? [worker(deps)] : []));
  const loops = names.map((name) => startRole(deps, name));
  const services: Service[] = [
    ...(plans.length > 0 ? [temporalService(deps, plans)] : []),
    ...chosen.flatMap(({ services: made = [] }) => made.map((make) => make(deps))),
  ];
  return {
    ready: Promise.all([...loops, ...services].map(({ ready }) => ready)).then(() => undefined),
    due: () => loops.flatMap((loop) => loop.stats()),
    stop: () => Promise.all([...loops, ...services].map((each) => each.stop())).then(() => undefined),
  };
}

/** The queues of a role; all processes with that role take turns at looking for jobs. */
function startRole(deps: Deps, name: RoleName) {
  const { due = [] }: Role = roles[name];
  const kinds = due.map((make) => make(deps));
  return startQueues(deps, kinds, () => deps.members.rank(name));
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
