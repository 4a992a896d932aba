import type { ObjectId } from 'mongodb';
import type { duplicateCampaignBody } from '../../../schemas/campaigns/campaigns.ts';
import type { Described } from '../../../schemas/schema.ts';
import { named } from '../../base/database/search.ts';
import { afterCommit, inTransaction } from '../../base/database/transactions.ts';
import { invalid, notFound } from '../../base/errors.ts';
import { derivedId, parseId } from '../../base/ids.ts';
import { madeBy, type Origin, refuseAuthor } from '../../base/maker.ts';
import type { Project, Session } from '../../base/model.ts';
import { type Page, type PageOf, pageOf } from '../../base/paging.ts';
import { taggedWith } from '../../base/text/tags.ts';
import { requestRun, wakeStarts } from '../../jobs/starts.ts';
import { removeBlocksOfDeleted } from '../../mail/ledger/blocks/changes.ts';
import { referToTemplate } from '../../templates/find.ts';
import { copiedMail, removeOwn } from '../../templates/own/mails.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, CampaignStatus } from '../model.ts';
import { DELETABLE, stateConflict } from '../status.ts';
import { insertCampaign } from '../transition.ts';
import { refuseUnfit } from '../variants/given.ts';
import { referToVariants } from '../variants/ready.ts';
import { copiedVariants } from '../variants/written.ts';
import { type RelatedCampaign, relatedCampaign } from './expand.ts';
import { holdNamedGroup, requireLists } from './holds.ts';
import {
  broughtBy,
  type CampaignInput,
  emptyCounts,
  htmlBrought,
  namedFields,
  noGradualState,
  type PlannedCampaign,
  plainFields,
  refuseManyPictures,
  requirePublishable,
  templateWrite,
} from './input.ts';
import { requireRecipients, whoDidNotOpen } from './of-campaign.ts';
import { publishes, timingOf } from './timing.ts';

const MAX_LATENESS_MINUTES = 60;

export async function createCampaign(
  deps: CampaignsDeps,
  project: Project,
  input: CampaignInput & { name: string; subject: string },
  origin: Origin,
): Promise<RelatedCampaign> {
  const planned = await plannedCampaign(deps, project, input, origin);
  const { campaign } = planned;
  const isScheduled = campaign.status === 'scheduled';
  const template = await templateWrite(deps, project, planned, { input }, origin);
  const { templateId, variants } = template;
  const whole = { ...campaign, templateId, variants };
  const stored = await insertRelated(deps, project, whole, async (session) => {
    if (isScheduled) {
      await requireLists(deps, session, whole);
      await requestRun(deps, 'campaign', whole, { session });
    }
    await holdNamedGroup(deps, session, project, input);
    await template.write(session);
    await referToTemplate(deps, session, project, whole.templateId, 'templateId');
    await referToVariants(deps, session, whole);
  });
  if (isScheduled) wakeStarts(deps, 'campaign', project._id);
  return stored;
}

/** The campaign that `createCampaign` would store, with all checks but those of its transaction. Nothing is written. */
export async function plannedCampaign(
  deps: CampaignsDeps,
  project: Project,
  input: CampaignInput & { name: string; subject: string },
  origin: Origin,
): Promise<PlannedCampaign> {
  if (publishes(input)) refuseAuthor(origin, 'publish');
  if (input.templateId === undefined && input.htmlTemplate === undefined && input.content === undefined)
    throw invalid('Give templateId, htmlTemplate or content.', 'templateId: is required, or htmlTemplate or content');
  const brought = await broughtBy(deps, project, input);
  const blank = newCampaign(deps, project, origin, input);
  const plain = { ...blank, ...plainFields(blank, input) };
  const timed = { ...plain, ...timingOf(plain, input, deps.clock.now(), deps.config.sendNowDelay) };
  if (timed.status === 'scheduled') refuseAuthor(origin, 'publish');
  const campaign = { ...timed, ...(await namedFields(deps, project, plain, input)) };
  refuseUnfit(campaign, htmlBrought(brought));
  await refuseManyPictures(deps, { campaign, ...brought });
  if (campaign.status === 'scheduled') await requirePublishable(deps, project, { campaign, ...brought });
  return { campaign, ...brought };
}

export async function findCampaign(
  deps: CampaignsDeps,
  project: Pick<Project, '_id'>,
  campaignId: string,
): Promise<Campaign> {
  const _id = parseId(campaignId);
  const campaign = _id && (await deps.db.campaigns.findOne({ _id, projectId: project._id }));
  if (!campaign) throw campaignNotFound();
  return campaign;
}

export interface CampaignRef {
  projectId: string;
  campaignId: string;
}

/** Null when it was deleted. */
export async function readCampaign(
  deps: CampaignsDeps,
  { projectId, campaignId }: CampaignRef,
): Promise<Campaign | null> {
  const [_id, project] = [parseId(campaignId), parseId(projectId)];
  return _id && project && deps.db.campaigns.findOne({ _id, projectId: project });
}

