import { invalid } from '../../base/errors.ts';
import type { Origin } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { namedCampaign } from '../../mail/compose/variables.ts';
import { contactNamed, type NamedContact } from '../../mail/previews/contacts.ts';
import { type QueuedTest, sendTestMail } from '../../mail/previews/test-mails.ts';
import type { CampaignsDeps } from '../deps.ts';
import { sourceFor } from '../languages.ts';
import type { VariantId } from '../model.ts';
import { variantNamed } from '../variants/mail.ts';
import { findCampaign } from './campaigns.ts';
import { contentNow } from './content.ts';

/** Sends the campaign as it is now to a few people for review: outside its audience, its counts and its suppressions. */
export async function testCampaign(
  deps: CampaignsDeps,
  project: Project,
  campaignId: string,
  {
    emails,
    contactId,
    language,
    variantId,
  }: { emails: string[]; language?: string; variantId?: VariantId } & Pick<NamedContact, 'contactId'>,
  origin: Origin,
): Promise<QueuedTest> {
  const campaign = variantNamed(await findCampaign(deps, project, campaignId), variantId);
  const contact = await contactNamed(deps, project, { contactId });
  const content = await contentNow(deps, campaign);
  const { from, replyTo, utm, groupId, headers: headerTemplates = {}, pictures } = content;
  if (!from.email)
    throw invalid('The campaign has no sender yet; give from or senderId.', 'from: is required, or senderId');
  const shown = {
    from,
    replyTo,
    templateId: campaign.templateId,
    ...sourceFor(content, contact, language),
    groupId,
    headerTemplates,
    ...(utm ? { utm } : {}),
    ...(pictures ? { pictures } : {}),
  };
  const whose = { emails, contact, data: {}, isCampaign: true, campaign: namedCampaign(content) };
  return sendTestMail(deps, project, { ...shown, ...whose }, origin);
}
