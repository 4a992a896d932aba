import type { Project } from '../../base/model.ts';
import { namedCampaign } from '../../mail/compose/variables.ts';
import { contactNamed, type NamedContact } from '../../mail/previews/contacts.ts';
import { type DraftPreview, previewDraft } from '../../mail/previews/drafts.ts';
import { compileMail } from '../../templates/mail.ts';
import type { CampaignsDeps } from '../deps.ts';
import { sourceFor } from '../languages.ts';
import type { Campaign } from '../model.ts';
import { contentNow } from './content.ts';

/** As it would be sent now; once it has begun, as it is sent. */
export async function previewCampaign(
  deps: CampaignsDeps,
  project: Project,
  campaign: Campaign,
  { language, ...named }: NamedContact & { language?: string | undefined },
  figures?: ReadonlyMap<number, number>,
): Promise<DraftPreview> {
  const contact = await contactNamed(deps, project, named);
  const { _id, projectId } = campaign;
  const content = (await deps.db.campaignContents.findOne({ _id, projectId })) ?? (await contentNow(deps, campaign));
  const { utm = null } = content;
  const source = sourceFor(content, contact, language);
  return previewDraft(
    deps,
    project,
    { source, utm, isCampaign: true, campaign: namedCampaign(content), contact, data: {}, figures },
    compileMail(source),
  );
}
