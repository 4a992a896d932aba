import type { ObjectId } from 'mongodb';
import type { Deps } from '../base/deps.ts';
import type { Session } from '../base/model.ts';
import { campaignSource, nameOf } from './documents.ts';

/** The sending domain of campaigns: of the frozen content, or as it was counted before the campaign was deleted. */
export async function domainsOf(
  { db }: Pick<Deps, 'db'>,
  projectId: ObjectId,
  campaignIds: ObjectId[],
  session?: Session,
): Promise<Map<string, string>> {
  const options = session ? { session } : {};
  const found = await db.campaignContents
    .find({ _id: { $in: campaignIds }, projectId }, { ...options, projection: { domainName: 1 } })
    .toArray();
  const domains = new Map(found.map(({ _id, domainName }) => [_id.toHexString(), domainName]));
  const missing = campaignIds.filter((id) => !domains.has(id.toHexString()));
  if (missing.length === 0) return domains;
  const state = await db.reportStates.findOne({ _id: projectId, projectId }, options);
  for (const id of missing) {
    const counted = await db.reportCounts.findOne(
      { projectId, count: state?.count ?? 0, source: campaignSource(id), domains: { $exists: true } },
      { ...options, projection: { domains: 1 }, hint: 'source' },
    );
    const [key] = Object.keys(counted?.domains ?? {});
    if (key) domains.set(id.toHexString(), nameOf(key));
  }
  return domains;
}
