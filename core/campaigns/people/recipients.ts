import type { ObjectId } from 'mongodb';
import { notFound } from '../../base/errors.ts';
import { parseId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { type Page, type PageOf, pageOf } from '../../base/paging.ts';
import { placedContact } from '../../mail/ledger/blocks/read.ts';
import { recipientId } from '../../mail/ledger/blocks/recipient-id.ts';
import type { Message } from '../../mail/ledger/model.ts';
import { reasonInWords } from '../../mail/ledger/rules/reasons.ts';
import { type MessageState, states } from '../../mail/ledger/states.ts';
import type { Engagement } from '../../mail/messages/model.ts';
import { goesToEverybody } from '../../people/global-list.ts';
import { blocksOf, isInBlocks, messageOf, pageWithWaiting } from '../audience/waiting.ts';
import { findCampaign } from '../definition/campaigns.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { holdOutOf } from '../variants/hold-out.ts';
import { recipientsBecause } from './reasons.ts';

const recipientStatuses = ['queued', 'deferred', 'sent', 'bounced', 'failed', 'suppressed', 'unknown'] as const;
type RecipientStatus = (typeof recipientStatuses)[number];

/** All recipients of the frozen audience: those with an outcome by state and in the order of sending, then those that wait. */
export async function listRecipients(
  deps: CampaignsDeps,
  project: Project,
  campaignId: string,
  { status, reason, ...page }: Page & { status?: RecipientStatus | undefined; reason?: string | undefined },
): Promise<PageOf<Message>> {
  const because = reason === undefined ? null : recipientsBecause(reason);
  const campaign = await findCampaign(deps, project, campaignId);
  if (because) return listBecause(deps, campaign, because, { status, ...page });
  const state: MessageState[] | undefined = status && (status === 'queued' ? ['queued', states.committing] : [status]);
  const rows = { campaignId: campaign._id, projectId: project._id, ...(state ? { state: { $in: state } } : {}) };
  const order = { sort: { state: 1 as const, seq: 1 as const }, hint: 'campaign' };
  if (!isInBlocks(campaign)) return pageOf(deps.db.messages, rows, page, order);
  const waiting = status === undefined || status === 'queued' ? 'all' : 'none';
  return pageWithWaiting(deps, campaign, { rows, ...order, waiting }, page);
}

/** With a status that is not the reason's, there are none. */
function listBecause(
  deps: CampaignsDeps,
  { _id: campaignId, projectId }: Campaign,
  { filter, ...order }: ReturnType<typeof recipientsBecause>,
  { status, ...page }: Page & { status?: RecipientStatus | undefined },
): Promise<PageOf<Message>> {
  const also = status && filter.state !== status ? { $and: [{ state: status }] } : {};
  return pageOf(deps.db.messages, { campaignId, projectId, ...filter, ...also }, page, {
    ...order,
    projection: { content: 0 },
  });
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
  deps: CampaignsDeps,
  project: Project,
  campaignId: string,
  contactId: string,
): Promise<RecipientStory> {
  const campaign = await findCampaign(deps, project, campaignId);
  const contact = parseId(contactId);
  const message = contact && (await messageTo(deps, campaign, contact));
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
  const { audience } = campaign;
  const excluded = campaign.excludeLists.find(({ id }) => groups.includes(id));
  const isHeldOut = campaign.freeze.isDone && holdOutOf(campaign._id, campaign.holdOutShare ?? 0)(contact as ObjectId);
  const isNamed = goesToEverybody(campaign) || campaign.toLists.some(({ id }) => groups.includes(id));
  const reason = excluded
    ? `Not in the audience: excluded by ${excluded.type} "${excluded.name}".`
    : isHeldOut && isNamed
      ? 'Left without a mail: in the hold-out of the campaign.'
      : audience
        ? `Not in the audience: did not get the campaign ${audience.campaignId}, opened it, or left its lists before sending started.`
        : 'Not in the audience: in none of its lists or segments when sending started.';
  return { campaign, message: null, engagement: null, reason };
}

async function messageTo(deps: CampaignsDeps, campaign: Campaign, contactId: ObjectId): Promise<Message | null> {
  const { _id: campaignId, projectId, freeze } = campaign;
  if (!freeze) return null;
  const readRow = () => deps.db.messages.findOne({ _id: recipientId(freeze.at, campaignId, contactId), projectId });
  const row = await readRow();
  if (row || !isInBlocks(campaign)) return row;
  const contact = await deps.db.contacts.findOne({ _id: contactId, projectId }, { projection: { email: 1 } });
  const placed = await placedContact(deps, blocksOf(campaign), { contactId, email: contact?.email ?? null });
  return placed && ((await readRow()) ?? messageOf(campaign, placed));
}

async function storyOf(deps: CampaignsDeps, campaign: Campaign, message: Message): Promise<string> {
  const through = await audienceRule(deps, campaign, message);
  const { state, reason, reply, suppressedBy } = message;
  const why = reasonInWords(message);
  const said = reply ? ` The relay said: ${reply.code} ${reply.text}` : '';
  switch (state) {
    case states.suppressed:
      if (suppressedBy?.groupId === null && why) return `${through} Not sent: ${why}`;
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

async function audienceRule(deps: CampaignsDeps, campaign: Campaign, { contactId }: Message): Promise<string> {
  const { toLists, projectId, audience } = campaign;
  if (audience) return `In the audience: got the campaign ${audience.campaignId} and did not open it.`;
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
