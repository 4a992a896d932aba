import type { Deps } from '../../base/deps.ts';
import { membersOf } from '../../contacts/search.ts';
import type { Campaign } from '../model.ts';
import { readAudience, sourcesOf, withoutExcluded } from './read.ts';

/**
 * How many contacts the freeze would write down now, suppressed ones included. Contacts of several lists, and people of another campaign,
 * are read: each counts once.
 */
export async function countAudience(deps: Deps, campaign: Campaign): Promise<number> {
  const [only, ...others] = sourcesOf(campaign);
  if (only && others.length === 0 && !campaign.audience) {
    const { filter, hint } = membersOf({ ...only, projectId: campaign.projectId });
    return deps.db.contacts.countDocuments({ ...filter, ...withoutExcluded(campaign) }, { hint });
  }
  let people = 0;
  for await (const batch of readAudience(deps, campaign, undefined)) people += batch.length;
  return people;
}
