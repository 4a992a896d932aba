import type { Child } from '../../../stack/processes/child.ts';
import type { DrillContext } from '../../rig/context.ts';

export interface Fleet {
  urls(): string[];
  /** kill -9 of one of them; resolves when another is ready in its place. */
  kill(kind: 'api' | 'worker'): Promise<void>;
  /** Processes that ended without being killed. */
  exits: string[];
  /** Starts that failed while a server was down, and were made again as a supervisor would. */
  startsRepeated(): number;
}

/** A place that always has a process, but for the time that a new one needs. */
interface Place {
  name: string;
  child: Child;
  url: string;
  start(): Promise<{ child: Child; url?: string }>;
}

const APIS = 4;
const TRIES = 5;
const ROLES = [
  ...['mail', 'mail', 'campaign', 'campaign', 'campaign'],
  ...['workflows', 'background', 'workflows,background'],
];

/** Four API processes and eight workers. Each client of the forms has an address of its own, in X-Forwarded-For. */
export async function startFleet(context: DrillContext, connections: number): Promise<Fleet> {
  const exits: string[] = [];
  const killed = new Set<Child>();
  let startsRepeated = 0;
  const watch = (name: string, child: Child) =>
    void child.exited.then((how) => {
      if (!killed.has(child)) exits.push(`${name} ended (${how})`);
    });
  const fill = async (name: string, start: Place['start'], triesLeft = TRIES): Promise<Place> => {
    try {
      const { child, url = '' } = await start();
      watch(name, child);
      return { name, child, url, start };
    } catch (error) {
      if (triesLeft === 1) throw error;
      startsRepeated += 1;
      return fill(name, start, triesLeft - 1);
    }
  };
  const apiEnv = { TRUSTED_PROXIES: '1', PUBLIC_RATE_LIMIT: '1000000' };
  const workerEnv = (roles: string) => ({
    WORKER_LANES: roles,
    SMTP_MAX_CONNECTIONS: String(connections),
    SMTP_EVIDENCE_URL: context.sink.evidenceUrl,
  });
  const apis: Place[] = [];
  const workers: Place[] = [];
  // One after the other, as all at once they would keep each other from being ready in time.
  for (let n = 1; n <= APIS; n += 1) apis.push(await fill(`api ${n}`, () => context.startAnotherApi(apiEnv)));
  for (const roles of ROLES) {
    const start = async () => ({ child: await context.startWorker(workerEnv(roles)) });
    workers.push(await fill(`worker ${roles}`, start));
  }
  const places = { api: apis, worker: workers };
  return {
    urls: () => apis.map(({ url }) => url),
    exits,
    startsRepeated: () => startsRepeated,
    async kill(kind) {
      const place = places[kind][Math.floor(Math.random() * places[kind].length)]!;
      killed.add(place.child);
      place.child.kill('SIGKILL');
      await place.child.exited;
      Object.assign(place, await fill(place.name, place.start));
    },
  };
}
