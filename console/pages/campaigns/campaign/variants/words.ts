import type {
  CampaignTestPlan,
  CampaignTestState,
  CampaignVariantFigures,
  CampaignVariants,
} from '../../../../../client/index.ts';
import { people, weekday } from '../../../../parts/data/format.ts';

type Figures = Pick<CampaignVariantFigures, 'id' | 'sent' | 'rate' | 'interval' | 'probabilityBest'>;

/** The act that the rate counts. */
export function metricWords(metric: string | null): string {
  if (metric === null) return 'nothing is counted';
  if (metric.startsWith('event:')) return `people with the event ${metric.slice('event:'.length)}`;
  return metric === 'humanClicks' ? 'people who clicked' : 'people who opened';
}

/** 'B leads by 1.6 points, and is the best with 94 % probability.' */
export function leadWords(variants: readonly Figures[]): string {
  if (variants.every(({ sent }) => sent === 0)) return 'Nobody has got one of them yet.';
  const [first, second] = [...variants].sort((a, b) => b.probabilityBest - a.probabilityBest);
  if (!first || !second || first.probabilityBest === second.probabilityBest) return 'None of them leads.';
  const points = first.rate - second.rate;
  const by = points > 0 ? ` by ${points.toFixed(1)} points` : '';
  return `${first.id} leads${by}, and is the best with ${chance(first.probabilityBest)} probability.`;
}

/** Never said to be certain: '> 99 %'. */
export function chance(probability: number): string {
  if (probability > 0.99) return '> 99 %';
  if (probability < 0.01) return '< 1 %';
  return `${Math.round(probability * 100)} %`;
}

const REASONS = { figures: 'by its figures', tie: 'because the figures did not decide', person: 'by hand' } as const;

/** How far the test is, and what happens next; null: a split. */
export function stateWords(
  test: CampaignTestState | null,
  { minPerVariant, onTie }: Pick<CampaignTestPlan, 'minPerVariant' | 'onTie'>,
  hasEnded = false,
): string | null {
  if (!test) return null;
  const { state, decideAt, giveUpAt, winner } = test;
  if (winner) return `${winner.variantId} was chosen ${REASONS[winner.by]}, ${weekday(winner.at)}. The others get it.`;
  if (hasEnded) return 'It ended before one was chosen.';
  if (state === 'held') return 'The figures did not decide. The others wait until you choose.';
  if (state === 'planned') return 'The test has not begun.';
  if (state === 'sending' || !decideAt) return 'The mails of the test are going out. The others wait.';
  const least = `when ${people(minPerVariant)} have each`;
  const tie = onTie === 'hold' ? 'they wait for your choice' : 'they get A';
  const end = giveUpAt ? ` If nothing is decided ${weekday(giveUpAt)}, ${tie}.` : '';
  return `Decided from ${weekday(decideAt)} on, ${least}. Until then the others wait.${end}`;
}

/** Whether a person may still choose. */
export function isOpen(test: CampaignTestState | null): boolean {
  return test !== null && test.winner === null && test.state !== 'planned';
}

/** The largest rate that is drawn: the intervals side by side use the whole width. */
export function scaleOf({ variants }: Pick<CampaignVariants, 'variants'>): number {
  return Math.max(1, ...variants.filter(({ sent }) => sent > 0).map(({ interval }) => interval.to));
}
