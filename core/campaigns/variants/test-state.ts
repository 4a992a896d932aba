import type { Campaign, CampaignWinner } from '../model.ts';

/** How far a test is, and how long it may still take. */
export interface TestState {
  state: 'planned' | 'sending' | 'measuring' | 'held' | 'decided';
  decideAt: Date | null;
  giveUpAt: Date | null;
  winner: CampaignWinner | null;
}

/** null: it has no test. */
export function testStateOf({ test, winner = null }: Pick<Campaign, 'test' | 'winner'>): TestState | null {
  if (!test) return null;
  return { state: winner ? 'decided' : 'planned', decideAt: null, giveUpAt: null, winner };
}
