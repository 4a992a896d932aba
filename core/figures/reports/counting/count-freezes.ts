import type { ObjectId } from 'mongodb';
import { markFreezesCounted } from '../../../campaigns/audience/attempt.ts';
import { quarterOf } from '../../../mail/ledger/counting/tally.ts';
import type { Documents, Origin } from '../documents.ts';
import { campaignOrigins } from './campaign-origins.ts';
import type { CountDeps, Counting } from './counting.ts';

const AT_ONCE_MAX = 64;

/** The part of a campaign that is counted. */
interface Frozen {
  _id: ObjectId;
  freeze: { at: Date; providers?: Record<string, number> } | null;
}

/** Recipients of campaigns are accepted when their audience is written down. Returns whether there may be more. */
export async function countFreezes({ db }: CountDeps, { projectId, session, documents }: Counting): Promise<boolean> {
  const campaigns = await db.campaigns
    .find({ projectId, countDueAt: { $exists: true } }, { session, hint: 'counted', projection: { freeze: 1 } })
    .limit(AT_ONCE_MAX)
    .toArray();
  if (campaigns.length === 0) return false;
  const ids = campaigns.map(({ _id }) => _id);
  const originOf = await campaignOrigins({ db }, projectId, ids, session);
  for (const campaign of campaigns) addFreeze(documents, campaign, originOf(campaign._id));
  await markFreezesCounted({ db }, projectId, ids, session);
  return campaigns.length === AT_ONCE_MAX;
}

export function addFreeze(documents: Documents, { freeze }: Pick<Frozen, 'freeze'>, origin: Origin): void {
  if (!freeze?.providers) return;
  const at = quarterOf(freeze.at);
  for (const [provider, accepted] of Object.entries(freeze.providers))
    documents.add(origin, { at, provider, counts: { accepted } });
}
