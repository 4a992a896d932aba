import type { Deps } from '../base/deps.ts';
import { invalid } from '../base/errors.ts';
import { derivedId } from '../base/ids.ts';
import type { Project } from '../base/model.ts';
import { normalizeEmail } from '../base/text/addresses.ts';
import { requireVerifiedDomain } from '../domains/senders.ts';
import { dueAtOnce, queueMailing } from '../messages/messages.ts';
import type { Content, Message } from '../outbox/model.ts';
import { states } from '../outbox/states.ts';
import { findCampaign } from './campaigns.ts';
import { contentNow } from './content.ts';
import type { Origin } from './input.ts';

/** Sends the current campaign to a few people for review: outside its audience, its counts and its suppressions. */
export async function testCampaign(
  deps: Deps,
  project: Project,
  campaignId: string,
  emails: string[],
  { at, seed }: Origin,
): Promise<{ emailIds: string[]; totalRecipients: number }> {
  const campaign = await findCampaign(deps, project, campaignId);
  const frozen = await contentNow(deps, campaign);
  if (!frozen.from.email)
    throw invalid('The campaign has no sender yet; give from or senderId.', 'from: is required, or senderId');
  await requireVerifiedDomain(deps, project, frozen.from.email, 'from/email');
  const addresses = [...new Set(emails.flatMap((email) => normalizeEmail(email) ?? []))];
  const dueAt = dueAtOnce(deps);
  const contentId = derivedId(at, 'campaign-test', seed.toHexString());
  const messages = addresses.map(
    (email, index): Message => ({
      _id: derivedId(at, 'campaign-test', seed.toHexString(), index),
      projectId: project._id,
      lane: 'automation',
      state: states.queued,
      email,
      contentId,
      subject: testSubject(frozen.subject),
      createdAt: at,
      dueAt,
    }),
  );
  const content: Content = {
    _id: contentId,
    projectId: project._id,
    messageIds: messages.map(({ _id }) => _id),
    from: frozen.from,
    replyTo: frozen.replyTo,
    templateId: campaign.templateId,
    subject: testSubject(frozen.subject),
    previewText: frozen.previewText,
    html: frozen.html,
    text: null,
    data: {},
    headers: {},
    attachments: [],
    marketing: true,
    groupId: frozen.groupId,
    bypassSuppressions: true,
    trackingClick: false,
    trackingOpen: false,
    ...(frozen.utm ? { utm: frozen.utm } : {}),
    createdAt: at,
  };
  await queueMailing(deps, { content, messages });
  return { emailIds: messages.map(({ _id }) => _id.toHexString()), totalRecipients: messages.length };
}

function testSubject(subject: string): string {
  return `[Test] ${subject}`.slice(0, 998);
}
