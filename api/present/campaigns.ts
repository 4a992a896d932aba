import type { Deps } from '../../core/base/deps.ts';
import type { Made } from '../../core/base/maker.ts';
import type { Project } from '../../core/base/model.ts';
import { shownTags } from '../../core/base/text/tags.ts';
import { type RelatedCampaign, relatedCampaign } from '../../core/campaigns/definition/expand.ts';
import type { Campaign, CampaignVariant } from '../../core/campaigns/model.ts';
import { attemptedOf, deliveredOf, processedOf, ratesOf } from '../../core/campaigns/numbers/rates.ts';
import type { VariantFigures } from '../../core/campaigns/numbers/variant-figures.ts';
import { storedZones } from '../../core/campaigns/numbers/zones.ts';
import type { Person } from '../../core/campaigns/people/list.ts';
import type { RecipientStory } from '../../core/campaigns/people/recipients.ts';
import { sendingMsOf } from '../../core/campaigns/transition.ts';
import { isAlone } from '../../core/figures/live/processes.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { reasonInWords } from '../../core/mail/ledger/rules/reasons.ts';
import { shownState } from '../../core/mail/ledger/states.ts';
import type { Engagement } from '../../core/mail/messages/model.ts';
import { goesToEverybody } from '../../core/people/global-list.ts';
import type { Template } from '../../core/templates/model.ts';
import { presentTemplate } from './templates.ts';

export function presentOne(related: RelatedCampaign) {
  const { campaign } = related;
  return { ...presentCampaign(related), ...(campaign.localTime ? { zones: storedZones(campaign) } : {}) };
}

/** With the address of its run, which is of the installation. */
export async function presentWithRun(deps: Deps, project: Pick<Project, '_id' | 'organizationId'>, campaign: Campaign) {
  const [related, isOwn] = await Promise.all([relatedCampaign(deps, project, campaign), isAlone(deps, project)]);
  return {
    ...presentOne(related),
    temporalUrl: isOwn ? deps.workflows.campaignRunUrl(campaign._id.toHexString()) : null,
  };
}

export function presentCampaign({ campaign, sender, template }: RelatedCampaign) {
  const { projectId, organizationId, name, subject, previewText, senderId, toLists, excludeLists, unsubscribeGroupId } =
    campaign;
  const { sendNow, sendMode, scheduledAt, templateId, status, sentAt, abortedAt, failureReason } = campaign;
  const {
    pausedAt,
    resumedAt,
    pausedReason,
    thresholdPreset,
    trackingClick,
    trackingOpen,
    utm = null,
    headers = {},
    inlinePictures = false,
  } = campaign;
  const { maxLatenessMinutes, sendRatePerSecond, createdAt, updatedAt } = campaign;
  return {
    id: campaign._id,
    ...{ projectId, organizationId, createdBy: campaign.createdBy ?? null, name, subject, previewText },
    from: { email: sender.email, name: sender.name },
    ...{ senderId, replyTo: sender.replyTo, toLists, excludeLists, audience: audienceOf(campaign), unsubscribeGroupId },
    ...{ sendNow, sendMode, scheduledAt, templateId, status },
    metrics: metricsOf(campaign),
    ...{ sentAt, abortedAt, failureReason, pausedAt, resumedAt, pausedReason },
    ...{
      thresholdPreset,
      trackingClick,
      trackingOpen,
      utm,
      headers,
      inlinePictures,
      tags: shownTags(campaign),
      source: sourceBy(campaign),
    },
    sendToGlobalList: goesToEverybody(campaign),
    template: template && presentEmbedded(template),
    gradual: gradualOf(campaign),
    localTime: campaign.localTime ?? null,
    variants: (campaign.variants ?? []).map(presentVariant),
    ...{ test: campaign.test ?? null, holdOutShare: campaign.holdOutShare ?? 0 },
    ...{ maxLatenessMinutes, sendRatePerSecond, createdAt, updatedAt },
  };
}

function presentVariant(variant: CampaignVariant) {
  const { id, subject = null, previewText = null, from = null, templateId = null, share } = variant;
  return { id, subject, previewText, from, templateId, share };
}

export function presentVariants({ variants, ...facts }: VariantFigures) {
  return {
    ...facts,
    variants: variants.map(({ variant, ...figures }) => ({ ...presentVariant(variant), ...figures })),
  };
}