export async function listCampaigns(
  deps: CampaignsDeps,
  project: Project,
  { status, search, ...page }: Page & { status?: CampaignStatus | undefined; search?: string | undefined },
): Promise<PageOf<Campaign>> {
  const filter = { projectId: project._id, ...(status ? { status } : {}), ...named(search, 'name') };
  return pageOf(deps.db.campaigns, filter, page, { sort: { _id: -1 } });
}

/** A draft with the same content and plan, without a time, for the same audience or for people of it. */
export async function duplicateCampaign(
  deps: CampaignsDeps,
  project: Project,
  campaignId: string,
  { to }: Described<typeof duplicateCampaignBody>,
  origin: Origin,
): Promise<RelatedCampaign> {
  const source = await findCampaign(deps, project, campaignId);
  if (to) await requireRecipients(deps, source);
  const { subject, previewText, from, senderId, replyTo, templateId, trackingClick, trackingOpen } = source;
  const { utm = null, headers = {}, inlinePictures = false } = source;
  const { audience, toLists, excludeLists, sendToGlobalList, unsubscribeGroupId } = source;
  const { sendMode, gradual, maxLatenessMinutes, thresholdPreset, sendRatePerSecond } = source;
  const { variants = null, test = null, holdOutShare = 0 } = source;
  const name = `Copy of ${source.name}`.slice(0, 200);
  const copy: Campaign = {
    ...newCampaign(deps, project, origin, { name, subject }),
    ...{ previewText, from, senderId, replyTo, templateId, trackingClick, trackingOpen, utm, headers, inlinePictures },
    ...taggedWith(source.tags),
    ...(to ? { audience: whoDidNotOpen(source), excludeLists } : { audience, toLists, excludeLists, sendToGlobalList }),
    unsubscribeGroupId,
    ...{ maxLatenessMinutes, thresholdPreset, sendRatePerSecond, variants, test, holdOutShare },
    sendMode: sendMode === 'gradual' ? 'gradual' : 'immediate',
    gradual: gradual && { ...gradual, ...noGradualState, startAt: null },
  };
  const own = await copiedMail(deps, project, source, copy, origin);
  const copies = await copiedVariants(deps, project, source, copy, origin);
  const whole = { ...copy, templateId: own?.templateId ?? templateId, variants: copies.variants ?? null };
  return insertRelated(deps, project, whole, async (session) => {
    await own?.write(session);
    await copies.write(session);
    await referToVariants(deps, session, whole);
  });
}

async function insertRelated(
  deps: CampaignsDeps,
  project: Project,
  campaign: Campaign,
  commitWith: (session: Session) => Promise<void>,
): Promise<RelatedCampaign> {
  let related: RelatedCampaign | undefined;
  const stored = await insertCampaign(deps, campaign, async (session) => {
    await commitWith(session);
    related = await relatedCampaign(deps, project, campaign, session);
  });
  // A repeat of the call finds what its first try wrote.
  return stored === campaign && related ? related : relatedCampaign(deps, project, stored);
}

/** With the mail that is written in it; the ledger keeps what was sent. */
export async function deleteCampaign(deps: CampaignsDeps, project: Project, campaignId: string): Promise<void> {
  const { _id, status } = await findCampaign(deps, project, campaignId);
  const projectId = project._id;
  await inTransaction(deps, async (session) => {
    const deletable = { _id, projectId, status: { $in: DELETABLE } };
    const { deletedCount } = await deps.db.campaigns.deleteOne(deletable, { session });
    if (deletedCount === 0) throw stateConflict('deleted', status);
    await deps.db.campaignContents.deleteOne({ _id, projectId }, { session });
    await removeOwn(deps, session, { _id, projectId });
  });
  const removeBlocks = () => removeBlocksOfDeleted(deps, { projectId, campaignId: _id });
  await afterCommit(deps, removeBlocks, 'the recipients of a deleted campaign are removed later');
}

function campaignNotFound() {
  const error = notFound('CAMPAIGN');
  return Object.assign(error, { details: 'It does not exist, was deleted, or belongs to another project.' });
}

function idOf({ at, seed }: Origin): ObjectId {
  return derivedId(at, 'campaign', seed.toHexString());
}

function newCampaign(
  deps: CampaignsDeps,
  project: Project,
  origin: Origin,
  { name, subject }: { name: string; subject: string },
): Campaign {
  const now = deps.clock.now();
  return {
    _id: idOf(origin),
    ...madeBy(origin),
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
    audience: null,
    unsubscribeGroupId: null,
    templateId: '',
    trackingClick: project.trackingClick,
    trackingOpen: project.trackingOpen,
    utm: null,
    sendMode: 'immediate',
    sendNow: false,
    scheduledAt: null,
    maxLatenessMinutes: MAX_LATENESS_MINUTES,
    thresholdPreset: 'balanced',
    sendRatePerSecond: null,
    gradual: null,
    localTime: null,
    variants: null,
    test: null,
    holdOutShare: 0,
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
