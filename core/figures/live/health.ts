import type { Project } from '../../base/model.ts';
import type { FiguresDeps } from '../deps.ts';
import { type BudgetHealth, budgetsOf } from './budgets.ts';
import { type WaitingJobs, waitingJobs } from './jobs.ts';
import type { ProcessReport } from './model.ts';
import { isAlone, runningProcesses } from './processes.ts';
import { connectionsOf, type RelayHealth, relaysOf } from './relay.ts';

interface HealthDetails {
  at: Date;
  redis: 'up' | 'down';
  temporal: 'up' | 'down';
  temporalUrl: string | null;
  /** null in an installation of several organizations. */
  processes: ReturnType<typeof processData>[] | null;
  /** The same. */
  relays: RelayHealth[] | null;
  /** The same. */
  budgets: BudgetHealth[] | null;
  jobs: WaitingJobs[];
}

/** For operators; a tenant among others sees the project's part alone. */
export async function healthDetails(deps: FiguresDeps, project: Project): Promise<HealthDetails> {
  const [isOwn, temporal, jobs] = await Promise.all([
    isAlone(deps, project),
    deps.workflows.isUp(),
    waitingJobs(deps, project._id),
  ]);
  const processes = isOwn ? await runningProcesses(deps) : null;
  const state = (isUp: boolean) => (isUp ? 'up' : 'down');
  return {
    at: deps.clock.now(),
    redis: state(deps.signals.isUp()),
    temporal: state(temporal),
    temporalUrl: isOwn ? deps.config.temporalUiUrl || null : null,
    processes: processes?.map(processData) ?? null,
    relays: processes && relaysOf(processes),
    budgets: processes && budgetsOf(processes),
    jobs,
  };
}

function processData({
  _id: id,
  relays,
  roles,
  version,
  startedAt,
  seenAt,
  memoryBytes,
  jobs,
  held,
  unwritten,
}: ProcessReport) {
  return {
    id,
    roles,
    version,
    startedAt,
    seenAt,
    memoryBytes,
    jobs,
    held,
    unwritten,
    connections: connectionsOf([{ relays }]),
  };
}
