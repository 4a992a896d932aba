import type { Campaign, CampaignVariant } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { TestDialog } from '../../parts/mail/test-dialog.tsx';

type VariantId = CampaignVariant['id'];

/** A test of what is saved: of a campaign with several mails, of one of them. */
export function CampaignTest({
  campaign: { id, subject, variants },
  mail,
  person = '',
  onClose,
}: {
  campaign: Campaign;
  /** Chosen when it opens. */
  mail?: VariantId;
  person?: string;
  onClose: () => void;
}) {
  return (
    <TestDialog
      {...{ person, onClose }}
      {...(mail && { mail })}
      mails={variants.map((variant) => ({
        value: variant.id,
        label: `${variant.id}: ${variant.subject ?? subject}`,
      }))}
      send={(test, _sender, variantId) =>
        api.campaigns.test(id, { ...test, ...(variantId && { variantId: variantId as VariantId }) })
      }
    />
  );
}
