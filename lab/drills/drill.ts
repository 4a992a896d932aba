import type { Verdict } from '../rig/results/drill-results.ts';

export interface Drill {
  does: string;
  /** It measures time, or needs every core, so nothing else runs at the same time. */
  alone?: boolean;
  /** Too long for a run without a name. */
  byNameOnly?: boolean;
  run(env: NodeJS.ProcessEnv): AsyncIterable<Verdict>;
}