/** The interface knows two sources here: a template that a migration brought has that of the call that started the migration. */
function presentEmbedded(template: Template) {
  const { source } = template;
  return { ...presentTemplate(template), source: source === 'migration' ? sourceBy(template) : source };
}

function sourceBy({ createdBy }: Made): 'api' | 'dashboard' {
  return createdBy ? 'dashboard' : 'api';
}

export function presentAnalytics(campaign: Campaign) {
  const { name, status, sentAt, counts, refreshedAt, trackingOpen, trackingClick } = campaign;
  const isGradualUnderWay = campaign.sendMode === 'gradual' && ['sending_gradual', 'paused'].includes(status);
  const attempted = attemptedOf(counts, isGradualUnderWay);
  const { totalContacts, suppressed, failed, sent, bounced, unsubscribed, spamReported, unknown, pending } = counts;
  const { opened, humanOpened, clicked } = trackedOf(campaign);
  return {
    campaignId: campaign._id,
    ...{ name, status, sentAt },
    counts: {
      ...{ totalContacts, suppressed, failed, attempted, sent, delivered: deliveredOf(counts) },
      ...{ opened, humanOpened, clicked, bounced, unsubscribed, spamReported, unknown, pending },
    },
    rates: ratesOf({ ...counts, opened, humanOpened, clicked }, attempted),
    tracking: { open: trackingOpen, click: trackingClick },
    refreshedAt,
  };
}

export function presentRecipient(message: Message) {
  const { _id, contactId, email, state, reply, suppressedBy, sentAt } = message;
  return {
    emailId: _id,
    contactId: contactId ?? null,
    email: email || null,
    status: shownState(state),
    reason: reasonInWords(message),
    reply: reply ?? null,
    suppressedBy: suppressedBy ?? null,
    sentAt: sentAt ?? null,
  };
}

export function presentPerson({ message, engagement }: Person) {
  const { _id, contactId, email, state, sentAt } = message;
  return {
    emailId: _id,
    contactId: contactId ?? null,
    email: email || null,
    status: shownState(state),
    sentAt: sentAt ?? null,
    ...presentEngagement(engagement),
  };
}

export function presentStory({ campaign, message, engagement, reason }: RecipientStory, contactId: string) {
  return {
    campaignId: campaign._id,
    contactId,
    reason,
    recipient: message && presentRecipient(message),
    engagement: engagement && presentEngagement(engagement),
    timeline: message?.timeline ?? [],
  };
}

function presentEngagement(engagement: Engagement | null) {
  const { openedAt = null, humanOpenedAt = null, clickedAt = null } = engagement ?? {};
  const { unsubscribedAt = null, complainedAt = null } = engagement ?? {};
  return { openedAt, humanOpenedAt, clickedAt, unsubscribedAt, complainedAt };
}

function audienceOf({ audience }: Campaign) {
  return audience ? { campaignId: audience.campaignId, did: audience.did } : null;
}

/** When tracking is off, its counts and rates are 0. */
function trackedOf({ counts, trackingOpen, trackingClick }: Campaign) {
  return {
    opened: trackingOpen ? counts.opened : 0,
    humanOpened: trackingOpen ? counts.humanOpened : 0,
    clicked: trackingClick ? counts.clicked : 0,
  };
}

function metricsOf(campaign: Campaign) {
  const { counts } = campaign;
  const { suppressed, bounced, sent, unsubscribed, spamReported, totalContacts, failed, unknown, pending } = counts;
  const { opened, clicked } = trackedOf(campaign);
  const totalSendTime = sendSeconds(campaign);
  return {
    ...{ sent, delivered: deliveredOf(counts), opened, suppressed, clicked, bounced, unsubscribed, spamReported },
    ...{ processedCount: processedOf(counts), totalContacts, failedCount: failed, unknown, pending },
    avgSendingRate: totalSendTime > 0 ? Math.round((sent / totalSendTime) * 100) / 100 : 0,
    totalSendTime,
  };
}

/** Pauses do not count. */
function sendSeconds(campaign: Campaign): number {
  const until = campaign.refreshedAt ?? campaign.sendingSince ?? campaign.createdAt;
  return Math.round(sendingMsOf(campaign, until) / 10) / 100;
}

function gradualOf({ gradual, sendMode, nextBatchAt }: Campaign) {
  if (!gradual || sendMode !== 'gradual') return null;
  const { emailsPerDay, growth, timezone, startAt, day, releasedToday } = gradual;
  return { emailsPerDay, growth, timezone, startAt, day, sentToday: releasedToday, nextBatchAt };
}
