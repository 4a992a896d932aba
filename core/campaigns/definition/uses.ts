import type { Session } from '../../base/model.ts';
import type { SuppressionGroup } from '../../consent/suppressions/model.ts';
import type { Template } from '../../templates/model.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { NOT_OVER } from '../status.ts';

type Named = Pick<Campaign, 'name' | 'status'>;

const projection = { name: 1, status: 1 };

/** From its start on a campaign has a copy of its template. */
export async function campaignWithTemplate(
  { db }: Pick<CampaignsDeps, 'db'>,
  session: Session,
  { projectId, templateId }: Pick<Template, 'projectId' | 'templateId'>,
): Promise<string | null> {
  const $or = [{ templateId }, { 'variants.templateId': templateId }];
  const needing = { projectId, status: { $in: NOT_OVER }, startedAt: null, $or };
  return described(await db.campaigns.findOne(needing, { session, projection }));
}

export async function campaignWithGroup(
  { db }: Pick<CampaignsDeps, 'db'>,
  session: Session,
  { projectId, groupId }: Pick<SuppressionGroup, 'projectId' | 'groupId'>,
): Promise<string | null> {
  const naming = { projectId, unsubscribeGroupId: groupId, status: { $in: NOT_OVER } };
  return described(await db.campaigns.findOne(naming, { session, projection }));
}

function described(campaign: Named | null): string | null {
  return campaign && `the campaign "${campaign.name}" (${campaign.status})`;
}
