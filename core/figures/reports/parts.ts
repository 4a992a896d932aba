import type { ObjectId } from 'mongodb';
import { OTHER_TAGS } from '../../../schemas/mail/tags.ts';
import type { Message } from '../../mail/ledger/model.ts';

/**
 * The parts of a project's mail that are counted, each for itself: all of it, that of a campaign, an automation or a lane (its source), of a
 * sending domain, to a mailbox provider, of a campaign to one, with a tag, and the deferrals of a provider with one reply.
 */
export const PROJECT = 'project';

/** The parts that begin with this. */
export const PROVIDERS = 'provider:';
export const DOMAINS = 'domain:';
export const REPLIES = 'reply:';
const CAMPAIGNS = 'campaign:';

export function sourceOf({ campaignId, automationId, lane }: Pick<Message, 'campaignId' | 'automationId' | 'lane'>) {
  if (campaignId) return campaignSource(campaignId);
  return automationId ? automationSource(automationId) : `lane:${lane}`;
}

export function campaignSource(id: ObjectId): string {
  return CAMPAIGNS + id.toHexString();
}

export function automationSource(id: ObjectId): string {
  return `automation:${id.toHexString()}`;
}

export function providerPart(provider: string): string {
  return PROVIDERS + provider;
}

/** The parts of a campaign by mailbox provider begin with this. */
export function campaignProviders(id: ObjectId): string {
  return `${campaignSource(id)}:`;
}

/** null: mail of other sources is not counted by provider on its own. */
export function sourceProviderPart(source: string, provider: string): string | null {
  return isCampaign(source) ? `${source}:${provider}` : null;
}

export function isCampaign(source: string): boolean {
  return source.startsWith(CAMPAIGNS);
}

/** Of a "name:value". */
export function tagPart(tag: string): string {
  return `tag:${tag}`;
}

/** Of the tags beyond the most of a day, together. */
export const OTHER_TAGS_PART = tagPart(OTHER_TAGS);

export function domainPart(domain: string): string {
  return DOMAINS + domain;
}

/** `reply` are its codes. */
export function replyPart(provider: string, reply: string): string {
  return `${REPLIES}${provider}:${reply}`;
}

export function readReplyPart(part: string): { provider: string; reply: string } {
  const [provider = '', reply = ''] = part.slice(REPLIES.length).split(':');
  return { provider, reply };
}
