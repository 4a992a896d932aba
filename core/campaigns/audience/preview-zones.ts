import type { Project, Session } from '../../base/model.ts';
import type { CampaignsDeps } from '../deps.ts';
import { firstOf } from '../local-time/given.ts';
import { PeopleByZone } from '../local-time/people-by-zone.ts';
import type { CampaignLocalTime } from '../model.ts';
import { type Addressed, readAudience } from './read.ts';

export type AudienceZone = ReturnType<PeopleByZone['sizes']>[number];

/** Of the two seconds in which a preview answers. */
const TIME_MS = 400;

/** How many people each zone has; estimated from those who could be read in time, where there are `total`. */
export async function previewZones(
  deps: CampaignsDeps,
  { timezoneProperty = null }: Pick<Project, 'timezoneProperty'>,
  campaign: Addressed,
  { localTime, total, session }: { localTime: CampaignLocalTime; total: number; session: Session },
): Promise<AudienceZone[]> {
  const byZone = new PeopleByZone(localTime, firstOf(localTime, deps.clock.now()));
  const endMs = performance.now() + TIME_MS;
  let read = 0;
  for await (const people of readAudience(deps, campaign, session, timezoneProperty)) {
    await byZone.sort(people);
    read += people.length;
    if (performance.now() > endMs) break;
  }
  const share = read < total ? total / read : 1;
  return byZone.sizes().map((zone) => ({ ...zone, total: Math.round(zone.total * share) }));
}
