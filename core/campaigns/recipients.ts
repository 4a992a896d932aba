import type { Deps } from '../base/deps.ts';
import { notFound } from '../base/errors.ts';
import { parseId } from '../base/ids.ts';
import type { Project } from '../base/model.ts';
import { type Page, type PageOf, pageOf } from '../base/paging.ts';
import { goesToEverybody } from '../contacts/lists/global-list.ts';
import type { Engagement } from '../messages/model.ts';
import type { Message } from '../outbox/model.ts';
import { states, statesShownAs } from '../outbox/states.ts';
import { findCampaign } from './campaigns.ts';
import type { Campaign } from './model.ts';
import { recipientId } from './run/freeze.ts';

export const recipientStatuses = ['queued', 'deferred', 'sent', 'bounced', 'failed', 'suppressed', 'unknown'] as const;
export type RecipientStatus = (typeof recipientStatuses)[number];

/** All recipients of the frozen audience, in the order of sending. */
export async function listRecipients(
  deps: Deps,
  project: Project,
  campaignId: string,
  { status, ...page }: Page & { status?: RecipientStatus | undefined },
): Promise<PageOf<Message>> {
  const campaign = await findCampaign(deps, project, campaignId);
  const filter = {
    campaignId: campaign._id,
    projectId: project._id,
    ...(status ? { state: { $in: statesShownAs(status) } } : {}),
  };
  return pageOf(deps.db.messages, filter, page, { sort: { state: 1, seq: 1 }, hint: 'campaign' });
}

export interface RecipientStory {
  campaign: Campaign;
  message: Message | null;
  engagement: Engagement | null;
  /** Why this contact got the mail, or did not, in one sentence. */
  reason: string;
}

/** "Why did X get this, or not?" Also for contacts who were never in the audience. */
export async function recipientStory(
  deps: Deps,
  project: Project,
  campaignId: string,
  contactId: string,
): Promise<RecipientStory> {
  const campaign = await findCampaign(deps, project, campaignId);
  const contact = parseId(contactId);
  const message =
    contact &&
    campaign.freeze &&
    (await deps.db.messages.findOne({
      _id: recipientId(campaign.freeze.at, campaign._id, contact),
      projectId: project._id,
    }));
  const engagement = message && (await deps.db.engagements.findOne({ _id: message._id, projectId: project._id }));
  if (message) return { campaign, message, engagement, reason: await storyOf(deps, campaign, message) };
  const person =
    contact &&
    (await deps.db.contacts.findOne(
      { _id: contact, projectId: project._id },
      { projection: { listIds: 1, segmentIds: 1 } },
    ));
  if (!person) throw notFound('RECIPIENT');
  if (!campaign.freeze)
    return {
      campaign,
      message: null,
      engagement: null,
      reason: 'The audience is written down when sending starts; it has not started.',
    };
  const groups = [...person.listIds, ...person.segmentIds].map(String);
  const excluded = campaign.excludeLists.find(({ id }) => groups.includes(id));
  const reason = excluded
    ? `Not in the audience: excluded by ${excluded.type} "${excluded.name}".`
    : 'Not in the audience: in none of its lists or segments when sending started.';
  return { campaign, message: null, engagement: null, reason };
}

async function storyOf(deps: Deps, campaign: Campaign, message: Message): Promise<string> {
  const through = await audienceRule(deps, campaign, message);
  const { state, reason, reply, suppressedBy } = message;
  const said = reply ? ` The relay said: ${reply.code} ${reply.text}` : '';
  switch (state) {
    case states.suppressed:
      return `${through} Not sent: suppressed in group ${suppressedBy?.groupId ?? ''} (${suppressedBy?.reason ?? ''}).`;
    case states.sent:
      return `${through} The relay took it.${said}`;
    case states.bounced:
      return `${through} It bounced.${said}`;
    case states.failed:
      return `${through} Not sent: ${reason ?? 'it failed'}.${said}`;
    case states.unknown:
      return `${through} Nobody knows whether it was delivered: ${reason ?? 'no answer came after the final dot'}. It is not sent again by itself.`;
    case states.deferred:
      return `${through} Deferred: ${reason ?? 'the relay asked to try later'}.${said}`;
    default:
      return `${through} Waits to be sent.`;
  }
}

async function audienceRule(deps: Deps, campaign: Campaign, { contactId }: Message): Promise<string> {
  const { toLists, projectId } = campaign;
  const person =
    contactId &&
    (await deps.db.contacts.findOne({ _id: contactId, projectId }, { projection: { listIds: 1, segmentIds: 1 } }));
  const groups = [...(person?.listIds ?? []), ...(person?.segmentIds ?? [])].map(String);
  const named = toLists.find(({ id }) => groups.includes(id));
  if (named) return `In the audience through ${named.type} "${named.name}".`;
  return goesToEverybody(campaign)
    ? 'In the audience through the global list.'
    : 'In the audience when sending started.';
}
