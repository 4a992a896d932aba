import type {
  CampaignTestPlan,
  CampaignTestState,
  CampaignVariantFigures,
  CampaignVariants,
} from '../../../../../client/index.ts';
import { people, weekday } from '../../../../parts/data/format.ts';

type Compared = Pick<CampaignVariants, 'lead'> & {
  variants: ReadonlyArray<Pick<CampaignVariantFigures, 'id' | 'sent' | 'probabilityBest'>>;
};

/** The act that the rate counts. */
export function metricWords(metric: string | null): string {
  if (metric === null) return 'nothing is counted';
  if (metric.startsWith('event:')) return `people with the event ${metric.slice('event:'.length)}`;
  return metric === 'humanClicks' ? 'people who clicked' : 'people who opened';
}

/** 'B leads A by 1.2 to 2.9 points, and is the best with 94 % probability.' */
export function leadWords({ lead, variants }: Compared): string {
  if (variants.every(({ sent }) => sent === 0)) return 'Nobody has got one of them yet.';
  if (!lead) return 'None of them leads.';
  const { variantId, over, from, to } = lead;
  const points = `${from.toFixed(1)} to ${to.toFixed(1)} points`;
  if (from <= 0) return `${variantId} is ahead of ${over}, but the difference may be chance (${points}).`;
  const best = variants.find(({ id }) => id === variantId)?.probabilityBest ?? 0;
  return `${variantId} leads ${over} by ${points}, and is the best with ${chance(best)} probability.`;
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
