import { parseId } from '../../base/ids.ts';
import type { Project, Session } from '../../base/model.ts';
import type { Sender } from '../../domains/model.ts';
import { withCounts } from '../../people/changes/counts.ts';
import { globalListId, wireListId } from '../../people/global-list.ts';
import type { Template } from '../../templates/model.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { AudienceEntry, Campaign } from '../model.ts';
import { isEditable, isPausedBeforeStart } from '../status.ts';
import { audienceEntry, senderFor } from './input.ts';

/** A campaign with the fields that it shows of other documents. */
export interface RelatedCampaign {
  campaign: Campaign;
  sender: Pick<Sender, 'email' | 'name' | 'replyTo'>;
  template: Template | null;
}

/** With a session: in the transaction that writes the campaign, so that the answer needs no read after the commit. */
export async function relatedCampaign(
  deps: CampaignsDeps,
  project: Pick<Project, '_id'>,
  campaign: Campaign,
  session?: Session,
): Promise<RelatedCampaign> {
  const [related] = await relatedCampaigns(deps, project, [campaign], session);
  return related as RelatedCampaign;
}

/** Those of all campaigns together, one kind after the other: a transaction reads no two at once. */
export async function relatedCampaigns(
  deps: CampaignsDeps,
  project: Pick<Project, '_id'>,
  campaigns: Campaign[],
  session?: Session,
): Promise<RelatedCampaign[]> {
  const projectId = project._id;
  const within = session ? { session } : {};
  const senderIds = campaigns.flatMap(({ senderId }) => senderId ?? []);
  const templateIds = [...new Set(campaigns.map(({ templateId }) => templateId))];
  const senders = await deps.db.senders.find({ projectId, _id: { $in: senderIds } }, within).toArray();
  const templates = await deps.db.templates.find({ projectId, templateId: { $in: templateIds } }, within).toArray();
  const lists = await listEntries(deps, project, campaigns.filter(isWaiting), session);
  const senderById = new Map(senders.map((sender) => [sender._id.toHexString(), sender]));
  const templateById = new Map(templates.map((template) => [template.templateId, template]));
  return campaigns.map((campaign) => ({
    campaign: isWaiting(campaign) ? withEntries(campaign, lists) : campaign,
    sender: senderFor(campaign, senderById.get(campaign.senderId?.toHexString() ?? '') ?? null),
    template: templateById.get(campaign.templateId) ?? null,
  }));
}

/** Its lists still change; a campaign that has begun shows them as they were then. */
function isWaiting({ status, startedAt }: Campaign): boolean {
  return isEditable({ status }) || isPausedBeforeStart({ status, startedAt });
}

/** Lists as they are now, by the id that callers know. */
export async function listEntries(
  deps: CampaignsDeps,
  project: Pick<Project, '_id'>,
  campaigns: Array<Pick<Campaign, 'toLists' | 'excludeLists'>>,
  session?: Session,
): Promise<Map<string, AudienceEntry>> {
  const named = campaigns.flatMap(({ toLists, excludeLists }) => [...toLists, ...excludeLists]).map(({ id }) => id);
  if (named.length === 0) return new Map();
  const ids = [...new Set(named)].map((id) => parseId(id) ?? globalListId(project));
  const within = session ? { session } : {};
  const found = await deps.db.contactLists.find({ projectId: project._id, _id: { $in: ids } }, within).toArray();
  const counted = await withCounts(deps, project._id, found, session);
  return new Map(counted.map((list) => [wireListId(list), audienceEntry(list)]));
}

/** A deleted list counts as empty. */
export function withEntries<T extends Pick<Campaign, 'toLists' | 'excludeLists'>>(
  campaign: T,
  lists: Map<string, AudienceEntry>,
): T {
  const now = (entries: AudienceEntry[]) =>
    entries.map((entry) => lists.get(entry.id) ?? { ...entry, contactCount: 0 });
  return { ...campaign, toLists: now(campaign.toLists), excludeLists: now(campaign.excludeLists) };
}
