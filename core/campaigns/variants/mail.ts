import type { Campaign, CampaignVariant } from '../model.ts';

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
