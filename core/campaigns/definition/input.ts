import type { updateCampaignBody } from '../../../schemas/campaigns/campaigns.ts';
import type { Described } from '../../../schemas/schema.ts';
import { invalid } from '../../base/errors.ts';
import type { Origin } from '../../base/maker.ts';
import type { Project, Session } from '../../base/model.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { storedTags } from '../../base/text/tags.ts';
import { findNamableGroup } from '../../consent/suppressions/find-groups.ts';
import type { Sender } from '../../domains/model.ts';
import { getSender, requireVerifiedDomain } from '../../domains/senders.ts';
import { checkHeaders, compiledHeaders } from '../../mail/compose/headers.ts';
import { GLOBAL_LIST, wireListId } from '../../people/global-list.ts';
import { findLists } from '../../people/lists/lists.ts';
import type { ContactList } from '../../people/model.ts';
import { withoutSnippets } from '../../templates/assemble/code.ts';
import { compiled } from '../../templates/cache.ts';
import { findTemplate, requirePublished } from '../../templates/find.ts';
import { picturesInside } from '../../templates/media/inline.ts';
import { isOwnOf, ownMail, publishOwn } from '../../templates/own/mails.ts';
import { changeWritten } from '../../templates/templates.ts';
import { type WrittenMail, writtenMail } from '../../templates/written.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { AudienceEntry, Campaign, CampaignCounts, VariantId } from '../model.ts';
import { variantFieldsOf } from '../variants/given.ts';
import { htmlOfCampaign, readyVariants, refuseSameTexts, storedVariants } from '../variants/ready.ts';
import { broughtMails, type VariantMails, variantsWrite } from '../variants/written.ts';
import { requireOtherAudience } from './of-campaign.ts';

export type CampaignInput = Described<typeof updateCampaignBody>;
type GradualInput = NonNullable<CampaignInput['gradual']>;

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

export const noGradualState = { day: 0, calendarDay: null, releasedToday: 0, dayStartedAt: null, releasedUpTo: 0 };

type Fields = Partial<Campaign>;
type NamedFields = Partial<
  Pick<Campaign, 'senderId' | 'templateId' | 'toLists' | 'excludeLists' | 'unsubscribeGroupId' | 'variants'>
>;

const PLAIN = [
  'name',
  'subject',
  'previewText',
  'sendToGlobalList',
  'maxLatenessMinutes',
  'thresholdPreset',
  'sendRatePerSecond',
  'trackingClick',
  'trackingOpen',
  'utm',
  'headers',
  'inlinePictures',
] as const;

/** The fields that a call sets by value, checked without a read. */
export function plainFields(before: Campaign, input: CampaignInput): Fields {
  const { from, replyTo, gradual, subject, previewText, htmlTemplate, headers = {}, tags } = input;
  checkHeaders(headers);
  compiledHeaders(headers);
  if (htmlTemplate !== undefined) compiled(withoutSnippets(htmlTemplate), 'html', 'htmlTemplate');
  if (subject !== undefined) compiled(subject, 'subject', 'subject');
  if (previewText !== undefined) compiled(previewText, 'subject', 'previewText');
  plainAudience(input);
  return {
    ...Object.fromEntries(PLAIN.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]]))),
    ...(tags ? { tags: storedTags(tags, 'tags') } : {}),
    ...(from ? { from: fromOf(before.from, from) } : {}),
    ...(replyTo === undefined ? {} : { replyTo: normalizeEmail(replyTo) ?? '' }),
    ...(gradual === undefined ? {} : { gradual: gradualOf(before, gradual) }),
    ...variantFieldsOf(input),
  };
}

/** The part of them that says who gets the campaign. */
export function plainAudience({
  excludeLists,
  sendToGlobalList,
}: Pick<CampaignInput, 'excludeLists' | 'sendToGlobalList'>): Pick<Fields, 'sendToGlobalList'> {
  if (excludeLists?.includes(GLOBAL_LIST))
    throw invalid('The global list cannot be excluded: nobody would be left.', 'excludeLists: names the global list');
  return sendToGlobalList === undefined ? {} : { sendToGlobalList };
}

