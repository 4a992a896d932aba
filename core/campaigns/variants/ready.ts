import { invalid } from '../../base/errors.ts';
import type { Project, Session } from '../../base/model.ts';
import { emailDomain } from '../../base/text/addresses.ts';
import { findTemplate, referToTemplate, requirePublished } from '../../templates/find.ts';
import { isOwnOf } from '../../templates/own/mails.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, CampaignVariant } from '../model.ts';
import type { VariantMails } from './written.ts';

type Tenant = Pick<Project, '_id'>;

/** With the ids of templates that callers know. */
export function storedVariants(
  deps: CampaignsDeps,
  project: Tenant,
  variants: CampaignVariant[],
): Promise<CampaignVariant[]> {
  return Promise.all(
    variants.map(async (variant, index) => {
      const { templateId } = variant;
      if (templateId === undefined) return variant;
      const template = await findTemplate(deps, project, templateId, `variants/${index}/templateId`);
      return { ...variant, templateId: template.templateId };
    }),
  );
}

/** Runs in the transaction that stores the campaign: of it and a deletion of a template the later one is refused. */
export async function referToVariants(
  deps: CampaignsDeps,
  session: Session,
  { projectId, variants }: Pick<Campaign, 'projectId' | 'variants'>,
): Promise<void> {
  for (const [index, { templateId }] of (variants ?? []).entries())
    if (templateId !== undefined)
      await referToTemplate(deps, session, { _id: projectId }, templateId, `variants/${index}/templateId`);
}

/** Before a campaign is published, and again when it begins. */
export async function readyVariants(
  deps: CampaignsDeps,
  project: Tenant,
  campaign: Pick<Campaign, '_id' | 'variants'>,
  sender: string,
  mails: VariantMails,
): Promise<void> {
  for (const [index, { id, templateId, from }] of (campaign.variants ?? []).entries()) {
    const field = `variants/${index}`;
    if (templateId !== undefined && !mails.has(id))
      await requireSendable(deps, project, campaign, templateId, `${field}/templateId`);
    if (from?.email && emailDomain(from.email) !== emailDomain(sender))
      throw invalid(
        'All variants are sent from one domain.',
        `${field}/from/email: is not on the domain of the campaign`,
      );
  }
}

/** A mail that is written in the campaign is published with it. */
async function requireSendable(
  deps: CampaignsDeps,
  project: Tenant,
  campaign: Pick<Campaign, '_id'>,
  templateId: string,
  field: string,
): Promise<void> {
  const template = await findTemplate(deps, project, templateId, field);
  if (!isOwnOf(template, campaign)) requirePublished(template, field);
}
