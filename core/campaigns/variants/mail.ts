import { invalid } from '../../base/errors.ts';
import type { Campaign, CampaignVariant, VariantId } from '../model.ts';

type Mail = Pick<Campaign, 'subject' | 'previewText' | 'from' | 'templateId'>;

/** The mail of a variant: its own fields, and the campaign's for the rest. */
export function mailOf({ subject, previewText, from, templateId }: Mail, variant: CampaignVariant): Mail {
  return {
    subject: variant.subject ?? subject,
    previewText: variant.previewText ?? previewText,
    from: { ...from, ...variant.from },
    templateId: variant.templateId ?? templateId,
  };
}

/** The campaign as if it had this mail alone. */
export function asVariant<C extends Mail>(campaign: C, variant: CampaignVariant): C {
  return { ...campaign, ...mailOf(campaign, variant) };
}

/** For a look at one mail; without an id the campaign's own. */
export function variantNamed(campaign: Campaign, id: VariantId | undefined): Campaign {
  if (id === undefined) return campaign;
  const variant = campaign.variants?.find((one) => one.id === id);
  if (!variant) throw invalid('The campaign has no such variant.', 'variantId: names no variant of the campaign');
  return asVariant(campaign, variant);
}
