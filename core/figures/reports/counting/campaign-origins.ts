import type { ObjectId } from 'mongodb';
import type { Session } from '../../../base/model.ts';
import type { FiguresDeps } from '../../deps.ts';
import type { Origin } from '../documents.ts';
import { campaignSource } from '../parts.ts';

/** The sending domain and the tags of campaigns: of the frozen content, or as they were counted before the campaign was deleted. */
export async function campaignOrigins(
  { db }: Pick<FiguresDeps, 'db'>,
  projectId: ObjectId,
  campaignIds: ObjectId[],
  session?: Session,
): Promise<(campaignId: ObjectId) => Origin> {
  const options = session ? { session } : {};
  const origins = new Map<string, Pick<Origin, 'domain' | 'tags'>>();
  const found =
    campaignIds.length === 0
      ? []
      : await db.campaignContents
          .find({ _id: { $in: campaignIds }, projectId }, { ...options, projection: { domainName: 1, tags: 1 } })
          .toArray();
  for (const { _id, domainName, tags = [] } of found) origins.set(_id.toHexString(), { domain: domainName, tags });
  const missing = campaignIds.filter((id) => !origins.has(id.toHexString()));
  const state = missing.length === 0 ? null : await db.reportStates.findOne({ _id: projectId, projectId }, options);
  for (const id of missing) {
    const counted = await db.reportCounts.findOne(
      { projectId, count: state?.count ?? 0, part: campaignSource(id), domain: { $exists: true } },
      { ...options, projection: { domain: 1, tags: 1 }, hint: 'part' },
    );
    if (counted?.domain) origins.set(id.toHexString(), { domain: counted.domain, tags: counted.tags ?? [] });
  }
  return (id) => ({ source: campaignSource(id), ...(origins.get(id.toHexString()) ?? { domain: null, tags: [] }) });
}
