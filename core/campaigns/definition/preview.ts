import type { Project } from '../../base/model.ts';
import { namedCampaign } from '../../mail/compose/variables.ts';
import { contactNamed, type NamedContact } from '../../mail/previews/contacts.ts';
import { type DraftPreview, previewDraft } from '../../mail/previews/drafts.ts';
import { compileMail } from '../../templates/mail.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { contentNow } from './content.ts';

/** As it would be sent now; once it has begun, as it is sent. */
export async function previewCampaign(
  deps: CampaignsDeps,
  project: Project,
  campaign: Campaign,
  named: NamedContact,
  figures?: ReadonlyMap<number, number>,
): Promise<DraftPreview> {
  const contact = await contactNamed(deps, project, named);
  const { _id, projectId } = campaign;
  const content = (await deps.db.campaignContents.findOne({ _id, projectId })) ?? (await contentNow(deps, campaign));
  const { subject, previewText, html, text = null, utm = null } = content;
  const source = { subject, previewText, html, text };
  return previewDraft(
    deps,
    project,
    { source, utm, isCampaign: true, campaign: namedCampaign(content), contact, data: {}, figures },
    compileMail(source),
  );
}
