import type { ObjectId } from 'mongodb';
import { publishCampaign } from './campaign-events.ts';
import { campaignFields, emptyCounts, readyToPublish } from './campaign-fields.ts';
import { timingOf } from './campaign-timing.ts';
import type { Deps } from './deps.ts';
import { wakeDue } from './due.ts';
import { conflict, invalid, notFound } from './errors.ts';
import { derivedId, parseId } from './ids.ts';
import { insertOnce } from './insert.ts';
import type { Campaign, CampaignStatus, Project } from './model.ts';
import { type Page, type PageOf, pageOf } from './pages.ts';
import type { Growth } from './rules/gradual.ts';

/** The name of the due documents that start and wake runs. */
export const CAMPAIGN_STARTS = 'campaign-starts';
export const CAMPAIGN_METRICS = 'campaign-metrics';

export interface CampaignInput {
  name?: string | undefined;
  subject?: string | undefined;
  previewText?: string | undefined;
  from?: { email?: string | undefined; name?: string | undefined } | undefined;
  senderId?: string | undefined;
  fromSenderId?: string | undefined;
  replyTo?: string | undefined;
  templateId?: string | undefined;
  htmlTemplate?: string | undefined;
  toLists?: string[] | undefined;
  excludeLists?: string[] | undefined;
  sendToGlobalList?: boolean | undefined;
  unsubscribeGroupId?: string | null | undefined;
  sendMode?: Campaign['sendMode'] | undefined;
  publish?: boolean | undefined;
  sendNow?: boolean | undefined;
  scheduledAt?: string | null | undefined;
  maxLatenessMinutes?: number | undefined;
  thresholdPreset?: Campaign['thresholdPreset'] | undefined;
  gradual?: GradualInput | null | undefined;
  sendRatePerSecond?: number | null | undefined;
  trackingClick?: boolean | undefined;
  trackingOpen?: boolean | undefined;
}

export interface GradualInput {
  emailsPerDay: number;
  growth: Growth;
  timezone: string;
  startAt?: string | null | undefined;
}

export interface Origin {
  at: Date;
  seed: ObjectId;
}

const MAX_LATENESS_MINUTES = 60;

/** Endpoint 3. */
export async function createCampaign(
  deps: Deps,
  project: Project,
  input: CampaignInput & { name: string; subject: string },
  origin: Origin,
): Promise<Campaign> {
  if (input.templateId === undefined && input.htmlTemplate === undefined)
    throw invalid('Give templateId or htmlTemplate.', 'templateId: is required, or htmlTemplate');
  const blank = newCampaign(deps, project, derivedId(origin.at, 'campaign', origin.seed.toHexString()), input);
  const fields = await campaignFields(deps, project, blank, input, origin);
  const timing = timingOf({ ...blank, ...fields }, input, deps.clock.now(), deps.config.sendNowDelay);
  const campaign = { ...blank, ...fields, ...timing };
  if (campaign.status === 'scheduled') await readyToPublish(deps, project, campaign);
  const stored = await insertOnce(deps.db.campaigns, withStart(campaign, deps.clock.now()), { projectId: project._id });
  if (stored.startDueAt) wakeDue(deps, CAMPAIGN_STARTS, project._id);
  await publishCampaign(deps, stored);
  return stored;
}

/** Endpoint 4. */
export async function findCampaign(deps: Deps, project: Pick<Project, '_id'>, campaignId: string): Promise<Campaign> {
  const _id = parseId(campaignId);
  const campaign = _id && (await deps.db.campaigns.findOne({ _id, projectId: project._id }));
  if (!campaign) throw campaignNotFound();
  return campaign;
}

