import { MINUTE_MS } from '../../base/time/durations.ts';
import { releasedAt } from '../local-time/rules.ts';
import type { Campaign, CampaignWinner } from '../model.ts';

type Tested = Pick<Campaign, 'test' | 'winner' | 'freeze'>;

/** How far a test is, and how long it may still take. */
export interface TestState {
  state: 'planned' | 'sending' | 'measuring' | 'held' | 'decided';
  decideAt: Date | null;
  giveUpAt: Date | null;
  winner: CampaignWinner | null;
}

/** null: it has no test. */
export function testStateOf({ test, winner = null, freeze }: Tested, now: Date): TestState | null {
  if (!test) return null;
  const testedAt = freeze?.testedAt;
  const after = (minutes: number) => (testedAt ? new Date(testedAt.getTime() + minutes * MINUTE_MS) : null);
  const [decideAt, giveUpAt] = [after(test.decideAfterMinutes), after(test.giveUpAfterMinutes)];
  const times = { decideAt, giveUpAt, winner };
  if (winner) return { state: 'decided', ...times };
  if (!freeze?.isDone) return { state: 'planned', ...times };
  if (!giveUpAt) return { state: 'sending', ...times };
  return { state: test.onTie === 'hold' && giveUpAt <= now ? 'held' : 'measuring', ...times };
}

/** Whether people wait for a winner. */
export function isUndecided({ test, winner, freeze }: Tested): boolean {
  const { tested = 0, frozen } = freeze ?? {};
  return Boolean(test) && !winner && tested < (frozen?.inBlocks ?? 0);
}

/** The first `seq` that may not be sent to yet, and when it may, if that is known; null when all may. */
export function heldFrom(campaign: Tested, now: Date): { upTo: number; nextBatchAt: Date | null } | null {
  if (!isUndecided(campaign)) return releasedAt(campaign.freeze?.releases, now);
  const { decideAt, giveUpAt } = testStateOf(campaign, now)!;
  const nextBatchAt = [decideAt, giveUpAt].find((at) => at && at > now) ?? null;
  return { upTo: (campaign.freeze?.tested ?? 0) + 1, nextBatchAt };
}
