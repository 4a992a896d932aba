import type { Lane } from '../relay.ts';

/** The differences between the lanes; everything else is the same for all mail. */
interface LanePolicy {
  /**
   * A connection takes no new mail before the outcome of the last one is durable: a crash repeats one mail for each connection at
   * most. Elsewhere it takes the next mail while the outcome is written.
   */
  readonly awaitsOutcome: boolean;
  /**
   * After an ambiguous end the mail is sent again by itself, with the same Message-ID: a receipt twice is better than none. Other
   * mail stays `unknown`, for a person to decide.
   */
  readonly repeatsUnknown: boolean;
  /** How long an outcome waits for others. A batch of 64 costs MongoDB a third less per message than one of 16. */
  readonly gatherMs: number;
}

export const LANE_POLICIES: Readonly<Record<Lane, LanePolicy>> = {
  transactional: { awaitsOutcome: true, repeatsUnknown: true, gatherMs: 2 },
  automation: { awaitsOutcome: false, repeatsUnknown: false, gatherMs: 10 },
  campaign: { awaitsOutcome: false, repeatsUnknown: false, gatherMs: 25 },
};
