import { breathe } from '../base/breathe.ts';
import type { Deps } from '../base/deps.ts';
import { notFound } from '../base/errors.ts';
import { emailDomain } from '../base/text/addresses.ts';
import { taggedWith } from '../base/text/tags.ts';
import { compiled } from '../templates/cache.ts';
import { senderOf } from './input.ts';
import type { Campaign, CampaignContent } from './model.ts';

/**
 * Template, sender and flags as they are now: later changes do not reach a campaign that has begun. Throws AppError for content
 * that does not compile.
 */
export async function contentNow(deps: Deps, campaign: Campaign): Promise<CampaignContent> {
  const { _id, projectId, templateId, subject, trackingClick, trackingOpen, unsubscribeGroupId } = campaign;
  const [template, sender] = await Promise.all([
    deps.db.templates.findOne({ projectId, templateId }),
    senderOf(deps, { _id: projectId }, campaign),
  ]);
  if (!template) throw notFound('TEMPLATE', 'templateId');
  const previewText = campaign.previewText || template.previewText;
  await breathe(template.emailTemplate);
  compiled(template.emailTemplate, 'html', 'htmlTemplate');
  compiled(subject, 'subject', 'subject');
  compiled(previewText, 'subject', 'previewText');
  const { email, name, replyTo } = sender;
  return {
    _id,
    projectId,
    from: { email, name },
    replyTo: replyTo ? { email: replyTo, name: '' } : null,
    domainName: emailDomain(email),
    ...{ subject, previewText, html: template.emailTemplate, trackingClick, trackingOpen },
    utm: campaign.utm ?? template.utm ?? null,
    ...taggedWith(campaign.tags),
    groupId: unsubscribeGroupId,
    frozenAt: deps.clock.now(),
  };
}
