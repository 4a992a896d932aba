import type { Project } from '../../base/model.ts';
import { P95_MS, type Recent, readRecent, STEP_SECONDS } from '../../mail/ledger/rates/read.ts';
import type { FiguresDeps } from '../deps.ts';
import { lastQuarters, type Today, todayIn } from '../reports/today.ts';
import { type Attention, attentionNow } from './attention.ts';
import { type CampaignNow, campaignNow, runningCampaigns } from './campaigns.ts';
import { LANES, type LaneNow, lanesNow } from './lanes.ts';
import { type RelayNow, relayNow } from './relay.ts';

/** The figures of a project at this moment. */
export interface Now {
  at: Date;
  recent: Recent;
  days: Today[];
  lanes: LaneNow[];
  relay: RelayNow;
  attention: Attention[];
  campaigns: CampaignNow[];
}

/** Without the rates of all the time that is shown, when only the newest are wanted. */
export async function figuresNow(
  deps: FiguresDeps,
  project: Project,
  { timezones, isSummary = false }: { timezones: readonly string[]; isSummary?: boolean },
): Promise<Now> {
  const [recent, quarters, running] = await Promise.all([
    readRecent(deps, { projectId: project._id }, isSummary ? { ms: P95_MS } : {}),
    lastQuarters(deps, project),
    runningCampaigns(deps, project),
  ]);
  const campaigns = await Promise.all(running.map((campaign) => campaignNow(deps, campaign)));
  const [lanes, relay] = await Promise.all([
    lanesNow(deps, project._id, { recent, campaigns }),
    relayNow(deps, project, { recent, quarters }),
  ]);
  const at = deps.clock.now();
  return {
    ...{ at, recent, lanes, relay, campaigns },
    attention: await attentionNow(deps, project, { campaigns, relay }),
    days: timezones.map((timezone) => todayIn(timezone, quarters, at)),
  };
}

/** The answer of `GET /reports/now`. */
export function nowData({ at, recent, days, lanes, relay, attention, campaigns }: Now) {
  const [today] = days;
  return {
    at,
    rates: { stepSeconds: STEP_SECONDS, points: recent.points(LANES) },
    today: today && {
      ...dayData(today),
      hours: today.hours.map(({ from, to, ...counts }) => ({ from, to, ...outcomes(counts) })),
    },
    ...{ lanes, relay, attention },
    campaigns: campaigns.map(campaignData),
  };
}

/** The newest points: a stream that missed one has it in the next. */
const POINTS = 3;

/** The data of `project.summary`: the same without what has passed. */
export function summaryData({ at, recent, days, lanes, relay, attention, campaigns }: Now) {
  return {
    at,
    rates: { stepSeconds: STEP_SECONDS, points: recent.points(LANES).slice(-POINTS) },
    today: days.map(dayData),
    ...{ lanes, relay, attention },
    campaigns: campaigns.map(campaignData),
  };
}

function dayData({ timezone, from, to, since, totals }: Today) {
  return { timezone, from, to, since, ...outcomes(totals) };
}

function outcomes({
  accepted,
  sent,
  delivered,
  bounced,
  deferred,
  complained,
  opened,
  humanOpened,
  clicked,
}: Today['totals']) {
  return { accepted, sent, delivered, bounced, deferred, complained, opened, humanOpened, clicked };
}

function campaignData({ campaign, progress, ratePerSecond }: CampaignNow) {
  const { _id, name, status, sendMode, gradual, pausedReason } = campaign;
  const { total, percent, sent, pending, nextAt } = progress;
  // While people wait for their local time there is none.
  const isSending = status === 'sending' && ratePerSecond > 0 && progress.etaSeconds !== null;
  return {
    id: _id.toHexString(),
    ...{ name, status, sendMode, total, percent, sent, pending, ratePerSecond },
    etaSeconds: isSending ? Math.ceil(pending / ratePerSecond) : progress.etaSeconds,
    nextAt,
    pausedReason: status === 'paused' ? pausedReason : null,
    day: sendMode === 'gradual' ? (gradual?.day ?? null) : null,
  };
}
