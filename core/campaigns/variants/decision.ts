import type { CampaignTest } from '../model.ts';
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

/** "B leads A by 1.2 to 2.9 points." */
export function leadInWords(names: readonly string[], trials: readonly Trials[]): string {
  if (trials.every(({ n }) => n === 0)) return 'Nothing has been sent yet.';
  const [first, second] = ranked(trials);
  if (!first || !second || first.probability - second.probability < SAME) return 'No variant leads.';
  const { from, to } = differenceOf(trials[first.index]!, trials[second.index]!);
  const [best, next] = [names[first.index], names[second.index]];
  if (from <= 0) return `${best} is ahead of ${next}, but the difference may be chance.`;
  return `${best} leads ${next} by ${points(from)} to ${points(to)} points.`;
}

function percent(rate: number): number {
  return Math.round(rate * 10_000) / 100;
}

function points(rate: number): string {
  return (rate * 100).toFixed(1);
}
