import { setTimeout as sleep } from 'node:timers/promises';
import { type AwaitedSegment, segmentsInTheWay, wordsFor } from '../definition/segments.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, CampaignStatus } from '../model.ts';
import { OVER } from '../status.ts';
import { sendingMsOf } from '../transition.ts';
import { heldFrom, type TestState, testStateOf } from '../variants/waiting.ts';
import { type LedgerCounts, nextAtOf, shownCounts } from './counts.ts';
import { processedOf } from './rates.ts';
import { shownReleases, type TestProgress, type ZoneProgress } from './zones.ts';

const LOOK_EVERY_MS = 1_000;
const LIFE_EVERY = 15;

export interface CampaignProgress extends LedgerCounts {
  status: CampaignStatus;
  ratePerSecond: number;
  percent: number;
  etaSeconds: number | null;
  nextAt: Date | null;
  relayNotAnsweringSince: Date | null;
  /** Segments that are being computed: the campaign starts, or freezes its audience, when they are done. */
  waitingFor: AwaitedSegment[];
  /** Of a campaign at local time, in the order of their moments. */
  zones: ZoneProgress[];
  /** Of a campaign that looks for the better variant. */
  test: (TestState & TestProgress) | null;
  /** Left without a mail. */
  holdOut: number;
}

export async function progressOf(
  deps: CampaignsDeps,
  campaign: Campaign,
  counted?: LedgerCounts,
): Promise<CampaignProgress> {
  const counts = counted ?? (await shownCounts(deps, campaign));
  const { status, relay } = campaign;
  const seconds = sendingMsOf(campaign, deps.clock.now()) / 1_000;
  const rate = seconds > 0 ? counts.sent / seconds : 0;
  const processed = processedOf(counts);
  const state = testStateOf(campaign, deps.clock.now());
  const { zones, tested } = await shownReleases(deps, campaign);
  const isAhead = heldFrom(campaign, deps.clock.now()) !== null;
  return {
    status,
    ...counts,
    ratePerSecond: Math.round(rate * 100) / 100,
    percent: counts.total === 0 ? 0 : Math.round((processed / counts.total) * 10_000) / 100,
    etaSeconds: rate > 0 && status === 'sending' && !isAhead ? Math.ceil(counts.pending / rate) : null,
    nextAt: await nextAtOf(deps, campaign, counts),
    relayNotAnsweringSince: relay?.notAnsweringSince ?? null,
    waitingFor: await segmentsInTheWay(deps, campaign),
    zones,
    test: state && { ...state, ...tested },
    holdOut: campaign.freeze?.holdOut ?? 0,
  };
}

/** The same figures as `GET /campaigns/{id}/progress`, for the Web UI. */
export async function describeCampaign(
  deps: CampaignsDeps,
  campaign: Campaign,
  counted?: LedgerCounts,
): Promise<string> {
  const { status, total, sent, suppressed, failed, unknown, pending, deferred, percent, ratePerSecond, waitingFor } =
    await progressOf(deps, campaign, counted);
  const counts = { total, suppressed, failed, sent, unknown, pending };
  const figures = Object.entries(counts).map(([name, count]) => `| ${name} | ${count} |`);
  const { pausedReason, relay } = campaign;
  const why = [
    ...(pausedReason && status === 'paused' ? [`Paused: ${pausedReason}`, ''] : []),
    ...(waitingFor.length > 0 ? [`Waits: ${wordsFor(waitingFor)} being computed.`, ''] : []),
    ...(relay
      ? [`The relay has not answered since ${relay.notAnsweringSince.toISOString()}: ${relay.reason}`, '']
      : []),
  ];
  return [
    `**${status}**, ${percent} % done, ${ratePerSecond} a second, ${deferred} deferred`,
    '',
    ...why,
    '| | recipients |',
    '|---|---|',
    ...figures,
  ].join('\n');
}

interface ProgressEvent {
  id: string;
  event: string;
  data: unknown;
}

/** The figures of `/progress`, each time they changed, until the campaign is over or the caller disconnects. */
export async function* watchCampaign(
  deps: CampaignsDeps,
  campaign: Campaign,
  signal: AbortSignal,
): AsyncGenerator<ProgressEvent | null> {
  const { _id, projectId } = campaign;
  let last = '';
  for (let looks = 0; !signal.aborted; looks += 1) {
    const now = await deps.db.campaigns.findOne({ _id, projectId });
    if (!now) return;
    const progress = await progressOf(deps, now);
    const { ratePerSecond: _rate, etaSeconds: _eta, ...counts } = progress;
    const shown = JSON.stringify(counts);
    if (shown !== last) yield { id: String(looks), event: 'progress', data: progress };
    else if (looks % LIFE_EVERY === 0) yield null;
    last = shown;
    if (OVER.includes(now.status)) return;
    // Aborted: the loop ends.
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
