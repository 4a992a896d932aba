import type { ObjectId } from 'mongodb';
import type { Project } from '../../base/model.ts';
import { TRIAL_PAGES } from '../../mail/compose/links.ts';
import { campaignVariables } from '../../mail/compose/variables.ts';
import type { Message } from '../../mail/ledger/model.ts';
import type { Contact } from '../../people/model.ts';
import { compiled } from '../../templates/cache.ts';
import { renderTemplate, TemplateRenderError } from '../../templates/language/templates.ts';
import type { CampaignsDeps } from '../deps.ts';

/**
 * Rows of a campaign have no subject of their own: theirs is that of the content that was frozen, filled with the data that the
 * contact has now, or as it was written when the contact is gone.
 */
export async function withCampaignSubjects<M extends Message>(
  { db }: Pick<CampaignsDeps, 'db'>,
  { _id: projectId }: Pick<Project, '_id'>,
  messages: readonly M[],
): Promise<M[]> {
  const without = messages.filter(({ subject, campaignId }) => subject === undefined && campaignId);
  if (without.length === 0) return [...messages];
  const contents = await db.campaignContents
    .find({ _id: { $in: without.flatMap(({ campaignId }) => campaignId ?? []) }, projectId })
    .project<{ _id: ObjectId; subject: string }>({ subject: 1 })
    .toArray();
  const subjects = new Map(contents.map(({ _id, subject }) => [_id.toHexString(), subject]));
  const isPersonal = contents.some(({ subject }) => compiled(subject, 'subject', 'subject').paths.length > 0);
  const ids = isPersonal ? without.flatMap(({ contactId }) => contactId ?? []) : [];
  const people = ids.length === 0 ? [] : await db.contacts.find({ _id: { $in: ids }, projectId }).toArray();
  const byId = new Map(people.map((contact) => [contact._id.toHexString(), contact]));
  return messages.map((message) => {
    const written = message.campaignId && subjects.get(message.campaignId.toHexString());
    if (message.subject !== undefined || written === undefined) return message;
    const contact = message.contactId && byId.get(message.contactId.toHexString());
    return { ...message, subject: contact ? filled(written, message, contact) : written };
  });
}

function filled(written: string, message: Message, contact: Contact): string {
  const { email, createdAt } = message;
  const at = message.firstAt ?? message.sentAt ?? createdAt ?? message._id.getTimestamp();
  try {
    const variables = campaignVariables({ email, at, pages: TRIAL_PAGES, contact });
    return renderTemplate(compiled(written, 'subject', 'subject'), variables);
  } catch (error) {
    // The data of the contact have changed since.
    if (error instanceof TemplateRenderError) return written;
    throw error;
  }
}
