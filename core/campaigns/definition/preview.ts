import type { Project } from '../../base/model.ts';
import { namedCampaign } from '../../mail/compose/variables.ts';
import { contactNamed, type NamedContact } from '../../mail/previews/contacts.ts';
import { type DraftPreview, previewDraft } from '../../mail/previews/drafts.ts';
import { compiled } from '../../templates/cache.ts';
import { compileMail } from '../../templates/mail.ts';
import type { CampaignsDeps } from '../deps.ts';
import { languageOfReader, linkNumberIn, sourceFor } from '../languages.ts';
import type { Campaign, VariantId } from '../model.ts';
import { variantNamed } from '../variants/mail.ts';
import { contentIn, contentNow } from './content.ts';

/** As it would be sent now; once it has begun, as it is sent. */
export async function previewCampaign(
  deps: CampaignsDeps,
  project: Project,
  campaign: Campaign,
  {
    language,
    variantId,
    ...named
  }: NamedContact & { language?: string | undefined; variantId?: VariantId | undefined },
  figures?: ReadonlyMap<number, number>,
): Promise<DraftPreview> {
  const contact = await contactNamed(deps, project, named);
  const { _id, projectId } = campaign;
  const shown = variantNamed(campaign, variantId);
  const frozen = await deps.db.campaignContents.findOne({ _id, projectId });
  const content = frozen ? contentIn(frozen, variantId ?? null) : await contentNow(deps, shown);
  const { utm = null, headers = {} } = content;
  const source = sourceFor(content, contact, language);
  const numberOf = () =>
    linkNumberIn(content, languageOfReader(content, contact, language), frozen?.html ?? content.html);
  return previewDraft(
    deps,
    project,
    {
      source,
      utm,
      isCampaign: true,
      campaign: namedCampaign(content),
      contact,
      data: {},
      headers,
      figures: figures && figuresAt(figures, source.html, numberOf()),
    },
    compileMail(source),
  );
}

/** The figures at the links of the mail that is shown; none at a link that is counted by its URL. */
function figuresAt(
  figures: ReadonlyMap<number, number>,
  html: string,
  numberOf: ReturnType<typeof linkNumberIn>,
): ReadonlyMap<number, number> {
  if (!numberOf) return figures;
  const places = compiled(html, 'html', 'htmlTemplate').links.map((_, index) => index + 1);
  return new Map(
    places.flatMap((place) => {
      const figure = figures.get(numberOf(place) ?? 0);
      return figure === undefined ? [] : [[place, figure] as const];
    }),
  );
}
