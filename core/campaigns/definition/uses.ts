import type { Session } from '../../base/model.ts';
import type { SuppressionGroup } from '../../consent/suppressions/model.ts';
import type { Template } from '../../templates/model.ts';
import type { CampaignsDeps } from '../deps.ts';
import { EDITABLE, NOT_OVER } from '../status.ts';

const projection = { name: 1, status: 1 };

/** A campaign that is sending has a copy of its template. */
export async function campaignWithTemplate(
  { db }: Pick<CampaignsDeps, 'db'>,
  session: Session,
  { projectId, templateId }: Pick<Template, 'projectId' | 'templateId'>,
): Promise<string | null> {
  const campaign = await db.campaigns.findOne(
    { projectId, status: { $in: EDITABLE }, $or: [{ templateId }, { 'variants.templateId': templateId }] },
    { session, projection },
  );
  return campaign && `the ${campaign.status === 'draft' ? 'draft' : 'scheduled campaign'} "${campaign.name}"`;
}

export async function campaignWithGroup(
  { db }: Pick<CampaignsDeps, 'db'>,
  session: Session,
  { projectId, groupId }: Pick<SuppressionGroup, 'projectId' | 'groupId'>,
): Promise<string | null> {
  const naming = { projectId, unsubscribeGroupId: groupId, status: { $in: NOT_OVER } };
  const campaign = await db.campaigns.findOne(naming, { session, projection });
  return campaign && `the campaign "${campaign.name}" (${campaign.status})`;
}
