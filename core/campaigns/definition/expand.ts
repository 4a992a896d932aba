import { parseId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
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

/** Read together. */
export async function relatedCampaigns(
  deps: CampaignsDeps,
  project: Pick<Project, '_id'>,
  campaigns: Campaign[],
): Promise<RelatedCampaign[]> {
  const projectId = project._id;
  const senderIds = campaigns.flatMap(({ senderId }) => senderId ?? []);
  const templateIds = [...new Set(campaigns.map(({ templateId }) => templateId))];
  const [senders, templates, lists] = await Promise.all([
    deps.db.senders.find({ projectId, _id: { $in: senderIds } }).toArray(),
    deps.db.templates.find({ projectId, templateId: { $in: templateIds } }).toArray(),
    listEntries(deps, project, campaigns.filter(isWaiting)),
  ]);
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
): Promise<Map<string, AudienceEntry>> {
  const named = campaigns.flatMap(({ toLists, excludeLists }) => [...toLists, ...excludeLists]).map(({ id }) => id);
  if (named.length === 0) return new Map();
  const ids = [...new Set(named)].map((id) => parseId(id) ?? globalListId(project));
  const found = await deps.db.contactLists.find({ projectId: project._id, _id: { $in: ids } }).toArray();
  const counted = await withCounts(deps, project._id, found);
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
