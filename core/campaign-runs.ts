import { freezeContent } from './campaign-content.ts';
import { ledgerCounts, nextAtOf, progressOf, refreshCounts } from './campaign-counts.ts';
import { moveCampaign } from './campaign-events.ts';
import { readyToPublish } from './campaign-fields.ts';
import { CAMPAIGN_METRICS, CAMPAIGN_STARTS } from './campaigns.ts';
import type { Deps } from './deps.ts';
import { type DueKind, wakeDue } from './due.ts';
import { done, dueDocuments } from './due-documents.ts';
import { AppError } from './errors.ts';
import { parseId } from './ids.ts';
import type { Campaign, CampaignStatus } from './model.ts';
import { releaseByNow } from './rules/gradual.ts';

export interface CampaignRef {
  projectId: string;
  campaignId: string;
}

/** What the run does next. Decided here from the documents, so that a run can be started anew at any time. */
export type CampaignStep =
  | { kind: 'end'; status: CampaignStatus | 'deleted'; summary: string }
  | { kind: 'park'; status: CampaignStatus; summary: string }
  | { kind: 'wait'; status: CampaignStatus; untilMs: number; summary: string }
  | { kind: 'freeze'; status: CampaignStatus; summary: string }
  | { kind: 'send'; status: CampaignStatus; fromSeq: number; toSeq: number; pagesAtOnce: number; summary: string };

/** How long to wait before what another process holds is looked at again. */
const IN_FLIGHT_LOOK_MS = 1_000;
const MINUTE_MS = 60_000;

/** One step of `campaignSend`. Safe to repeat: each move of the status is a compare-and-set. */
export async function advanceCampaign(deps: Deps, ref: CampaignRef): Promise<CampaignStep & { details: string }> {
  for (;;) {
    const campaign = await readCampaign(deps, ref);
    if (!campaign)
      return {
        kind: 'end',
        status: 'deleted',
        summary: 'The campaign was deleted.',
        details: 'The campaign was deleted.',
      };
    const step = await stepOf(deps, campaign);
    if (step) return { ...step, details: await describeCampaign(deps, campaign) };
  }
}

/** The same figures as `GET /campaigns/{id}/progress`, for the Web UI. */
export async function describeCampaign(deps: Deps, campaign: Campaign): Promise<string> {
  const { status, total, sent, suppressed, failed, unknown, pending, deferred, percent, ratePerSecond } =
    await progressOf(deps, campaign);
  const counts = { total, suppressed, failed, sent, unknown, pending };
  const figures = Object.entries(counts).map(([name, count]) => `| ${name} | ${count} |`);
  const why = campaign.pausedReason && status === 'paused' ? [`Paused: ${campaign.pausedReason}`, ''] : [];
  return [
    `**${status}**, ${percent} % done, ${ratePerSecond} a second, ${deferred} deferred`,
    '',
    ...why,
    '| | recipients |',
    '|---|---|',
    ...figures,
  ].join('\n');
}

/** null: the status moved; look again. */
async function stepOf(deps: Deps, campaign: Campaign): Promise<CampaignStep | null> {
  const { status } = campaign;
  switch (status) {
    case 'draft':
    case 'sent':
    case 'failed':
    case 'aborted':
      return { kind: 'end', status, summary: `The campaign is ${status}.` };
    case 'paused':
      return { kind: 'park', status, summary: `Paused: ${campaign.pausedReason ?? 'by a call'}` };
    case 'scheduled':
      return scheduledStep(deps, campaign);
    case 'sending':
    case 'sending_gradual':
      return campaign.freeze?.isDone
        ? sendingStep(deps, campaign)
        : { kind: 'freeze', status, summary: 'Writes down the audience' };
  }
}

async function scheduledStep(deps: Deps, campaign: Campaign): Promise<CampaignStep | null> {
  const now = deps.clock.now();
  const startsAt = campaign.startsAt ?? now;
  if (startsAt > now)
    return {
      kind: 'wait',
      status: 'scheduled',
      untilMs: startsAt.getTime(),
      summary: `starts at ${startsAt.toISOString()}`,
    };
  const lateMinutes = Math.floor((now.getTime() - startsAt.getTime()) / MINUTE_MS);
  if (lateMinutes > campaign.maxLatenessMinutes) return pauseLate(deps, campaign, lateMinutes, now);
  return begin(deps, campaign, now);
}