/** The documents that a call names by id: all are found before anything is written. */
export async function namedFields(
  deps: CampaignsDeps,
  project: Project,
  { variants }: Pick<Campaign, 'variants'>,
  input: CampaignInput,
): Promise<NamedFields> {
  const { toLists, excludeLists, unsubscribeGroupId, templateId } = input;
  const senderId = input.senderId ?? input.fromSenderId;
  const senderField = input.senderId === undefined ? 'fromSenderId' : 'senderId';
  const entries = async (ids: string[], field: string) =>
    (await findLists(deps, project, ids, field)).map(audienceEntry);
  return {
    ...(senderId === undefined ? {} : { senderId: (await getSender(deps, project, senderId, senderField))._id }),
    ...(templateId === undefined ? {} : { templateId: await templateIdOf(deps, project, templateId) }),
    ...(toLists === undefined ? {} : { toLists: await entries(toLists, 'toLists') }),
    ...(excludeLists === undefined ? {} : { excludeLists: await entries(excludeLists, 'excludeLists') }),
    ...(unsubscribeGroupId === undefined
      ? {}
      : { unsubscribeGroupId: await groupIdOf(deps, project, unsubscribeGroupId) }),
    ...(input.variants && variants ? { variants: await storedVariants(deps, project, variants) } : {}),
  };
}

/** The mails that a call brings, as code or as content blocks, which are compiled here, once. */
export async function broughtBy(
  deps: CampaignsDeps,
  project: Pick<Project, '_id'>,
  input: CampaignInput,
): Promise<Omit<PlannedCampaign, 'campaign'>> {
  const mail = await broughtMail(deps, project, input);
  return { mail, variantMails: await broughtMails(deps, project, input.variants) };
}

async function broughtMail(
  deps: CampaignsDeps,
  project: Pick<Project, '_id'>,
  { content, htmlTemplate, layoutId, templateId }: CampaignInput,
): Promise<WrittenMail | null> {
  const written = { content, htmlTemplate, layoutId };
  if (layoutId !== undefined || (content === undefined && htmlTemplate === undefined))
    return writtenMail(deps, project, written);
  const changed = typeof templateId !== 'string' ? null : await findTemplate(deps, project, templateId, 'templateId');
  return writtenMail(deps, project, { ...written, layoutId: changed?.layoutId ?? null });
}

interface TemplateWrite extends Pick<Campaign, 'templateId' | 'variants'> {
  /** Runs in the transaction that stores the campaign: a refused call changes no template. */
  write(session: Session): Promise<void>;
}

/**
 * A mail that the call brings takes precedence: it updates the template that the call names, or is the campaign's own. An author's is a
 * draft, which is published with the campaign.
 */
export async function templateWrite(
  deps: CampaignsDeps,
  project: Project,
  { campaign, mail, variantMails: mails }: PlannedCampaign,
  { input, before = null }: { input: CampaignInput; before?: Campaign['variants'] },
  origin: Origin,
): Promise<TemplateWrite> {
  const { templateId, status } = campaign;
  const plain: Pick<TemplateWrite, 'templateId' | 'write'> = {
    templateId,
    async write(session) {
      if (mail) await changeWritten(deps, project, templateId, mail, { by: origin.by, session });
      else if (status === 'scheduled') await publishOwn(deps, session, campaign, origin);
    },
  };
  const isOwn = mail !== null && typeof input.templateId !== 'string';
  const main = isOwn ? await ownMail(deps, project, campaign, mail, origin) : plain;
  const { variants, write } = await variantsWrite(deps, project, campaign, { before, mails }, origin);
  return {
    templateId: main.templateId,
    variants,
    async write(session) {
      await main.write(session);
      await write(session);
    },
  };
}

export interface PlannedCampaign {
  campaign: Campaign;
  /** The mail that the call brings, compiled; null: it names a template. */
  mail: WrittenMail | null;
  /** Those of variants. */
  variantMails: VariantMails;
}

/** The HTML of the mails that a call brings; null: of the campaign itself. */
export function htmlBrought({
  mail,
  variantMails,
}: Pick<PlannedCampaign, 'mail' | 'variantMails'>): ReadonlyMap<VariantId | null, string> {
  const mails = [...variantMails, ...(mail ? [[null, mail] as const] : [])];
  return new Map(mails.map(([id, { emailTemplate }]) => [id, emailTemplate] as const));
}

