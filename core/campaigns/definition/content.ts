import { emailDomain } from '../../base/text/addresses.ts';
import { taggedWith } from '../../base/text/tags.ts';
import { breathe } from '../../base/work/breathe.ts';
import { compiledHeaders } from '../../mail/compose/headers.ts';
import { compiled } from '../../templates/cache.ts';
import { findTemplate } from '../../templates/find.ts';
import { isOwnOf } from '../../templates/own/mails.ts';
import type { CampaignsDeps } from '../deps.ts';
import { translatedNow } from '../languages.ts';
import type { Campaign, CampaignContent } from '../model.ts';
import { senderOf } from './input.ts';

/**
 * Template, sender and flags as they are now: later changes do not reach a campaign that has begun. Throws AppError for content
 * that does not compile. Sending passes `publishedTemplate`; a preview and a test show the draft of a template that was never published.
 */
export async function contentNow(
  deps: CampaignsDeps,
  campaign: Campaign,
  templateNamed: typeof findTemplate = findTemplate,
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
  const [template, sender] = await Promise.all([
    templateNamed(deps, { _id: projectId }, templateId, 'templateId'),
    senderOf(deps, { _id: projectId }, campaign),
  ]);
  // A text that is cleared in the campaign is not taken from the mail that is written in it.
  const previewText = campaign.previewText || (isOwnOf(template, campaign) ? '' : template.previewText);
  await breathe(template.emailTemplate);
  compiled(template.emailTemplate, 'html', 'htmlTemplate');
  compiled(subject, 'subject', 'subject');
  compiled(previewText, 'subject', 'previewText');
  compiledHeaders(headers);
  const { email, name, replyTo } = sender;
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
    ...(await translatedNow(deps, campaign, template)),
    frozenAt: deps.clock.now(),
  };
}