async function pauseLate(deps: Deps, campaign: Campaign, lateMinutes: number, now: Date): Promise<null> {
  const pausedReason = `It could not start on time: it is ${lateMinutes} minutes late, and maxLatenessMinutes is ${campaign.maxLatenessMinutes}. Resume starts it.`;
  await move(deps, campaign, { status: 'paused', pausedAt: now, pausedReason });
  return null;
}

/** The content is frozen when sending starts; what cannot be sent at all fails here, with the reason. */
async function begin(deps: Deps, campaign: Campaign, now: Date): Promise<null> {
  const project = await deps.db.projects.findOne({ _id: campaign.projectId, deletedAt: null });
  try {
    if (!project) throw new AppError('not_found', 'The project was deleted.');
    await readyToPublish(deps, project, campaign);
    await freezeContent(deps, campaign);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const failureReason = error.details ? `${error.message} (${error.details})` : error.message;
    await move(deps, campaign, { status: 'failed', failureReason });
    return null;
  }
  await move(deps, campaign, {
    status: campaign.sendMode === 'gradual' ? 'sending_gradual' : 'sending',
    startedAt: now,
    metricsDueAt: now,
  });
  wakeDue(deps, CAMPAIGN_METRICS, campaign.projectId);
  return null;
}

async function sendingStep(deps: Deps, campaign: Campaign): Promise<CampaignStep | null> {
  const { _id, projectId, status } = campaign;
  const limit = status === 'sending_gradual' ? await release(deps, campaign) : Number.MAX_SAFE_INTEGER;
  const range = await queuedRange(deps, campaign, limit);
  if (range) {
    const pagesAtOnce = campaign.sendRatePerSecond === null ? deps.config.workerProcesses + 1 : 1;
    return { kind: 'send', status, ...range, pagesAtOnce, summary: 'Sends' };
  }
  const counts = await ledgerCounts(deps, campaign);
  if (counts.inFlight > 0) return waitStep(deps, status, IN_FLIGHT_LOOK_MS, 'waits for the relay to answer');
  if (status === 'sending_gradual' && counts.pending > counts.deferred) {
    const fresh = await deps.db.campaigns.findOne({ _id, projectId });
    const nextAt = fresh?.nextBatchAt ?? deps.clock.now();
    return { kind: 'wait', status, untilMs: nextAt.getTime(), summary: `next slice at ${nextAt.toISOString()}` };
  }
  if (counts.deferred > 0) {
    const nextAt =
      (await nextAtOf(
        deps,
        { ...campaign, status: 'sending' },
        { pending: counts.deferred, deferred: counts.deferred },
      )) ?? deps.clock.now();
    if (nextAt <= deps.clock.now()) return sendDeferred(deps, campaign);
    return {
      kind: 'wait',
      status,
      untilMs: nextAt.getTime(),
      summary: `${counts.deferred} deferred, the first until ${nextAt.toISOString()}`,
    };
  }
  return finish(deps, campaign, counts);
}

function waitStep(deps: Deps, status: CampaignStatus, delayMs: number, summary: string): CampaignStep {
  return { kind: 'wait', status, untilMs: deps.clock.now().getTime() + delayMs, summary };
}

/** Everything of it: a page takes what is queued, and what is deferred and due. */
async function sendDeferred(deps: Deps, campaign: Campaign): Promise<CampaignStep> {
  return {
    kind: 'send',
    status: campaign.status,
    fromSeq: 0,
    toSeq: Number.MAX_SAFE_INTEGER,
    pagesAtOnce: 1,
    summary: 'Sends what was deferred',
  };
}

async function finish(
  deps: Deps,
  campaign: Campaign,
  counts: { total: number; sent: number; unknown: number; suppressed: number; failed: number },
): Promise<null> {
  const now = deps.clock.now();
  const nothingLeft = counts.sent + counts.unknown === 0;
  const failureReason =
    counts.total === 0
      ? 'Nobody is in the audience: the lists are empty, or everybody in them is excluded.'
      : `Nothing could be sent: of ${counts.total} recipients ${counts.suppressed} are suppressed and ${counts.failed} failed.`;
  await move(
    deps,
    campaign,
    nothingLeft ? { status: 'failed', failureReason } : { status: 'sent', sentAt: now, nextBatchAt: null },
  );
  return null;
}