/** Those of the mails as they are now; they are looked at again when sending begins. */
export async function refuseManyPictures(
  deps: CampaignsDeps,
  { campaign, ...brought }: PlannedCampaign,
): Promise<void> {
  if (!campaign.inlinePictures) return;
  await picturesInside(deps, campaign.projectId, await htmlOfCampaign(deps, campaign, htmlBrought(brought)));
}

/** "Publishing a campaign that lacks sender, audience, subject or template": 400, all of it named at once. */
export async function readyToPublish(
  deps: CampaignsDeps,
  project: Pick<Project, '_id'>,
  campaign: Campaign,
  { mail = null, variantMails = new Map() }: Partial<Omit<PlannedCampaign, 'campaign'>> = {},
): Promise<void> {
  const { templateId } = campaign;
  const [saved, template] = await Promise.all([
    savedSender(deps, campaign),
    templateId
      ? deps.db.templates.findOne(
          { projectId: project._id, templateId },
          { projection: { emailTemplate: 0, editorJson: 0 } },
        )
      : Promise.resolve(null),
  ]);
  const sender = senderFor(campaign, saved);
  const missing = [
    sender.email ? null : 'from: is required, or senderId',
    campaign.toLists.length > 0 || campaign.sendToGlobalList || campaign.audience
      ? null
      : 'toLists: is required, or sendToGlobalList',
    campaign.subject ? null : 'subject: is required',
    template || mail ? null : 'templateId: is required, or htmlTemplate',
  ].filter((fault) => fault !== null);
  if (missing.length > 0)
    throw invalid('The campaign cannot be published yet: it lacks what it needs to be sent.', missing.join('; '));
  if (template && !mail && !isOwnOf(template, campaign)) requirePublished(template);
  await requireVerifiedDomain(deps, project, sender.email, 'from/email');
  await requireOtherAudience(deps, campaign);
  await readyVariants(deps, campaign, sender.email, variantMails);
}

/** The same, and of mails that are the same: what becomes of a template later does not stop a campaign that is published. */
export async function requirePublishable(
  deps: CampaignsDeps,
  project: Pick<Project, '_id'>,
  planned: PlannedCampaign,
): Promise<void> {
  await readyToPublish(deps, project, planned.campaign, planned);
  await refuseSameTexts(deps, planned.campaign, htmlBrought(planned));
}

export async function savedSender(
  { db }: Pick<CampaignsDeps, 'db'>,
  { projectId, senderId }: Pick<Campaign, 'projectId' | 'senderId'>,
): Promise<Sender | null> {
  return senderId && db.senders.findOne({ _id: senderId, projectId });
}

/** `from` wins over the saved sender, field by field; `replyTo` defaults to the sender's. */
export function senderFor(
  { from, replyTo }: Pick<Campaign, 'from' | 'replyTo'>,
  saved: Sender | null,
): Pick<Sender, 'email' | 'name' | 'replyTo'> {
  return {
    email: from.email ?? saved?.email ?? '',
    name: from.name ?? saved?.name ?? '',
    replyTo: replyTo ?? saved?.replyTo ?? '',
  };
}

export function audienceEntry(list: ContactList): AudienceEntry {
  const { name, contactCount } = list;
  return { id: wireListId(list), name, type: list.type === 'segment' ? 'segment' : 'list', contactCount };
}

async function templateIdOf(deps: CampaignsDeps, project: Project, templateId: string | null): Promise<string> {
  return templateId === null ? '' : (await findTemplate(deps, project, templateId, 'templateId')).templateId;
}

async function groupIdOf(deps: CampaignsDeps, project: Project, groupId: string | null): Promise<string | null> {
  return groupId === null ? null : (await findNamableGroup(deps, project, groupId, 'unsubscribeGroupId')).groupId;
}

function fromOf(
  { email: emailBefore = '', ...before }: Campaign['from'],
  { email: given = emailBefore, name }: NonNullable<CampaignInput['from']>,
): Campaign['from'] {
  const email = normalizeEmail(given);
  return { ...before, ...(email ? { email } : {}), ...(name === undefined ? {} : { name }) };
}

function gradualOf({ gradual }: Campaign, input: GradualInput | null): Campaign['gradual'] {
  if (!input) return null;
  const { emailsPerDay, growth, timezone } = input;
  const startAt = input.startAt ? new Date(input.startAt) : input.startAt === null ? null : (gradual?.startAt ?? null);
  return { ...(gradual ?? noGradualState), emailsPerDay, growth, timezone, startAt };
}
