import type { ReputationReport } from '../../../client/index.ts';
import type { Tone } from '../../parts/data/state.tsx';

/** The judgement of a sending domain, in words. */
export const standings: Record<ReputationReport['domains'][number]['status'], { tone: Tone; word: string }> = {
  few: { tone: 'idle', word: 'Fewer than 100 mails' },
  good: { tone: 'good', word: 'Below the limits' },
  warning: { tone: 'warn', word: 'Close to a limit' },
  over: { tone: 'bad', word: 'Over a limit' },
};
