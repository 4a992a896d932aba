import { batch, type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type {
  Campaign,
  CampaignAnalytics,
  CampaignChange,
  CampaignProgress,
  CampaignRatePoint,
  CampaignRates,
  LiveCampaignProgress,
} from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { type LiveEvent, newestProgress, useLive } from '../../../live.ts';
import { type Query, useQuery } from '../../../parts/page/query.ts';
import { isOver, isUnderWay } from './words.tsx';

export interface Now {
  sent: number;
  opened: number;
  clicked: number;
}

/** The data of the campaign page. All of it is loaded once; then events change it. */
export interface Known {
  campaign: Query<Campaign>;
  progress: Query<CampaignProgress>;
  analytics: Query<CampaignAnalytics>;
  rates: Query<CampaignRates>;
  /** Each second, as the last event said. null: no event yet. */
  now: Signal<Now | null>;
  /** The audience is written down, or is being written. */
  hasBegun: ReadonlySignal<boolean>;
  /** Grows when the campaign ends: its final counts are loaded then. */
  ends: Signal<number>;
  /** Grows some seconds after a figure moved: reports, which are counted a little later, are loaded again then. */
  moves: Signal<number>;
}

const POINTS_MAX = 180;
/** Events of a campaign that is sending come twice a second. */
const QUIET_MS = 3_000;
/** Reports by hour and by link are some seconds late. */
const COUNTED_MS = 6_000;

export const changeTypes = [
  'campaign.scheduled',
  'campaign.sending',
  'campaign.paused',
  'campaign.sent',
  'campaign.failed',
  'campaign.aborted',
] as const;

export function useCampaign(id: string): Known {
  const heardAt = useRef(0);
  const now = useSignal<Now | null>(null);
  const ends = useSignal(0);
  const moves = useSignal(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const campaign = useQuery((signal) => api.campaigns.get(id, { signal }));
  const analytics = useQuery(
    async (signal) => withNewest(await api.campaigns.analytics(id, { signal }), id),
    [ends.value],
  );
  const rates = useQuery((signal) => api.campaigns.rates(id, { signal }));
  const progress: Query<CampaignProgress> = useQuery(async (signal) => {
    const askedAt = performance.now();
    const answer = await api.campaigns.progress(id, { signal });
    // An event that came after the question is newer than the answer.
    return (heardAt.current > askedAt && progress.data.peek()) || answer;
  });
  const hasBegun = useComputed(() => (progress.data.value?.total ?? 0) > 0);
  const known: Known = { campaign, progress, analytics, rates, now, hasBegun, ends, moves };

  useLive(['campaign.progress', ...changeTypes], (event) => {
    if (event.data.campaignId !== id) return;
    if (event.type !== 'campaign.progress') return hearChange(known, event);
    heardAt.current = performance.now();
    const before = progress.data.peek() as LiveCampaignProgress | null;
    const heard = event.data as unknown as LiveCampaignProgress;
    batch(() => hearProgress(known, heard));
    if (moved(before, heard)) followMoves();
  });
  /** At most once in that time, however fast the figures move. */
  function followMoves(): void {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      moves.value += 1;
    }, COUNTED_MS);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const { value: isBehind } = useComputed(() => isBehindNow(known));
  useEffect(() => {
    // The event with the last numbers may have been sent before the stream was open, or not at all.
    if (!isBehind) return;
    const timer = setTimeout(() => void progress.reload(), QUIET_MS);
    return () => clearTimeout(timer);
  }, [isBehind]);
  const { value: status } = useComputed(() => progress.data.value?.status);
  const last = useRef(status);
  useEffect(() => {
    const before = campaign.data.peek();
    if (status && before && before.status !== status) campaign.data.value = { ...before, status };
    const hasEnded = last.current && status && !isOver(last.current) && isOver(status);
    last.current = status;
    if (!hasEnded) return;
    ends.value += 1;
    moves.value += 1;
    followMoves();
  }, [status, campaign.data.value === null]);
  return known;
}

/** The stored numbers of an answer are some minutes old. */
function withNewest(counted: CampaignAnalytics, id: string): CampaignAnalytics {
  const newest = newestProgress(id);
  return newest ? { ...counted, counts: { ...counted.counts, ...liveCounts(newest) } } : counted;
}

/** Under way without an event, or with numbers of another status. */
function isBehindNow({ campaign, progress, now }: Known): boolean {
  const [status, shown] = [campaign.data.value?.status, progress.data.value?.status];
  if (status === undefined || shown === undefined) return false;
  return status !== shown || (isUnderWay(status) && now.value === null);
}

function hearProgress({ progress, analytics, rates, now }: Known, event: LiveCampaignProgress): void {
  const { sentPerSecond, openedPerSecond, clickedPerSecond, points } = event;
  progress.data.value = event;
  now.value = { sent: sentPerSecond, opened: openedPerSecond, clicked: clickedPerSecond };
  const counted = analytics.data.peek();
  if (counted) analytics.data.value = { ...counted, counts: { ...counted.counts, ...liveCounts(event) } };
  const drawn = rates.data.peek();
  if (drawn) rates.data.value = { ...drawn, points: withPoints(drawn.points, points) };
}

/** The counts of analytics that a progress has. */
export function liveCounts({
  total,
  sent,
  bounced,
  suppressed,
  failed,
  unknown,
  pending,
  ...rest
}: LiveCampaignProgress) {
  const { opened, humanOpened, clicked, spamReported, unsubscribed } = rest;
  const delivered = Math.max(0, sent - bounced);
  const counts = { totalContacts: total, sent, delivered, bounced, suppressed, failed, unknown, pending };
  return { ...counts, opened, humanOpened, clicked, spamReported, unsubscribed };
}

const FIGURES = ['sent', 'bounced', 'failed', 'unknown', 'opened', 'clicked', 'spamReported', 'unsubscribed'] as const;

function moved(before: LiveCampaignProgress | null, after: LiveCampaignProgress): boolean {
  return FIGURES.some((name) => before?.[name] !== after[name]);
}

/** The newest step grows until it ends. */
function withPoints(points: readonly CampaignRatePoint[], newest: readonly CampaignRatePoint[]): CampaignRatePoint[] {
  const from = newest[0]?.at;
  if (from === undefined) return [...points];
  return [...points.filter(({ at }) => at < from), ...newest].slice(-POINTS_MAX);
}

/** The numbers follow with the next progress: before it, what is in flight is not known. */
function hearChange({ campaign }: Known, { data }: LiveEvent): void {
  const change = data as unknown as CampaignChange;
  const { status, sentAt, pausedAt, abortedAt, pausedReason, failureReason } = change;
  const before = campaign.data.peek();
  if (before) campaign.data.value = { ...before, status, sentAt, pausedAt, abortedAt, pausedReason, failureReason };
}