/** The lowest and the highest place at which somebody waits. */
async function queuedRange(
  deps: Deps,
  { _id, projectId }: Campaign,
  below: number,
): Promise<{ fromSeq: number; toSeq: number } | null> {
  const filter = { campaignId: _id, projectId, state: 'queued' as const, seq: { $lt: below } };
  const end = (seq: 1 | -1) =>
    deps.db.messages.findOne(filter, { sort: { seq }, projection: { seq: 1 }, hint: 'campaign' });
  const [first, last] = await Promise.all([end(1), end(-1)]);
  return first?.seq && last?.seq ? { fromSeq: first.seq, toSeq: last.seq } : null;
}

/** Moves day, budget and release together, by one compare-and-set: a crash can neither spend a budget twice nor lose it. Answers the first place that must wait. */
async function release(deps: Deps, campaign: Campaign): Promise<number> {
  const { _id, projectId, gradual } = campaign;
  if (!gradual) return Number.MAX_SAFE_INTEGER;
  const now = deps.clock.now();
  const { state, count, nextBatchAt } = releaseByNow(gradual, gradual, now);
  const releasedUpTo = await placeAfter(deps, campaign, gradual.releasedUpTo, count);
  const moved = await deps.db.campaigns.findOneAndUpdate(
    {
      _id,
      projectId,
      status: 'sending_gradual',
      'gradual.day': gradual.day,
      'gradual.releasedToday': gradual.releasedToday,
      'gradual.releasedUpTo': gradual.releasedUpTo,
    },
    {
      $set: {
        'gradual.day': state.day,
        'gradual.calendarDay': state.calendarDay,
        'gradual.releasedToday': state.releasedToday,
        'gradual.dayStartedAt': state.dayStartedAt,
        'gradual.releasedUpTo': releasedUpTo,
        nextBatchAt,
      },
    },
  );
  return moved ? releasedUpTo : gradual.releasedUpTo;
}

/** The place before which `count` more of those not released yet are queued. */
async function placeAfter(deps: Deps, { _id, projectId }: Campaign, from: number, count: number): Promise<number> {
  if (count === 0) return from;
  const [last] = await deps.db.messages
    .find(
      { campaignId: _id, projectId, state: 'queued', seq: { $gte: from } },
      { projection: { seq: 1 }, hint: 'campaign' },
    )
    .sort({ seq: 1 })
    .skip(count - 1)
    .limit(1)
    .toArray();
  return last?.seq === undefined ? Number.MAX_SAFE_INTEGER : last.seq + 1;
}

async function move(deps: Deps, { _id, projectId, status, updatedAt }: Campaign, to: Partial<Campaign>): Promise<void> {
  const moved = await moveCampaign(
    deps,
    { _id, projectId, status, updatedAt },
    { $set: { ...to, updatedAt: deps.clock.now() } },
  );
  // Numbers are refreshed at once when the status changes.
  if (moved) await refreshCounts(deps, { _id, projectId });
}

export async function readCampaign(deps: Deps, { projectId, campaignId }: CampaignRef): Promise<Campaign | null> {
  const [_id, project] = [parseId(campaignId), parseId(projectId)];
  return _id && project && deps.db.campaigns.findOne({ _id, projectId: project });
}

/** The numbers go on being refreshed after the campaign is over, so their run stands by itself. */
export function campaignMetrics(deps: Deps): DueKind {
  return dueDocuments<Campaign>(deps, {
    name: CAMPAIGN_METRICS,
    collection: deps.db.campaigns,
    field: 'metricsDueAt',
    concurrencyMax: 8,
    run: async ({ _id, projectId }) => {
      await deps.workflows.refreshMetrics({ projectId: projectId.toHexString(), campaignId: _id.toHexString() });
      return done;
    },
  });
}

/** Starts runs, and tells those that are there that something was decided. */
export function campaignStarts(deps: Deps): DueKind {
  return dueDocuments<Campaign>(deps, {
    name: CAMPAIGN_STARTS,
    collection: deps.db.campaigns,
    field: 'startDueAt',
    concurrencyMax: 16,
    run: async ({ _id, projectId }) => {
      await deps.workflows.sendCampaign({ projectId: projectId.toHexString(), campaignId: _id.toHexString() });
      return done;
    },
  });
}
