import { oncePerCore } from '../../base/deps.ts';
import type { Project } from '../../base/model.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { costlyCache } from '../../base/work/cache.ts';
import type { Campaign } from '../../campaigns/model.ts';
import type { LedgerCounts } from '../../campaigns/numbers/counts.ts';
import { type CampaignProgress, progressOf } from '../../campaigns/numbers/progress.ts';
import { OVER, UNDER_WAY } from '../../campaigns/status.ts';
import { type RatePoint, type Recent, readRecent, STEP_SECONDS } from '../../mail/ledger/rates/read.ts';
import type { FiguresDeps } from '../deps.ts';
import { campaignSource } from '../reports/parts.ts';
import { totalsOf } from '../reports/today.ts';

/** The newest ones. */
const RUNNING_MAX = 20;
/** As long as their stored numbers are refreshed. */
const LATELY_ENDED_MS = 20 * DAY_MS;
const SHARE = 1 / 50;
/** Two whole steps and the present one. */
const LATELY_MS = 3 * STEP_SECONDS * 1_000;
const RATES = ['sent', 'opened', 'clicked'] as const;

/** Campaigns that are under way, and those that are paused. */
export function runningCampaigns({ db }: Pick<FiguresDeps, 'db'>, { _id: projectId }: Pick<Project, '_id'>) {
  return db.campaigns
    .find({ projectId, status: { $in: [...UNDER_WAY, 'paused' as const] } }, { hint: 'status' })
    .sort({ _id: -1 })
    .limit(RUNNING_MAX)
    .toArray();
}

/** Campaigns that ended lately, whose mail is still being opened. */
export async function endedCampaigns(
  { db, clock }: Pick<FiguresDeps, 'db' | 'clock'>,
  { _id: projectId }: Pick<Project, '_id'>,
): Promise<Campaign[]> {
  const since = new Date(clock.now().getTime() - LATELY_ENDED_MS);
  const newest = await db.campaigns
    .find({ projectId, status: { $in: [...OVER] } }, { hint: 'status' })
    .sort({ _id: -1 })
    .limit(RUNNING_MAX)
    .toArray();
  return newest.filter(({ updatedAt }) => updatedAt >= since);
}

export interface CampaignNow {
  campaign: Campaign;
  progress: CampaignProgress;
  /** Mails a second, lately. */
  ratePerSecond: number;
  recent: Recent;
}

export async function campaignNow(deps: FiguresDeps, campaign: Campaign): Promise<CampaignNow> {
  const counted = OVER.includes(campaign.status) ? lastCounts(campaign) : undefined;
  const [progress, recent] = await Promise.all([progressOf(deps, campaign, counted), lately(deps, campaign)]);
  return { campaign, progress, ratePerSecond: recent.rate('sent'), recent };
}

/** As they were stored when it ended, or since: later reports are few. */
function lastCounts({ counts }: Campaign): LedgerCounts {
  const { totalContacts: total, suppressed, failed, sent, bounced, unknown, pending } = counts;
  return { total, suppressed, failed, sent, bounced, unknown, pending, deferred: 0, inFlight: 0 };
}

export type RatesOfCampaign = { stepSeconds: number; points: RatePoint<(typeof RATES)[number]>[] };

/** Of the last 15 minutes. */
export async function campaignRates(
  deps: Pick<FiguresDeps, 'recentCounts' | 'clock'>,
  campaign: Campaign,
): Promise<RatesOfCampaign> {
  const recent = await readRecent(deps, { projectId: campaign.projectId, campaignId: campaign._id });
  return { stepSeconds: STEP_SECONDS, points: recent.points(RATES) };
}

const engagedCounts = oncePerCore((_deps: Pick<FiguresDeps, 'state'>) =>
  costlyCache<Awaited<ReturnType<typeof totalsOf>>>({ sizeMax: 1_000, factor: 1 / SHARE }),
);

/** The data of `campaign.progress`: all that the page of a campaign moves by. */
export async function liveProgress(deps: FiguresDeps, { campaign, progress, recent }: CampaignNow) {
  const { _id, projectId, name } = campaign;
  const of = { projectId, part: campaignSource(_id), since: campaign.freeze?.at ?? campaign.createdAt };
  const totals = await engagedCounts(deps).get(_id.toHexString(), () => totalsOf(deps, of));
  const { opened, humanOpened, clicked, complained, unsubscribed } = totals;
  const { trackingOpen, trackingClick } = campaign;
  return {
    campaignId: _id.toHexString(),
    name,
    ...progress,
    opened: trackingOpen ? opened : 0,
    humanOpened: trackingOpen ? humanOpened : 0,
    clicked: trackingClick ? clicked : 0,
    spamReported: complained,
    unsubscribed,
    sentPerSecond: recent.rate('sent'),
    openedPerSecond: recent.rate('opened'),
    clickedPerSecond: recent.rate('clicked'),
    points: recent.points(RATES),
  };
}

const ENGAGED = ['opened', 'humanOpened', 'clicked', 'spamReported', 'unsubscribed'] as const;

/** Whether people did more than the stored numbers say, which answers of the interface have. */
export function isAhead({ counts }: Campaign, live: Record<(typeof ENGAGED)[number], number>): boolean {
  return ENGAGED.some((name) => live[name] > counts[name]);
}

function lately(deps: Pick<FiguresDeps, 'recentCounts' | 'clock'>, { _id, projectId }: Campaign): Promise<Recent> {
  return readRecent(deps, { projectId, campaignId: _id }, { ms: LATELY_MS });
}
