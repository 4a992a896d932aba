import type { Deps } from '../core/base/deps.ts';
import { automationActivities } from './automations.ts';
import { campaignActivities } from './campaigns.ts';
import { domainActivities } from './domains.ts';
import { importActivities } from './imports.ts';
import { migrationActivities } from './migrations.ts';
import { opensActivities } from './opens.ts';
import { segmentActivities } from './segments.ts';

/** Activities by the queue that runs them. Names are unique across all queues. */
export function backgroundActivities(deps: Deps): object {
  return {
    ...automationActivities(deps),
    ...campaignActivities(deps),
    ...domainActivities(deps),
    ...migrationActivities(deps),
    ...opensActivities(deps),
    ...segmentActivities(deps),
    ...importActivities(deps),
  };
}
