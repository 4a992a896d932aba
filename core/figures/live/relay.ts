import type { Project } from '../../base/model.ts';
import { HOUR_MS } from '../../base/time/durations.ts';
import type { Message, TimelineEntry } from '../../mail/ledger/model.ts';
import type { Recent } from '../../mail/ledger/rates/read.ts';
import { states } from '../../mail/ledger/states.ts';
import type { FiguresDeps } from '../deps.ts';
import { countsSince, type LastQuarters } from '../reports/today.ts';
import { connectionsAllowed } from './budgets.ts';
import type { ProcessRelay, ProcessReport } from './model.ts';
import { isAlone, runningProcesses } from './processes.ts';

/** The state of a relay while no process has reported itself. */
const UNREPORTED = 'unknown';

type Reported = Pick<ProcessReport, 'relays'>;

export interface RelayNow {
  /** unknown: no process that sends has reported itself. not_answering: no relay of a route answers, in some process. */
  state: 'answering' | 'not_answering' | 'unknown';
  notAnsweringSince: Date | null;
  /** Of the project's own mail. */
  answerP95Ms: number | null;
  sentLastHour: number;
  deferredLastHour: number;
  /** null in an installation of several organizations. */
  reason: string | null;
  host: string | null;
  connections: { used: number; allowed: number } | null;
}

export interface RelayHealth {
  route: ProcessRelay['relay'];
  host: string;
  priority: number;
  weight: number;
  state: 'answering' | 'not_answering';
  notAnsweringSince: Date | null;
  reason: string | null;
  /** That are open. */
  connections: number;
  /** Mails that it took since the processes started. */
  taken: number;
}

export async function relayNow(
  deps: Pick<FiguresDeps, 'db' | 'clock' | 'state'>,
  project: Pick<Project, 'organizationId'>,
  { recent, quarters }: { recent: Recent; quarters: LastQuarters },
): Promise<RelayNow> {
  const [processes, isOwn] = await Promise.all([runningProcesses(deps), isAlone(deps, project)]);
  const relays = processes.flatMap((one) => one.relays);
  const down = relayOutage(processes);
  const { sent, deferred } = countsSince(quarters, new Date(deps.clock.now().getTime() - HOUR_MS));
  return {
    state: relays.length === 0 ? UNREPORTED : down ? 'not_answering' : 'answering',
    notAnsweringSince: down?.notAnsweringSince ?? null,
    answerP95Ms: recent.p95('answer'),
    sentLastHour: sent,
    deferredLastHour: deferred,
    reason: isOwn ? (down?.reason ?? null) : null,
    host: isOwn && relays.length > 0 ? [...new Set(relays.map(({ host }) => host))].join(', ') : null,
    connections: isOwn && relays.length > 0 ? { ...connectionsOf(processes), ...connectionsAllowed(processes) } : null,
  };
}

/** The line of a mail that waits because no relay of its route answers. null: it does not wait, or not for a relay. */
export async function waitsForRelay(
  deps: Pick<FiguresDeps, 'db' | 'clock' | 'state'>,
  project: Pick<Project, 'organizationId'>,
  { state, lane, createdAt }: Pick<Message, 'state' | 'lane' | 'createdAt'>,
): Promise<TimelineEntry | null> {
  if (state !== states.queued) return null;
  const processes = await runningProcesses(deps);
  const hasOwnRoute = lane === 'transactional' && processes.some(({ relays }) => relays.some(isTransactional));
  const serving = processes.map(({ relays }) => ({
    relays: relays.filter((relay) => isTransactional(relay) === hasOwnRoute),
  }));
  const down = relayOutage(serving);
  if (!down?.notAnsweringSince) return null;
  const words = (await isAlone(deps, project)) && down.reason ? `: ${down.reason}` : '.';
  const since = down.notAnsweringSince;
  const at = createdAt && createdAt > since ? createdAt : since;
  return { type: 'waiting', at, reason: `The relay has not answered since ${since.toISOString()}${words}` };
}

function isTransactional({ relay }: ProcessRelay): boolean {
  return relay === 'transactional';
}

/** Relays of one route share their connections. */
export function connectionsOf(processes: readonly Reported[]): { used: number; allowed: number } {
  const routes = processes.flatMap(routesOf);
  return {
    used: routes.flat().reduce((sum, { connectionsOpen }) => sum + connectionsOpen, 0),
    allowed: routes.reduce((sum, relays) => sum + Math.max(...relays.map(({ connectionsMax }) => connectionsMax)), 0),
  };
}

/** Each relay, of all processes together; one that some process cannot reach is not answering. */
export function relaysOf(processes: readonly Reported[]): RelayHealth[] {
  const relays = processes.flatMap((one) => one.relays);
  const byRelay = Map.groupBy(relays, ({ relay, host }) => `${relay} ${host}`);
  return [...byRelay.values()].map((some) => {
    // A process of an earlier version says neither priority nor weight.
    const { relay: route, host, priority = 0, weight = 1 } = some[0]!;
    const [down] = some.filter(({ isAnswering }) => !isAnswering).toSorted(bySince);
    return {
      ...{ route, host, priority, weight },
      state: down ? 'not_answering' : 'answering',
      notAnsweringSince: down?.notAnsweringSince ?? null,
      reason: down?.reason ?? null,
      connections: some.reduce((sum, { connectionsOpen }) => sum + connectionsOpen, 0),
      taken: some.reduce((sum, { delivered = 0 }) => sum + delivered, 0),
    };
  });
}

/** The first outage: no relay of a route answers in some process. null: there is none. */
export function relayOutage(processes: readonly Reported[]): ProcessRelay | null {
  return processes.flatMap(routesOf).flatMap(outageOf).toSorted(bySince)[0] ?? null;
}

function routesOf({ relays }: Reported): ProcessRelay[][] {
  return [...Map.groupBy(relays, ({ relay }) => relay).values()];
}

/** The relay of a route that stopped last, when none of them answers. */
function outageOf(route: ProcessRelay[]): ProcessRelay[] {
  return route.some(({ isAnswering }) => isAnswering) ? [] : route.toSorted(bySince).slice(-1);
}

function bySince(one: ProcessRelay, other: ProcessRelay): number {
  return (one.notAnsweringSince?.getTime() ?? 0) - (other.notAnsweringSince?.getTime() ?? 0);
}
