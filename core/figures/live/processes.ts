import { oncePerCore } from '../../base/deps.ts';
import { GONE_MS } from '../../base/members.ts';
import type { Project } from '../../base/model.ts';
import { costlyCache } from '../../base/work/cache.ts';
import type { FiguresDeps } from '../deps.ts';
import type { ProcessReport } from './model.ts';

const EVERY_MS = 5_000;
const KEPT_FACTOR = 100;
/** A report need not survive a failover. */
const REPORT_CONCERN = { writeConcern: { w: 1 } } as const;

type Facts = Pick<ProcessReport, 'jobs' | 'held' | 'unwritten' | 'relays'>;

/** Reports this process every few seconds, and reads which others run. Returns the function that ends it. */
export function reportProcess(
  deps: Pick<FiguresDeps, 'db' | 'clock' | 'members' | 'budgets' | 'paces' | 'log'>,
  { roles, version }: Pick<ProcessReport, 'roles' | 'version'>,
  facts: () => Facts = () => ({ jobs: 0, held: 0, unwritten: 0, relays: [] }),
): () => Promise<void> {
  const { db, clock, members, budgets, paces, log } = deps;
  const _id = members.id;
  const startedAt = clock.now();
  let hasFailed = false;
  const report = async () => {
    const row = {
      ...{ roles: [...roles], version, startedAt, seenAt: clock.now() },
      ...{ memoryBytes: process.memoryUsage.rss(), budgets: [...budgets.states(), ...paces.states()], ...facts() },
    };
    try {
      await db.processes.updateOne({ _id }, { $set: row }, { upsert: true, ...REPORT_CONCERN });
      members.read(
        roles,
        await reportedLately(deps).project<Pick<ProcessReport, '_id' | 'roles'>>({ roles: 1 }).toArray(),
      );
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) log.warn({ err: error }, 'this process could not be reported; retrying');
      hasFailed = true;
    }
  };
  let last = report();
  const timer = setInterval(() => {
    last = last.then(report);
  }, EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await last;
    await db.processes.deleteOne({ _id }, REPORT_CONCERN).catch(() => undefined);
  };
}

const kept = oncePerCore((_deps: Pick<FiguresDeps, 'state'>) =>
  costlyCache<ProcessReport[]>({ sizeMax: 1, factor: KEPT_FACTOR }),
);

/** The processes that run, of the whole installation. */
export function runningProcesses(deps: Pick<FiguresDeps, 'db' | 'clock' | 'state'>): Promise<ProcessReport[]> {
  return kept(deps).get('', () => reportedLately(deps).sort({ startedAt: 1 }).toArray());
}

function reportedLately({ db, clock }: Pick<FiguresDeps, 'db' | 'clock'>) {
  return db.processes.find({ seenAt: { $gte: new Date(clock.now().getTime() - GONE_MS) } }, { hint: 'seen' });
}

/** Whether this organization is the only one: others must not learn from figures of the installation what it sends. */
export async function isAlone(
  { db }: Pick<FiguresDeps, 'db'>,
  { organizationId }: Pick<Project, 'organizationId'>,
): Promise<boolean> {
  const another = { _id: { $ne: organizationId } };
  return (await db.organizations.findOne(another, { projection: { _id: 1 }, hint: '_id_' })) === null;
}
