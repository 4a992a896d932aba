import type { ObjectId } from 'mongodb';
import { oncePerCore } from '../../base/deps.ts';
import { costlyCache } from '../../base/work/cache.ts';
import { heldFrom } from '../../campaigns/variants/waiting.ts';
import { LEASE_MS } from '../../mail/ledger/ledger.ts';
import type { Recent } from '../../mail/ledger/rates/read.ts';
import type { Lane } from '../../mail/ledger/relay.ts';
import { states } from '../../mail/ledger/states.ts';
import type { FiguresDeps } from '../deps.ts';
import type { CampaignNow } from './campaigns.ts';

export const LANES: readonly Lane[] = ['transactional', 'automation', 'campaign'];

/** More are not counted. */
const COUNTED_MAX = 100_000;
const SHARE = 1 / 50;

interface Waiting {
  /** Of all that are due now or at their next try: those that no process has claimed. Scheduled mail waits once its time has come. */
  waiting: number;
  isExact: boolean;
  inFlight: number;
  /** When the mail was accepted that may be sent and waits longest. */
  oldestAt: Date | null;
}

export interface LaneNow extends Omit<Waiting, 'oldestAt'> {
  lane: Lane;
  oldestSeconds: number | null;
  ratePerSecond: number;
  acceptedToRelayP95Ms: number | null;
}

type LaneDeps = Pick<FiguresDeps, 'db' | 'clock' | 'state'>;

const kept = oncePerCore((_deps: Pick<FiguresDeps, 'state'>) =>
  costlyCache<Waiting>({ sizeMax: 2_000, factor: 1 / SHARE }),
);

/** The project's own mail in each lane. */
export async function lanesNow(
  deps: LaneDeps,
  projectId: ObjectId,
  { recent, campaigns }: { recent: Recent; campaigns: readonly CampaignNow[] },
): Promise<LaneNow[]> {
  const nowMs = deps.clock.now().getTime();
  return Promise.all(
    LANES.map(async (lane) => {
      const { oldestAt, ...waiting } =
        lane === 'campaign' ? ofCampaigns(campaigns, deps.clock.now()) : await rowsOf(deps, projectId, lane);
      return {
        lane,
        ...waiting,
        oldestSeconds: oldestAt ? Math.max(0, Math.round((nowMs - oldestAt.getTime()) / 100) / 10) : null,
        ratePerSecond: recent.rate(lane),
        acceptedToRelayP95Ms: recent.p95(lane),
      };
    }),
  );
}

/** Recipients of campaigns that are sending; of a gradual one, and of one at local time, those who are released. */
function ofCampaigns(campaigns: readonly CampaignNow[], now: Date): Waiting {
  const sum: Waiting = { waiting: 0, isExact: true, inFlight: 0, oldestAt: null };
  for (const { campaign, progress } of campaigns) {
    sum.inFlight += progress.inFlight;
    const { status, gradual, freeze } = campaign;
    const end = (freeze?.frozen?.inBlocks ?? 0) + 1;
    const upTo = status === 'sending_gradual' ? gradual?.releasedUpTo : heldFrom(campaign, now)?.upTo;
    const later = Math.max(0, end - Math.max(1, upTo ?? end));
    const waiting = status === 'paused' ? 0 : Math.max(0, progress.pending - progress.inFlight - later);
    sum.waiting += waiting;
    const released = freeze?.releases?.findLast(({ at }) => at <= now)?.at;
    const at = (status === 'sending_gradual' ? gradual?.dayStartedAt : released) ?? freeze?.at ?? null;
    if (waiting > 0 && at && (!sum.oldestAt || at < sum.oldestAt)) sum.oldestAt = at;
  }
  return sum;
}

function rowsOf(deps: LaneDeps, projectId: ObjectId, lane: Lane): Promise<Waiting> {
  return kept(deps).get(`${projectId.toHexString()} ${lane}`, () => readRows(deps, projectId, lane));
}

/** A claimed mail is due when its lease ends, so those in flight are among the next half minute's. */
async function readRows({ db, clock }: LaneDeps, projectId: ObjectId, lane: Lane): Promise<Waiting> {
  const own = { lane, projectId };
  const now = clock.now();
  const leased = { $gt: now, $lte: new Date(now.getTime() + LEASE_MS) };
  const [all, scheduled, inFlight, oldest] = await Promise.all([
    db.messages.countDocuments({ ...own, dueAt: { $gte: new Date(0) } }, { limit: COUNTED_MAX, hint: 'due' }),
    // Without a hint, so that it works before an upgraded installation has the index.
    db.messages.countDocuments({ ...own, state: states.scheduled, dueAt: { $gt: now } }, { limit: COUNTED_MAX }),
    db.messages.countDocuments(
      { ...own, dueAt: leased, state: states.committing },
      { limit: COUNTED_MAX, hint: 'due' },
    ),
    db.messages.findOne(
      { ...own, dueAt: { $lte: now } },
      { projection: { createdAt: 1, scheduledAt: 1, dueAt: 1 }, sort: { dueAt: 1 }, hint: 'due' },
    ),
  ]);
  return {
    waiting: Math.max(0, all - scheduled - inFlight),
    isExact: all < COUNTED_MAX,
    inFlight,
    oldestAt: oldest?.scheduledAt ?? oldest?.createdAt ?? oldest?.dueAt ?? null,
  };
}
