import { parseId } from '../../base/ids.ts';
import { Deadline } from '../../base/limits/deadlines.ts';
import type { Session } from '../../base/model.ts';
import { countWithout, isEmpty, keptCounts, type Reading, type Union } from '../../people/lists/unions.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { AudienceEntry, Campaign } from '../model.ts';
import { type Addressed, readAudience, sourcesOf } from './read.ts';

/** As long as reads of pages may take. */
const TIME_MS = 5_000;

/**
 * How many contacts the freeze would write down now, suppressed ones included. People of another campaign are read; all others are
 * counted.
 */
export async function countAudience(deps: CampaignsDeps, campaign: Campaign): Promise<number> {
  if (!campaign.audience)
    return ofOneMoment(deps, campaign, TIME_MS, async (reading) => {
      const { of, without } = unionsOf(campaign);
      return isEmpty(of) ? 0 : countWithout(reading, of, without, await keptCounts(reading, [of, without]));
    });
  let people = 0;
  for await (const batch of readAudience(deps, campaign, undefined)) people += batch.length;
  return people;
}

/** The contacts of its lists, and those that it leaves out. */
export function unionsOf(campaign: Addressed): { of: Union; without: Union } {
  const sources = sourcesOf(campaign);
  const idsOf = (type: 'list' | 'segment') => sources.flatMap((one) => (one.type === type ? one._id : []));
  const excluded = (type: AudienceEntry['type']) =>
    campaign.excludeLists.flatMap((one) => (one.type === type ? (parseId(one.id) ?? []) : []));
  return {
    of: {
      isEverybody: sources.some(({ type }) => type === 'global'),
      lists: idsOf('list'),
      segments: idsOf('segment'),
    },
    without: { isEverybody: false, lists: excluded('list'), segments: excluded('segment') },
  };
}

/** The first read sets the moment of the others. */
export async function ofOneMoment<T>(
  deps: Pick<CampaignsDeps, 'db' | 'mongo'>,
  { projectId }: Pick<Campaign, 'projectId'>,
  timeMs: number,
  count: (reading: Reading & { session: Session }) => Promise<T>,
): Promise<T> {
  const session = deps.mongo.startSession({ snapshot: true });
  try {
    return await count({ deps, projectId, session, deadline: new Deadline(timeMs) });
  } finally {
    await session.endSession();
  }
}
