import { invalid, notFound } from '../../base/errors.ts';
import type { Project, Session } from '../../base/model.ts';
import { emailDomain } from '../../base/text/addresses.ts';
import { findTemplate, referToTemplate, requirePublished } from '../../templates/find.ts';
import type { HtmlOfMail } from '../../templates/media/inline.ts';
import type { Template } from '../../templates/model.ts';
import { isOwnOf } from '../../templates/own/mails.ts';
import { htmlInLanguages } from '../../templates/translations/mail.ts';
import type { Numbers } from '../../templates/versions.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, CampaignVariant, VariantId } from '../model.ts';
import { refuseEqual } from './given.ts';
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
  campaign: Pick<Campaign, '_id' | 'projectId' | 'variants'>,
  sender: string,
  mails: VariantMails,
): Promise<void> {
  const variants = campaign.variants ?? [];
  const templates = await templatesOf(deps, campaign, [
    'publishedVersion',
    'draftVersion',
    'newestVersion',
    'campaignId',
  ]);
  for (const [index, { id, templateId, from }] of variants.entries()) {
    const field = `variants/${index}`;
    if (templateId !== undefined && !mails.has(id))
      requireSendable(campaign, templates.get(templateId), `${field}/templateId`);
    if (from?.email && emailDomain(from.email) !== emailDomain(sender))
      throw invalid(
        'All variants are sent from one domain.',
        `${field}/from/email: is not on the domain of the campaign`,
      );
  }
}

/** A mail that is written in the campaign is published with it. */
function requireSendable(
  campaign: Pick<Campaign, '_id'>,
  template: Pick<Template, 'templateId' | 'campaignId' | keyof Numbers> | undefined,
  field: string,
): void {
  if (!template) throw notFound('TEMPLATE', field);
  if (!isOwnOf(template, campaign)) requirePublished(template, field);
}

/** Templates with different names may have the same text, in all languages. */
export async function refuseSameTexts(
  deps: CampaignsDeps,
  campaign: Campaign,
  written: ReadonlyMap<VariantId | null, string>,
): Promise<void> {
  const { variants } = campaign;
  if (!variants) return;
  const templates = await templatesOf(deps, campaign, ['emailTemplate', 'translations']);
  const texts = new Map(written);
  for (const [id, templateId] of templatesShown(campaign, written)) {
    const template = templates.get(templateId);
    if (template) texts.set(id, textInAll(template));
  }
  refuseEqual(campaign, variants, texts);
}

/** The HTML of each mail as it would be now, of what the call brings or of its template in all languages. */
export async function htmlOfCampaign(
  deps: CampaignsDeps,
  campaign: Campaign,
  written: ReadonlyMap<VariantId | null, string>,
): Promise<HtmlOfMail[]> {
  const ids = templatesShown(campaign, written).map(([, id]) => id);
  const brought = [...written.values()].map((html) => ({ html }));
  if (ids.length === 0) return brought;
  const { projectId } = campaign;
  const templates = await deps.db.templates.find({ projectId, templateId: { $in: ids } }).toArray();
  const shown = await Promise.all(templates.map((template) => htmlInLanguages(deps, template)));
  return [...brought, ...shown.flat()];
}

/** Of the mails that the call does not bring; null: of the campaign itself. */
function templatesShown(
  { variants, templateId: shared }: Campaign,
  written: ReadonlyMap<VariantId | null, string>,
): [VariantId | null, string][] {
  return [{ id: null, templateId: shared }, ...(variants ?? [])].flatMap(({ id, templateId }) =>
    templateId === undefined || written.has(id) ? [] : [[id, templateId]],
  );
}

function textInAll({ emailTemplate, translations = [] }: Pick<Template, 'emailTemplate' | 'translations'>): string {
  return translations.length === 0 ? emailTemplate : JSON.stringify([emailTemplate, translations]);
}

/** Those of the campaign and of its variants that there are, by the names under which they are stored. */
async function templatesOf<Name extends keyof Template>(
  { db }: CampaignsDeps,
  { projectId, variants, templateId }: Pick<Campaign, 'projectId' | 'variants'> & Partial<Pick<Campaign, 'templateId'>>,
  names: readonly Name[],
): Promise<Map<string, Pick<Template, Name | 'templateId'>>> {
  const ids = [templateId, ...(variants ?? []).map((variant) => variant.templateId)].filter((id) => id !== undefined);
  if (ids.length === 0) return new Map();
  const projection = Object.fromEntries(['templateId', ...names].map((name) => [name, 1]));
  const found = await db.templates.find({ projectId, templateId: { $in: ids } }, { projection }).toArray();
  return new Map(found.map((template) => [template.templateId, template]));
}
