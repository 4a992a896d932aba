import type { ObjectId } from 'mongodb';
import { repeatOnDuplicate } from '../base/database/idempotent-insert.ts';
import { oncePerCore } from '../base/deps.ts';
import type { Project } from '../base/model.ts';
import { DAY_MS } from '../base/time/durations.ts';
import type { InboundDeps } from './deps.ts';
import type { InboundUsage } from './model.ts';

/**
 * How much mail to people is stored in a day (UTC): of one network for all projects, and for one project. Bounces, complaints and
 * unsubscribes store nothing that grows with the mail, so they are not counted.
 */
export type Quota = 'network' | 'project';

/** The client that brings a mail, and the project that gets it. */
export interface Bringing {
  projectId: ObjectId;
  network: string;
}

type QuotaDeps = Pick<InboundDeps, 'db' | 'clock' | 'config' | 'log' | 'state'>;
type Usage = Pick<InboundUsage, '_id' | 'projectId' | 'network' | 'day'>;

const MEGABYTE = 1_000_000;
/** A mail counts as this many bytes at least: its document and its entries in indexes. */
const MAIL_BYTES_MIN = 4_096;
const NETWORKS_SHOWN_MAX = 20;
/** A count need not survive a failover. */
const COUNT_CONCERN = { writeConcern: { w: 1 } } as const;

type Watcher = (change: { takenBytes: number } | { putOff: Quota }) => void;

/** Called with what this process takes and puts off. */
export const quotaWatchers = oncePerCore((_deps: Pick<InboundDeps, 'state'>) => new Set<Watcher>());

/** The quota that has no room for a mail of this size, before its bytes are sent; null: both have. */
export async function fullQuota(deps: QuotaDeps, bringing: Bringing, bytes: number): Promise<Quota | null> {
  const { network, project } = usagesOf(deps, bringing);
  const ids = [network._id, project._id];
  const owners = [network.projectId, project.projectId];
  const found = await deps.db.inboundUsage.find({ _id: { $in: ids }, projectId: { $in: owners } }).toArray();
  const isFull = (quota: Quota, { _id }: Usage) =>
    (found.find((usage) => usage._id === _id)?.bytes ?? 0) + counted(bytes) > quotaBytes(deps, quota);
  const full = isFull('network', network) ? 'network' : isFull('project', project) ? 'project' : null;
  if (full) await notePutOff(deps, full, full === 'network' ? network : project);
  return full;
}

/** full: the quota that has no room for the mail, which is not counted then. */
type Counted = { full: Quota } | { full: null; uncount(): Promise<void> };

/** Counts a mail before it is stored. */
export async function countMail(deps: QuotaDeps, bringing: Bringing, size: number): Promise<Counted> {
  const { network, project } = usagesOf(deps, bringing);
  const bytes = counted(size);
  if (!(await add(deps, 'network', network, bytes))) {
    await notePutOff(deps, 'network', network);
    return { full: 'network' };
  }
  if (!(await add(deps, 'project', project, bytes))) {
    await takeBack(deps, network, bytes);
    await notePutOff(deps, 'project', project);
    return { full: 'project' };
  }
  for (const watch of quotaWatchers(deps)) watch({ takenBytes: bytes });
  return {
    full: null,
    async uncount() {
      await takeBack(deps, network, bytes);
      await takeBack(deps, project, bytes);
    },
  };
}

/** One statement decides, so that processes together take no more than the quota. */
async function add(deps: QuotaDeps, quota: Quota, usage: Usage, bytes: number): Promise<boolean> {
  const { _id, projectId, network, day } = usage;
  const fits = { _id, projectId, bytes: { $lte: quotaBytes(deps, quota) - bytes } };
  const count = async () => {
    const { matchedCount } = await deps.db.inboundUsage.updateOne(fits, { $inc: { bytes } }, COUNT_CONCERN);
    return matchedCount === 1;
  };
  if (await count()) return true;
  const first = { network, day, bytes: 0, expiresAt: new Date(day.getTime() + 2 * DAY_MS) };
  await repeatOnDuplicate(() =>
    deps.db.inboundUsage.updateOne({ _id, projectId }, { $setOnInsert: first }, { upsert: true, ...COUNT_CONCERN }),
  );
  return count();
}

async function takeBack({ db }: QuotaDeps, { _id, projectId }: Usage, bytes: number): Promise<void> {
  await db.inboundUsage.updateOne({ _id, projectId }, { $inc: { bytes: -bytes } }, COUNT_CONCERN);
}

async function notePutOff(deps: QuotaDeps, quota: Quota, { _id, projectId, network }: Usage): Promise<void> {
  for (const watch of quotaWatchers(deps)) watch({ putOff: quota });
  const usage = await deps.db.inboundUsage.findOneAndUpdate(
    { _id, projectId },
    { $inc: { putOff: 1 } },
    { returnDocument: 'after', ...COUNT_CONCERN },
  );
  if (usage?.putOff === 1)
    deps.log.warn({ quota, projectId, network }, 'inbound mail is put off until midnight UTC: its quota is used up');
}

interface UsageToday {
  bytes: number;
  bytesMax: number;
  putOff: number;
}

/** For operators: today's mail of the project, and the networks whose mail was put off. */
export async function usageToday(deps: QuotaDeps, { _id: projectId }: Pick<Project, '_id'>) {
  const { project } = usagesOf(deps, { projectId, network: '' });
  const { day } = project;
  const [own, networks] = await Promise.all([
    deps.db.inboundUsage.findOne({ _id: project._id, projectId }),
    deps.db.inboundUsage
      .find({ projectId: null, day, putOff: { $exists: true } }, { hint: 'put_off' })
      .sort({ putOff: -1 })
      .limit(NETWORKS_SHOWN_MAX)
      .toArray(),
  ]);
  const shown = (quota: Quota, usage: InboundUsage | null): UsageToday => ({
    bytes: usage?.bytes ?? 0,
    bytesMax: quotaBytes(deps, quota),
    putOff: usage?.putOff ?? 0,
  });
  return {
    from: day,
    to: new Date(day.getTime() + DAY_MS),
    project: shown('project', own),
    networks: networks.map((usage) => ({ network: usage.network ?? '', ...shown('network', usage) })),
  };
}

export function quotaMegabytes({ config }: Pick<InboundDeps, 'config'>, quota: Quota): number {
  return quota === 'network' ? config.inboundNetworkMbPerDay : config.inboundProjectMbPerDay;
}

function quotaBytes(deps: Pick<InboundDeps, 'config'>, quota: Quota): number {
  return quotaMegabytes(deps, quota) * MEGABYTE;
}

function counted(bytes: number): number {
  return Math.max(bytes, MAIL_BYTES_MIN);
}

function usagesOf({ clock }: Pick<InboundDeps, 'clock'>, { projectId, network }: Bringing): Record<Quota, Usage> {
  const day = new Date(Math.floor(clock.now().getTime() / DAY_MS) * DAY_MS);
  const idOf = (who: string) => `${day.toISOString().slice(0, 10)} ${who}`;
  return {
    network: { _id: idOf(network), projectId: null, network, day },
    project: { _id: idOf(projectId.toHexString()), projectId, network: null, day },
  };
}
