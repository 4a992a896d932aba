import type { ObjectId } from 'mongodb';
import type { Project } from '../../base/model.ts';
import { TRIAL_PAGES } from '../../mail/compose/links.ts';
import { campaignVariables, namedCampaign } from '../../mail/compose/variables.ts';
import type { Message } from '../../mail/ledger/model.ts';
import type { Contact } from '../../people/model.ts';
import { compiled } from '../../templates/cache.ts';
import { renderTemplate, TemplateRenderError } from '../../templates/language/templates.ts';
import type { CampaignsDeps } from '../deps.ts';
import { languageOfReader } from '../languages.ts';
import type { CampaignContent, VariantId } from '../model.ts';
import { PLACING, variantAt } from '../variants/places.ts';

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
    .project<Written>(PROJECTION)
    .toArray();
  const byCampaign = new Map(contents.map((content) => [content._id.toHexString(), content]));
  const isPersonal = contents.some(({ variants = [], ...written }) =>
    [written, ...variants].some(
      ({ subject, translated }) => translated || compiled(subject, 'subject', 'subject').paths.length > 0,
    ),
  );
  const ids = isPersonal ? without.flatMap(({ contactId }) => contactId ?? []) : [];
  const people = ids.length === 0 ? [] : await db.contacts.find({ _id: { $in: ids }, projectId }).toArray();
  const bySeq = await variantsOf(db, projectId, contents);
  const byId = new Map(people.map((contact) => [contact._id.toHexString(), contact]));
  return messages.map((message) => {
    const written = message.campaignId && byCampaign.get(message.campaignId.toHexString());
    if (message.subject !== undefined || !written) return message;
    const contact = message.contactId && byId.get(message.contactId.toHexString());
    const own = writtenIn(written, bySeq.get(written._id.toHexString())?.(message.seq ?? 0) ?? null);
    return { ...message, subject: contact ? filled(own, message, contact) : own.subject };
  });
}

type Written = Pick<CampaignContent, '_id' | 'subject' | keyof typeof NAMED | 'translated' | 'variants'>;
const OF_LANGUAGES = { 'translated.mails.language': 1, 'translated.mails.subject': 1 };
const NAMED = { campaign: 1, from: 1, replyTo: 1, tags: 1, utm: 1 } as const;
const OF_MAIL = { subject: 1, 'translated.property': 1, 'translated.base': 1, ...OF_LANGUAGES };
const OF_VARIANTS = Object.fromEntries(['id', ...Object.keys(OF_MAIL)].map((name) => [`variants.${name}`, 1]));
const PROJECTION = { ...NAMED, ...OF_MAIL, ...OF_VARIANTS };

/** By campaign: the variant of each place. */
async function variantsOf(db: CampaignsDeps['db'], projectId: ObjectId, contents: Written[]) {
  const ids = contents.flatMap(({ _id, variants }) => (variants ? _id : []));
  const campaigns =
    ids.length === 0
      ? []
      : await db.campaigns.find({ _id: { $in: ids }, projectId }, { projection: PLACING }).toArray();
  return new Map(campaigns.map((campaign) => [campaign._id.toHexString(), variantAt(campaign)]));
}

function writtenIn(written: Written, id: VariantId | null): Written {
  const own = written.variants?.find((variant) => variant.id === id);
  if (!own) return written;
  const { translated: _, ...shared } = written;
  const { subject, translated } = own;
  return { ...shared, subject, ...(translated ? { translated } : {}) };
}

function filled(written: Written, message: Message, contact: Contact): string {
  const { email, createdAt } = message;
  const found = languageOfReader(written, contact);
  const { subject } = written.translated?.mails.find(({ language }) => language === found) ?? written;
  const at = message.firstAt ?? message.sentAt ?? createdAt ?? message._id.getTimestamp();
  try {
    const variables = campaignVariables({ email, at, pages: TRIAL_PAGES, contact }, namedCampaign(written));
    return renderTemplate(compiled(subject, 'subject', 'subject'), variables);
  } catch (error) {
    // The data of the contact have changed since.
    if (error instanceof TemplateRenderError) return subject;
    throw error;
  }
}
