import type { CampaignTest, VariantId } from '../model.ts';
import { differenceOf, intervalOf, probabilitiesBest, type Trials } from './beta.ts';

/** Probabilities closer than this are of the same figures. */
const SAME = 1e-9;

/** The index of the better variant; null: too few people have it, or the best two are equal. */
export function betterOf(
  { minPerVariant }: Pick<CampaignTest, 'minPerVariant'>,
  trials: readonly Trials[],
): number | null {
  if (trials.some(({ n }) => n < minPerVariant)) return null;
  if (trials.every(({ successes }) => successes === 0)) return null;
  const [first, second] = ranked(trials);
  if (!first || !second || first.probability - second.probability < SAME) return null;
  return first.index;
}

function ranked(trials: readonly Trials[]) {
  const probabilities = probabilitiesBest(trials);
  return probabilities
    .map((probability, index) => ({ probability, index }))
    .toSorted((a, b) => b.probability - a.probability);
}

export interface Comparison {
  /** Per cent. */
  rate: number;
  interval: { from: number; to: number };
  probabilityBest: number;
}

export function comparisonOf(trials: readonly Trials[]): Comparison[] {
  const probabilities = probabilitiesBest(trials);
  return trials.map((one, index) => {
    const { from, to } = intervalOf(one);
    return {
      rate: one.n === 0 ? 0 : percent(one.successes / one.n),
      interval: { from: percent(from), to: percent(to) },
      probabilityBest: Math.round((probabilities[index] ?? 0) * 10_000) / 10_000,
    };
  });
}

/** The best variant and the next one: by how many points its true rate is higher, with 95 per cent probability. */
export interface Lead {
  variantId: VariantId;
  over: VariantId;
  from: number;
  to: number;
}

/** null: nothing was sent, or the best two have the same figures. */
export function leadOf(ids: readonly VariantId[], trials: readonly Trials[]): Lead | null {
  if (trials.every(({ n }) => n === 0)) return null;
  const [first, second] = ranked(trials);
  if (!first || !second || first.probability - second.probability < SAME) return null;
  const { from, to } = differenceOf(trials[first.index]!, trials[second.index]!);
  return { variantId: ids[first.index]!, over: ids[second.index]!, from: percent(from), to: percent(to) };
}

/** "B leads A by 1.2 to 2.9 points." */
export function leadInWords(lead: Lead | null, isSent: boolean): string {
  if (!isSent) return 'Nothing has been sent yet.';
  if (!lead) return 'No variant leads.';
  const { variantId, over, from, to } = lead;
  if (from <= 0) return `${variantId} is ahead of ${over}, but the difference may be chance.`;
  return `${variantId} leads ${over} by ${from.toFixed(1)} to ${to.toFixed(1)} points.`;
}

function percent(rate: number): number {
  return Math.round(rate * 10_000) / 100;
}
