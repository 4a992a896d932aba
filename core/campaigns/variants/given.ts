import { isDeepStrictEqual } from 'node:util';
import type { updateCampaignBody } from '../../../schemas/campaigns/campaigns.ts';
import type { Described } from '../../../schemas/schema.ts';
import { invalid } from '../../base/errors.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { DAY_MS, MINUTE_MS } from '../../base/time/durations.ts';
import { withoutSnippets } from '../../templates/assemble/code.ts';
import { compiled } from '../../templates/cache.ts';
import type { Campaign, CampaignTest, CampaignVariant, VariantId } from '../model.ts';
import { mailOf } from './mail.ts';

export const VARIANT_IDS: readonly VariantId[] = ['A', 'B', 'C', 'D', 'E'];
const GIVE_UP_MINUTES = DAY_MS / MINUTE_MS;
const WHOLE = 100;

type CampaignInput = Described<typeof updateCampaignBody>;
type Fields = Pick<Campaign, 'variants' | 'test' | 'holdOutShare'>;
type VariantInput = NonNullable<CampaignInput['variants']>[number];

/** The fields that a call sets, checked without a read. */
export function variantFieldsOf(input: CampaignInput): Fields {
  const { variants, test, holdOutShare } = input;
  return {
    ...(variants === undefined ? {} : { variants: variants?.map(variantOf) ?? null }),
    // Without variants there is nothing to test.
    ...(test === undefined && variants !== null ? {} : { test: test ? testOf(test) : null }),
    ...(holdOutShare === undefined ? {} : { holdOutShare }),
  };
}

/** Held against the whole campaign, whichever of its fields the call changed; `written`: the HTML of mails that the call brings. */
export function refuseUnfit(campaign: Campaign, written: ReadonlyMap<VariantId | null, string> = new Map()): void {
  const { variants, test } = campaign;
  if (variants) refuseShares(variants);
  if (variants) refuseEqual(campaign, variants, written);
  if (!test) return;
  if (!variants) throw invalid('A test compares variants.', 'test: needs variants');
  if (test.giveUpAfterMinutes < test.decideAfterMinutes)
    throw invalid(
      'The test is given up before it is decided.',
      'test/giveUpAfterMinutes: is less than decideAfterMinutes',
    );
  const tracking = trackingOf(test);
  if (tracking && !campaign[tracking])
    throw invalid(`The metric of the test is not measured: ${tracking} is off.`, `test/metric: needs ${tracking}`);
}

/** The tracking without which the metric stays 0. */
function trackingOf({ metric }: CampaignTest): 'trackingOpen' | 'trackingClick' | null {
  if (metric === 'humanOpens') return 'trackingOpen';
  return metric === 'humanClicks' ? 'trackingClick' : null;
}

function variantOf(input: VariantInput, index: number): CampaignVariant {
  const { subject, previewText, from, templateId, htmlTemplate, share = null } = input;
  const field = `variants/${index}`;
  if (subject !== undefined) compiled(subject, 'subject', `${field}/subject`);
  if (previewText !== undefined) compiled(previewText, 'subject', `${field}/previewText`);
  if (htmlTemplate !== undefined) compiled(withoutSnippets(htmlTemplate), 'html', `${field}/htmlTemplate`);
  return {
    id: VARIANT_IDS[index] as VariantId,
    ...(subject === undefined ? {} : { subject }),
    ...(previewText === undefined ? {} : { previewText }),
    ...(from ? { from: fromOf(from) } : {}),
    ...(templateId === undefined ? {} : { templateId }),
    share,
  };
}

function fromOf({ email, name }: NonNullable<VariantInput['from']>): NonNullable<CampaignVariant['from']> {
  return {
    ...(email ? { email: normalizeEmail(email) ?? email } : {}),
    ...(name === undefined ? {} : { name }),
  };
}

function testOf(input: NonNullable<CampaignInput['test']>): CampaignTest {
  const { share, metric, decideAfterMinutes, minPerVariant, onTie = 'first' } = input;
  const { giveUpAfterMinutes = Math.max(GIVE_UP_MINUTES, decideAfterMinutes) } = input;
  return { share, metric, decideAfterMinutes, minPerVariant, giveUpAfterMinutes, onTie };
}

function refuseShares(variants: CampaignVariant[]): void {
  const shares = variants.flatMap(({ share }) => share ?? []);
  if (shares.length === 0) return;
  const without = variants.findIndex(({ share }) => share === null);
  if (without >= 0)
    throw invalid('Give a share to each variant, or to none.', `variants/${without}/share: is required`);
  const sum = shares.reduce((all, share) => all + share, 0);
  if (sum !== WHOLE)
    throw invalid(`The shares of the variants add up to ${sum}, not to 100.`, `variants: shares add up to ${sum}`);
}

/** `written`: the HTML of mails whose text is known; others are compared by the names of their templates. */
export function refuseEqual(
  campaign: Campaign,
  variants: CampaignVariant[],
  written: ReadonlyMap<VariantId | null, string>,
): void {
  const mails = variants.map((variant) => {
    const { templateId, ...mail } = mailOf(campaign, variant);
    const html = written.get(variant.id) ?? (variant.templateId === undefined ? written.get(null) : undefined);
    return { ...mail, ...(html === undefined ? { templateId } : { html }) };
  });
  for (const [index, mail] of mails.entries()) {
    const same = mails.slice(0, index).findIndex((other) => isDeepStrictEqual(other, mail));
    if (same < 0) continue;
    throw invalid('Two variants are the same mail.', `variants/${index}: is the same as variant ${VARIANT_IDS[same]}`);
  }
}
