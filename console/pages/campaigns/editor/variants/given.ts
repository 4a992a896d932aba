import type {
  Campaign,
  CampaignTestPlan,
  CampaignVariantInput,
  UpdateCampaignBody,
} from '../../../../../client/index.ts';
import { mailBody, type OwnMail } from '../own-mail.ts';

export const VARIANT_IDS = ['A', 'B', 'C', 'D', 'E'] as const;
const EVENT = 'event:';

export const ownFields = ['subject', 'previewText', 'from/email', 'from/name', 'templateId', 'share'] as const;
export type OwnField = (typeof ownFields)[number];
export type Index = 0 | 1 | 2 | 3 | 4;
type VariantKey = `variants/${Index}/${OwnField}`;
type MailKey = `variants/${Index}/mail`;

/** The fields of variants and their test, as the interface names them in a refusal. '' in a variant: as the campaign. */
export interface VariantFields extends Record<VariantKey, string>, Record<MailKey, OwnMail | null> {
  /** How many there are; 0: one mail for all. */
  variants: string;
  /** split: all get one; test: a part gets them, and the rest the better one. */
  comparing: 'split' | 'test';
  'test/share': string;
  'test/metric': 'humanClicks' | 'humanOpens' | 'event';
  event: string;
  'test/decideAfterMinutes': string;
  'test/minPerVariant': string;
  'test/giveUpAfterMinutes': string;
  'test/onTie': NonNullable<CampaignTestPlan['onTie']>;
  holdOutShare: string;
}

const INDEXES: readonly Index[] = [0, 1, 2, 3, 4];

export function indexesOf({ variants }: Pick<VariantFields, 'variants'>): Index[] {
  return INDEXES.slice(0, Number(variants));
}

export function keyOf<F extends OwnField>(index: Index, field: F): `variants/${Index}/${F}` {
  return `variants/${index}/${field}`;
}

/** Of the mail that was written since the campaign was loaded; null: as its template has it. */
export function mailKeyOf(index: Index): MailKey {
  return `variants/${index}/mail`;
}

export function variantsOf(campaign: Campaign | null): VariantFields {
  const { variants = [], test = null, holdOutShare = 0 } = campaign ?? {};
  const { metric = 'humanClicks' } = test ?? {};
  const isEvent = metric.startsWith(EVENT);
  return {
    ...(Object.fromEntries(INDEXES.flatMap((index) => entriesOf(variants[index], index))) as Record<
      VariantKey,
      string
    >),
    ...(Object.fromEntries(INDEXES.map((index) => [mailKeyOf(index), null])) as Record<MailKey, null>),
    variants: String(variants.length),
    comparing: variants.length > 0 && !test ? 'split' : 'test',
    'test/share': String(test?.share ?? 20),
    'test/metric': isEvent ? 'event' : (metric as 'humanClicks'),
    event: isEvent ? metric.slice(EVENT.length) : '',
    'test/decideAfterMinutes': String(test?.decideAfterMinutes ?? 120),
    'test/minPerVariant': String(test?.minPerVariant ?? 100),
    'test/giveUpAfterMinutes': String(test?.giveUpAfterMinutes ?? 1_440),
    'test/onTie': test?.onTie ?? 'first',
    holdOutShare: String(holdOutShare),
  };
}

function entriesOf(variant: Campaign['variants'][number] | undefined, index: Index): Array<[VariantKey, string]> {
  const { subject, previewText, from, templateId, share } = variant ?? {};
  const values = [subject, previewText, from?.email, from?.name, templateId, share];
  return ownFields.map((field, place) => [keyOf(index, field), String(values[place] ?? '')]);
}

/** A sentence; null: it can be saved as it is. */
export function missingVariants(fields: VariantFields): string | null {
  const same = indexesOf(fields).filter((index) => isAsCampaign(fields, index));
  if (same[1] !== undefined) return `Say what differs in ${VARIANT_IDS[same[1]]}`;
  if (fields.variants !== '0' && fields.comparing === 'test' && fields['test/metric'] === 'event' && !fields.event)
    return 'Choose the event that counts';
  return null;
}

function isAsCampaign(fields: VariantFields, index: Index): boolean {
  const isWritten = fields[mailKeyOf(index)] !== null;
  return !isWritten && ownFields.every((field) => field === 'share' || fields[keyOf(index, field)] === '');
}

/** As the interface takes them. Variants that are not whole yet leave what is saved as it is. */
export function variantsBody(fields: VariantFields): Pick<UpdateCampaignBody, 'variants' | 'test' | 'holdOutShare'> {
  const holdOutShare = Number(fields.holdOutShare);
  if (fields.variants === '0') return { variants: null, test: null, holdOutShare };
  if (missingVariants(fields) !== null) return { holdOutShare };
  const variants = indexesOf(fields).map((index) => variantBody(fields, index));
  return { variants, test: fields.comparing === 'test' ? testBody(fields) : null, holdOutShare };
}

function variantBody(fields: VariantFields, index: Index): CampaignVariantInput {
  const [subject, previewText, email, name, templateId, share] = ownFields.map((field) => fields[keyOf(index, field)]);
  const from = { ...(email && { email }), ...(name && { name }) };
  return {
    ...(subject && { subject }),
    ...(previewText && { previewText }),
    ...((email || name) && { from }),
    ...mailBody({ templateId: templateId ?? '', mail: fields[mailKeyOf(index)] }),
    ...(share && { share: Number(share) }),
  };
}

function testBody(fields: VariantFields): CampaignTestPlan {
  const { 'test/metric': metric, 'test/onTie': onTie, event } = fields;
  return {
    share: Number(fields['test/share']),
    metric: metric === 'event' ? `${EVENT}${event}` : metric,
    decideAfterMinutes: Number(fields['test/decideAfterMinutes']),
    minPerVariant: Number(fields['test/minPerVariant']),
    giveUpAfterMinutes: Number(fields['test/giveUpAfterMinutes']),
    onTie,
  };
}

/** Takes one away; the later ones move up, and one that is left alone is the mail of all. */
export function without(fields: VariantFields, gone: Index): Partial<VariantFields> {
  const left = indexesOf(fields).filter((index) => index !== gone);
  if (left.length < 2) return { variants: '0' };
  const moved = INDEXES.flatMap((index) => {
    const from = left[index];
    const mail = from === undefined ? null : fields[mailKeyOf(from)];
    const texts = ownFields.map((field) => [keyOf(index, field), from === undefined ? '' : fields[keyOf(from, field)]]);
    return [...texts, [mailKeyOf(index), mail]];
  });
  return { ...Object.fromEntries(moved), variants: String(left.length) };
}
