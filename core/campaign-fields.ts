import type { CampaignInput, GradualInput, Origin } from './campaigns.ts';
import type { Deps } from './deps.ts';
import { invalid } from './errors.ts';
import { GLOBAL_LIST, wireListId } from './global-list.ts';
import { findLists } from './lists.ts';
import type { AudienceEntry, Campaign, CampaignCounts, ContactList, Project, Sender } from './model.ts';
import { normalizeEmail } from './rules/addresses.ts';
import { getSender, requireVerifiedDomain } from './senders.ts';
import { findGroup } from './suppression-groups.ts';
import { createTemplate, findTemplate, updateTemplate } from './templates.ts';

export const emptyCounts: CampaignCounts = {
  totalContacts: 0,
  suppressed: 0,
  failed: 0,
  sent: 0,
  unknown: 0,
  pending: 0,
  bounced: 0,
  opened: 0,
  humanOpened: 0,
  clicked: 0,
  unsubscribed: 0,
  spamReported: 0,
};

type Fields = Partial<Campaign>;

/** The fields of a campaign that this call sets, checked; nothing is written before everything is found. */
export async function campaignFields(
  deps: Deps,
  project: Project,
  before: Campaign,
  input: CampaignInput,
  origin: Origin,
): Promise<Fields> {
  const senderId = input.senderId ?? input.fromSenderId;
  const sender =
    senderId === undefined
      ? undefined
      : await getSender(deps, project, senderId, input.senderId === undefined ? 'fromSenderId' : 'senderId');
  const [toLists, excludeLists, group] = [
    input.toLists && (await entriesOf(deps, project, input.toLists, 'toLists')),
    input.excludeLists && (await excluded(deps, project, input.excludeLists)),
    input.unsubscribeGroupId ? await findGroup(deps, project, input.unsubscribeGroupId, 'unsubscribeGroupId') : null,
  ];
  if (input.templateId !== undefined) await findTemplate(deps, project, input.templateId, 'templateId');
  const {
    name,
    subject,
    previewText,
    sendToGlobalList,
    maxLatenessMinutes,
    thresholdPreset,
    sendRatePerSecond,
    trackingClick,
    trackingOpen,
  } = input;
  const fields: Fields = {
    ...definedOf({
      name,
      subject,
      previewText,
      sendToGlobalList,
      maxLatenessMinutes,
      thresholdPreset,
      sendRatePerSecond,
      trackingClick,
      trackingOpen,
      toLists,
      excludeLists,
    }),
    ...(sender ? { senderId: sender._id } : {}),
    ...(input.from ? { from: fromOf(input.from) } : {}),
    ...(input.replyTo === undefined ? {} : { replyTo: normalizeEmail(input.replyTo) ?? '' }),
    ...(input.unsubscribeGroupId === undefined ? {} : { unsubscribeGroupId: group?.groupId ?? null }),
    ...(input.gradual === undefined ? {} : { gradual: gradualOf(before, input.gradual) }),
  };
  const templateId = await templateOf(deps, project, { ...before, ...fields }, input, origin);
  return { ...fields, ...(templateId === undefined ? {} : { templateId }) };
}

/** "Publishing a campaign that lacks sender, audience, subject or template": 400, all of it named at once. */
export async function readyToPublish(deps: Deps, project: Project, campaign: Campaign): Promise<void> {
  const sender = await senderOf(deps, project, campaign);
  const template = campaign.templateId
    ? await deps.db.templates.findOne(
        { projectId: project._id, templateId: campaign.templateId },
        { projection: { _id: 1 } },
      )
    : null;
  const missing = [
    sender.email ? null : 'from: is required, or senderId',
    campaign.toLists.length > 0 || campaign.sendToGlobalList ? null : 'toLists: is required, or sendToGlobalList',
    campaign.subject ? null : 'subject: is required',
    template ? null : 'templateId: is required, or htmlTemplate',
  ].filter((fault) => fault !== null);
  if (missing.length > 0)
    throw invalid('The campaign cannot be published yet: it lacks what it needs to be sent.', missing.join('; '));
  await requireVerifiedDomain(deps, project, sender.email, 'from/email');
}

/** `from` wins over the saved sender, field by field; `replyTo` defaults to the sender's. */
export async function senderOf(
  deps: Deps,
  project: Pick<Project, '_id'>,
  campaign: Campaign,
): Promise<Pick<Sender, 'email' | 'name' | 'replyTo'>> {
  const saved =
    campaign.senderId && (await deps.db.senders.findOne({ _id: campaign.senderId, projectId: project._id }));
  return {
    email: campaign.from.email ?? saved?.email ?? '',
    name: campaign.from.name ?? saved?.name ?? '',
    replyTo: campaign.replyTo ?? saved?.replyTo ?? '',
  };
}

export function audienceEntry(list: ContactList): AudienceEntry {
  return {
    id: wireListId(list),
    name: list.name,
    type: list.type === 'segment' ? 'segment' : 'list',
    contactCount: list.contactCount,
  };
}

async function entriesOf(deps: Deps, project: Project, ids: string[], field: string): Promise<AudienceEntry[]> {
  return (await findLists(deps, project, ids, field)).map(audienceEntry);
}

async function excluded(deps: Deps, project: Project, ids: string[]): Promise<AudienceEntry[]> {
  if (ids.includes(GLOBAL_LIST))
    throw invalid('The global list cannot be excluded: nobody would be left.', 'excludeLists: names the global list');
  return entriesOf(deps, project, ids, 'excludeLists');
}

function fromOf({ email, name }: NonNullable<CampaignInput['from']>): Campaign['from'] {
  return {
    ...(email === undefined ? {} : { email: normalizeEmail(email) ?? email }),
    ...(name === undefined ? {} : { name }),
  };
}

function gradualOf(before: Campaign, input: GradualInput | null): Campaign['gradual'] {
  if (!input) return null;
  const { emailsPerDay, growth, timezone, startAt } = input;
  const state = before.gradual ?? { day: 0, calendarDay: null, releasedToday: 0, dayStartedAt: null, releasedUpTo: 0 };
  return { ...state, emailsPerDay, growth, timezone, startAt: startAt ? new Date(startAt) : null };
}

/** htmlTemplate takes precedence: it updates the named template, or makes one. */
async function templateOf(
  deps: Deps,
  project: Project,
  campaign: Campaign,
  input: CampaignInput,
  origin: Origin,
): Promise<string | undefined> {
  const { templateId, htmlTemplate } = input;
  if (htmlTemplate === undefined)
    return templateId && (await findTemplate(deps, project, templateId, 'templateId')).templateId;
  if (templateId !== undefined)
    return (await updateTemplate(deps, project, templateId, { emailTemplate: htmlTemplate })).templateId;
  const { name, subject, previewText } = campaign;
  const made = await createTemplate(
    deps,
    project,
    { templateName: name, emailTemplate: htmlTemplate, subject, previewText, templateType: 'marketing' },
    origin,
  );
  return made.templateId;
}

function definedOf<T extends object>(fields: T): Partial<Campaign> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Campaign>;
}
