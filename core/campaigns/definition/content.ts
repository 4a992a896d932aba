import { BSON } from 'mongodb';
import { invalid } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { emailDomain } from '../../base/text/addresses.ts';
import { taggedWith } from '../../base/text/tags.ts';
import { breathe } from '../../base/work/breathe.ts';
import type { Sender } from '../../domains/model.ts';
import { compiledHeaders } from '../../mail/compose/headers.ts';
import { compiled } from '../../templates/cache.ts';
import { findTemplate } from '../../templates/find.ts';
import { picturesInside } from '../../templates/media/inline.ts';
import { isOwnOf } from '../../templates/own/mails.ts';
import type { CampaignsDeps } from '../deps.ts';
import { translatedNow } from '../languages.ts';
import type { Campaign, CampaignContent, VariantContent, VariantId } from '../model.ts';
import { asVariant } from '../variants/mail.ts';
import { savedSender, senderFor } from './input.ts';

const BYTES_MAX = 15 * 2 ** 20;

/** With the mail of each variant. */
export async function contentsNow(
  deps: CampaignsDeps,
  campaign: Campaign,
  templateNamed: typeof findTemplate,
): Promise<CampaignContent> {
  const shared = await sharedNow(deps, campaign);
  const content = await contentWith(deps, campaign, templateNamed, shared);
  if (!campaign.variants) return content;
  const variants: VariantContent[] = [];
  for (const variant of campaign.variants) {
    const own = await contentWith(deps, asVariant(campaign, variant), templateNamed, shared);
    const { from, subject, previewText, html, text, translated, pictures } = own;
    variants.push({
      ...{ id: variant.id, from, subject, previewText, html },
      ...(text ? { text } : {}),
      ...(translated ? { translated } : {}),
      ...(pictures ? { pictures } : {}),
    });
  }
  if (BSON.calculateObjectSize({ ...content, variants }) > BYTES_MAX)
    throw invalid('The variants with all their languages are too long for one campaign.', 'variants: are too long');
  return { ...content, variants };
}

/** The content as a variant has it; null: the content itself. */
export function contentIn(content: CampaignContent, id: VariantId | null): CampaignContent {
  const own = content.variants?.find((variant) => variant.id === id);
  if (!own) return content;
  const { text, translated, pictures, variants: _, ...shared } = content;
  const { id: __, ...mail } = own;
  return { ...shared, ...mail };
}

/**
 * Template, sender and flags as they are now: later changes do not reach a campaign that has begun. Throws AppError for content
 * that does not compile. Sending passes `publishedTemplate`; a preview and a test show the draft of a template that was never published.
 */
export async function contentNow(
  deps: CampaignsDeps,
  campaign: Campaign,
  templateNamed: typeof findTemplate = findTemplate,
): Promise<CampaignContent> {
  return contentWith(deps, campaign, templateNamed, await sharedNow(deps, campaign));
}

/** Read once for all variants. */
interface Shared {
  saved: Sender | null;
  project: Pick<Project, 'languageProperty'> | null;
}

async function sharedNow({ db }: CampaignsDeps, campaign: Campaign): Promise<Shared> {
  const [saved, project] = await Promise.all([
    savedSender({ db }, campaign),
    db.projects.findOne({ _id: campaign.projectId }, { projection: { languageProperty: 1 } }),
  ]);
  return { saved, project };
}

async function contentWith(
  deps: CampaignsDeps,
  campaign: Campaign,
  templateNamed: typeof findTemplate,
  { saved, project }: Shared,
): Promise<CampaignContent> {
  const {
    _id,
    projectId,
    templateId,
    subject,
    trackingClick,
    trackingOpen,
    unsubscribeGroupId,
    headers = {},
  } = campaign;
  const template = await templateNamed(deps, { _id: projectId }, templateId, 'templateId');
  // A text that is cleared in the campaign is not taken from the mail that is written in it.
  const previewText = campaign.previewText || (isOwnOf(template, campaign) ? '' : template.previewText);
  await breathe(template.emailTemplate);
  compiled(template.emailTemplate, 'html', 'htmlTemplate');
  compiled(subject, 'subject', 'subject');
  compiled(previewText, 'subject', 'previewText');
  compiledHeaders(headers);
  const { email, name, replyTo } = senderFor(campaign, saved);
  const translated = await translatedNow(deps, campaign, template, project);
  const mails = [{ html: template.emailTemplate }, ...(translated.translated?.mails ?? [])];
  return {
    _id,
    projectId,
    from: { email, name },
    replyTo: replyTo ? { email: replyTo, name: '' } : null,
    domainName: emailDomain(email),
    ...{ subject, previewText, html: template.emailTemplate, trackingClick, trackingOpen },
    ...(template.text ? { text: template.text } : {}),
    utm: campaign.utm ?? template.utm ?? null,
    headers,
    ...taggedWith(campaign.tags),
    groupId: unsubscribeGroupId,
    campaign: campaign.name,
    ...translated,
    ...(campaign.inlinePictures ? { pictures: await picturesInside(deps, projectId, mails) } : {}),
    frozenAt: deps.clock.now(),
  };
}
