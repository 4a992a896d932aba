import type { updateCampaignBody } from '../../../schemas/campaigns/campaigns.ts';
import type { Described } from '../../../schemas/schema.ts';
import { invalid } from '../../base/errors.ts';
import { derivedId } from '../../base/ids.ts';
import type { Origin } from '../../base/maker.ts';
import type { Project, Session } from '../../base/model.ts';
import { copiedMail, ownMail, publishOwn } from '../../templates/own/mails.ts';
import { type WrittenMail, writtenMail } from '../../templates/written.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, CampaignVariant, VariantId } from '../model.ts';
import { VARIANT_IDS } from './given.ts';
import { asVariant } from './mail.ts';

/** A mail that is written in a variant is a template of its campaign alone, as the one that is written in the campaign. */

type VariantsInput = Described<typeof updateCampaignBody>['variants'];
export type VariantMails = ReadonlyMap<VariantId, WrittenMail>;

interface VariantsWrite {
  variants: Campaign['variants'];
  /** Runs in the transaction that stores the campaign. */
  write(session: Session): Promise<void>;
}

/** The mails of variants that a call brings, compiled here, once. */
export async function broughtMails(
  deps: CampaignsDeps,
  project: Pick<Project, '_id'>,
  variants: VariantsInput,
): Promise<VariantMails> {
  const mails = new Map<VariantId, WrittenMail>();
  for (const [index, { content, htmlTemplate, layoutId, templateId }] of (variants ?? []).entries()) {
    const mail = await writtenMail(deps, project, { content, htmlTemplate, layoutId }, `variants/${index}/`);
    if (mail && templateId !== undefined)
      throw invalid(
        'A variant names a template, or has a mail of its own.',
        `variants/${index}/templateId: must be left out beside the mail of the variant`,
      );
    if (mail) mails.set(VARIANT_IDS[index] as VariantId, mail);
  }
  return mails;
}

/** The variants with the templates that their mails are written in. An author's wait until the campaign is published. */
export async function variantsWrite(
  deps: CampaignsDeps,
  project: Project,
  campaign: Campaign,
  { before, mails }: { before: Campaign['variants']; mails: VariantMails },
  origin: Origin,
): Promise<VariantsWrite> {
  const writes: VariantsWrite['write'][] = [];
  const written = async (variant: CampaignVariant): Promise<CampaignVariant> => {
    const mail = mails.get(variant.id);
    if (!mail) {
      if (campaign.status === 'scheduled' && variant.templateId !== undefined)
        writes.push((session) => publishOwn(deps, session, asVariant(campaign, variant), origin));
      return variant;
    }
    const owner = { ...asVariant(campaign, variant), templateId: goesOnIn(campaign, before, variant.id) };
    const own = await ownMail(deps, project, owner, mail, ofVariant(origin, variant.id));
    writes.push(own.write);
    return { ...variant, templateId: own.templateId };
  };
  const { variants } = campaign;
  const stored = variants && (await Promise.all(variants.map(written)));
  // Variants that no call changes stay the same object, so that they are not written.
  return { variants: mails.size === 0 ? variants : stored, write: (session) => all(writes, session) };
}

/** For a copy of the campaign, which is changed without the other. */
export async function copiedVariants(
  deps: CampaignsDeps,
  project: Project,
  source: Campaign,
  copy: Campaign,
  origin: Origin,
): Promise<VariantsWrite> {
  const writes: VariantsWrite['write'][] = [];
  const copied = async (variant: CampaignVariant): Promise<CampaignVariant> => {
    if (variant.templateId === undefined) return variant;
    const mails = [asVariant(source, variant), asVariant(copy, variant)] as const;
    const own = await copiedMail(deps, project, ...mails, ofVariant(origin, variant.id));
    if (own) writes.push(own.write);
    return own ? { ...variant, templateId: own.templateId } : variant;
  };
  const variants = source.variants && (await Promise.all(source.variants.map(copied)));
  return { variants, write: (session) => all(writes, session) };
}

/** The template that the variant has had, if no other mail of the campaign is written in it. '': none. */
function goesOnIn({ templateId, variants }: Campaign, before: Campaign['variants'], id: VariantId): string {
  const known = before?.find((variant) => variant.id === id)?.templateId ?? '';
  const others = [templateId, ...(variants ?? []).map((variant) => variant.templateId)];
  return others.includes(known) ? '' : known;
}

/** Each variant's template has an id of its own, the same at each try of the call. */
function ofVariant(origin: Origin, id: VariantId): Origin {
  return { ...origin, seed: derivedId(origin.at, 'variant', `${origin.seed.toHexString()}${id}`) };
}

async function all(writes: readonly VariantsWrite['write'][], session: Session): Promise<void> {
  for (const write of writes) await write(session);
}