export async function listCampaigns(
  deps: Deps,
  project: Project,
  { status, search, ...page }: Page & { status?: CampaignStatus | undefined; search?: string | undefined },
): Promise<PageOf<Campaign>> {
  const named = search ? { name: { $regex: search.replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&'), $options: 'i' } } : {};
  const filter = { projectId: project._id, ...(status ? { status } : {}), ...named };
  return pageOf(deps.db.campaigns, filter, page, { sort: { _id: -1 } });
}

/** Every field of creation in draft and scheduled; rate and plan also while it is under way. */
export async function updateCampaign(
  deps: Deps,
  project: Project,
  campaignId: string,
  input: CampaignInput,
  origin: Origin,
): Promise<Campaign> {
  const before = await findCampaign(deps, project, campaignId);
  const isOpen = before.status === 'draft' || before.status === 'scheduled';
  const wasLate = before.status === 'paused' && before.startedAt === null;
  if (!isOpen) refuseLateChanges(before, input, wasLate);
  const fields = await campaignFields(deps, project, before, input, origin);
  const merged = { ...before, ...fields };
  const timing = isOpen
    ? timingOf(merged, input, deps.clock.now(), deps.config.sendNowDelay)
    : lateTiming(merged, input, wasLate);
  const after = { ...merged, ...timing, updatedAt: deps.clock.now() };
  if (after.status === 'scheduled') await readyToPublish(deps, project, after);
  const needsRun = after.status !== 'draft' || before.status === 'scheduled';
  const stored = needsRun ? withStart(after, deps.clock.now()) : after;
  const set = Object.fromEntries(
    Object.entries(stored).filter(([name, value]) => value !== before[name as keyof Campaign]),
  );
  const { gradual, ...others } = set as Partial<Campaign>;
  const updated = await deps.db.campaigns.findOneAndUpdate(
    { _id: before._id, projectId: project._id, status: before.status, updatedAt: before.updatedAt },
    { $set: { ...others, ...gradualChanges(before, gradual) } },
    { returnDocument: 'after' },
  );
  if (!updated)
    throw conflict(
      'INVALID_STATE',
      'The campaign was changed by another call at the same moment; read it again and repeat.',
    );
  if (updated.startDueAt) wakeDue(deps, CAMPAIGN_STARTS, project._id);
  if (updated.status !== before.status) await publishCampaign(deps, updated);
  return updated;
}

export async function duplicateCampaign(
  deps: Deps,
  project: Project,
  campaignId: string,
  origin: Origin,
): Promise<Campaign> {
  const source = await findCampaign(deps, project, campaignId);
  const blank = newCampaign(deps, project, derivedId(origin.at, 'campaign', origin.seed.toHexString()), source);
  const { subject, previewText, from, senderId, replyTo, toLists, excludeLists, sendToGlobalList, unsubscribeGroupId } =
    source;
  const { templateId, trackingClick, trackingOpen, sendMode, maxLatenessMinutes, thresholdPreset, sendRatePerSecond } =
    source;
  const copy: Campaign = {
    ...blank,
    ...{ subject, previewText, from, senderId, replyTo, toLists, excludeLists, sendToGlobalList, unsubscribeGroupId },
    ...{ templateId, trackingClick, trackingOpen, sendMode, maxLatenessMinutes, thresholdPreset, sendRatePerSecond },
    name: `Copy of ${source.name}`.slice(0, 200),
    gradual: source.gradual && { ...source.gradual, startAt: null, ...noGradualState },
  };
  return insertOnce(deps.db.campaigns, copy, { projectId: project._id });
}

/** The ledger keeps what was sent; only the campaign goes. */
export async function deleteCampaign(deps: Deps, project: Project, campaignId: string): Promise<void> {
  const campaign = await findCampaign(deps, project, campaignId);
  const { deletedCount } = await deps.db.campaigns.deleteOne({
    _id: campaign._id,
    projectId: project._id,
    status: { $in: ['draft', 'scheduled', 'sent', 'failed', 'aborted'] },
  });
  if (deletedCount === 0) throw stateConflict('deleted', campaign.status);
}

export function campaignNotFound() {
  const error = notFound('CAMPAIGN');
  return Object.assign(error, { details: 'It does not exist, was deleted, or belongs to another project.' });
}

export function stateConflict(wanted: string, status: CampaignStatus) {
  return conflict('INVALID_STATE', `A campaign that is ${status} cannot be ${wanted}.`);
}

export const noGradualState = { day: 0, calendarDay: null, releasedToday: 0, dayStartedAt: null, releasedUpTo: 0 };

function newCampaign(
  deps: Deps,
  project: Project,
  _id: ObjectId,
  { name = '', subject = '' }: { name?: string | undefined; subject?: string | undefined },
): Campaign {
  const now = deps.clock.now();
  return {
    _id,
    projectId: project._id,
    organizationId: project.organizationId,
    name,
    subject,
    previewText: '',
    from: {},
    senderId: null,
    replyTo: null,
    toLists: [],
    excludeLists: [],
    sendToGlobalList: false,
    unsubscribeGroupId: null,
    templateId: '',
    trackingClick: project.trackingClick,
    trackingOpen: project.trackingOpen,
    sendMode: 'immediate',
    sendNow: false,
    scheduledAt: null,
    maxLatenessMinutes: MAX_LATENESS_MINUTES,
    thresholdPreset: 'balanced',
    sendRatePerSecond: null,
    gradual: null,
    status: 'draft',
    startsAt: null,
    startedAt: null,
    sentAt: null,
    abortedAt: null,
    failureReason: null,
    pausedAt: null,
    resumedAt: null,
    pausedReason: null,
    counts: emptyCounts,
    refreshedAt: null,
    nextBatchAt: null,
    freeze: null,
    stretch: { sent: 0, bounced: 0, spamReported: 0 },
    createdAt: now,
    updatedAt: now,
  };
}

function withStart(campaign: Campaign, now: Date): Campaign {
  return campaign.status === 'draft' && !campaign.startsAt ? campaign : { ...campaign, startDueAt: now };
}

function refuseLateChanges({ status }: Campaign, input: CampaignInput, wasLate: boolean): void {
  const allowed = ['sendRatePerSecond', 'gradual', ...(wasLate ? ['scheduledAt'] : [])];
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const isUnderWay = ['sending', 'sending_gradual', 'paused'].includes(status);
  if (!isUnderWay) throw stateConflict('changed', status);
  const refused = given.map(([name]) => name).filter((name) => !allowed.includes(name));
  if (refused.length > 0)
    throw conflict(
      'INVALID_STATE',
      `A campaign that is ${status} takes changes of ${allowed.join(' and ')} only; pause and duplicate it for others.`,
      `${refused.join(', ')}: cannot be changed now`,
    );
}

function lateTiming(campaign: Campaign, { scheduledAt }: CampaignInput, wasLate: boolean): Partial<Campaign> {
  if (!wasLate || !scheduledAt) return {};
  return { scheduledAt: new Date(scheduledAt), startsAt: new Date(scheduledAt), sendNow: false };
}

/** The plan changes; how far it has come is moved by releases alone. */
function gradualChanges(before: Campaign, gradual: Campaign['gradual'] | undefined): Record<string, unknown> {
  if (gradual === undefined) return {};
  if (gradual === null || before.gradual === null) return { gradual };
  const { emailsPerDay, growth, timezone, startAt } = gradual;
  return {
    'gradual.emailsPerDay': emailsPerDay,
    'gradual.growth': growth,
    'gradual.timezone': timezone,
    'gradual.startAt': startAt,
  };
}
