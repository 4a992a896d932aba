import type { Deps } from '../core/deps.ts';
import { domainActivities } from './domains.ts';
import { migrationActivities } from './migrations.ts';
import { segmentActivities } from './segments.ts';

/** Activities by the queue that runs them. Names are unique in all of them. */
export function backgroundActivities(deps: Deps): object {
  return { ...domainActivities(deps), ...migrationActivities(deps), ...segmentActivities(deps) };
}

export function campaignActivities(_deps: Deps): object {
  return {};
}
