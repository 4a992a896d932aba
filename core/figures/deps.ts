import type { Needs } from '../base/deps.ts';
import type { CampaignsDeps } from '../campaigns/deps.ts';

/** The ports and collections that functions of this room touch, with those of the rooms below. */
export type FiguresDeps = CampaignsDeps &
  Needs<
    'budgets',
    | 'enrollments'
    | 'events'
    | 'linkCounts'
    | 'migrations'
    | 'organizations'
    | 'processes'
    | 'reportCounts'
    | 'reportStates'
    | 'triggers'
  >;
