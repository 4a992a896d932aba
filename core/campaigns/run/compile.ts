import { createHash } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import { INLINE_PICTURES_BYTES_MAX } from '../../../schemas/templates/media.ts';
import { oncePerCore } from '../../base/deps.ts';
import { unprocessable } from '../../base/errors.ts';
import { BoundedMap } from '../../base/work/cache.ts';
import { compileForMany, type FilledMail, type FillMail } from '../../mail/compose/compile.ts';
import type { ComposedMail } from '../../mail/compose/compose.ts';
import { compiledHeaders } from '../../mail/compose/headers.ts';
import { inlined } from '../../mail/compose/inline-pictures.ts';
import { composeMessage, messagePieces } from '../../mail/compose/mime/compose.ts';
import { type SendingDomain, sendingDomain } from '../../mail/compose/sending-domain.ts';
import { campaignVariables, isOfTheMail, namedCampaign } from '../../mail/compose/variables.ts';
import type { LargePiece, SendingDeps } from '../../mail/ledger/relay.ts';
import type { Contact } from '../../people/model.ts';
import { compileMail } from '../../templates/mail.ts';
import { contentIn } from '../definition/content.ts';
import type { CampaignsDeps } from '../deps.ts';
import { languageOfReader, linkNumberIn, sourceIn } from '../languages.ts';
import type { Campaign, CampaignContent, VariantId } from '../model.ts';
import { variantAt } from '../variants/places.ts';

interface CampaignRecipient {
  messageId: ObjectId;
  seq: number;
  email: string;
  contact: Contact | null;
  /** The mail's Date, the same in every attempt. */
  at: Date;
}

/** A campaign with everything done that does not depend on the recipient: composing one mail costs only the recipient's part. */
export interface CompiledCampaign {
  /** A template names fields of contacts beyond their name. */
  needsContacts: boolean;
  /** Of the pictures inside a mail at most, where they are large. */
  filesBytes: number;
  /** Without a signature. A promise where a long mail is rendered whole for each recipient. */
  compose(recipient: CampaignRecipient): UnsignedMail | Promise<UnsignedMail>;
  /** At once where the relay signs. */
  sign(mail: UnsignedMail, at: Date): ComposedMail | Promise<ComposedMail>;
}

/** One with files is put together in the thread that signs it. */
export type UnsignedMail = Pick<ComposedMail, 'envelope'> & ({ bytes: string } | { pieces: LargePiece[] });

/** Of one language; null: of the content itself. */
type FillLanguage = (language: string | null) => FillMail;

/** Mails with less are signed in batches, as those without pictures are. */
const FILES_BYTES_MIN = 100_000;
const KEPT_MAX = 100;
/** Each language of such a mail holds its pictures in base64. */
const KEPT_WITH_PICTURES_MAX = 10;
const kept = oncePerCore(() => ({
  plain: new BoundedMap<string, Promise<FillLanguage>>(KEPT_MAX),
  withPictures: new BoundedMap<string, Promise<FillLanguage>>(KEPT_WITH_PICTURES_MAX),
}));

export async function compiledCampaign(deps: SendingDeps<CampaignsDeps>, frozen: Campaign): Promise<CompiledCampaign> {
  const { _id, projectId } = frozen;
  const content = await deps.db.campaignContents.findOne({ _id, projectId });
  if (!content) throw new Error('the campaign has no frozen content');
  const { mailAt, domain, isPersonal } = content.variants
    ? await compileVariants(deps, frozen, content)
    : await compileAlone(deps, content);
  const { keys } = domain;
  const campaign = namedCampaign(content);
  const filesBytes = Math.max(picturesBytes(content), ...(content.variants ?? []).map(picturesBytes));
  const finish = ({ skeleton, recipient, returnPath }: FilledMail, email: string): UnsignedMail => {
    const envelope = { from: returnPath, to: [email] };
    return filesBytes > 0
      ? { envelope, pieces: messagePieces(skeleton, recipient) }
      : { envelope, bytes: composeMessage(skeleton, recipient) };
  };
  return {
    needsContacts: isPersonal,
    filesBytes,
    compose({ messageId, seq, email, contact, at }) {
      const mail = mailAt(seq);
      const filled = mail.fill(languageOfReader(mail.content, contact))({
        messageId,
        email,
        to: { email, name: [contact?.firstName, contact?.lastName].filter(Boolean).join(' ') },
        at,
        variables: (pages) => campaignVariables({ email, at, pages, contact }, campaign),
      });
      return filled instanceof Promise ? filled.then((mail) => finish(mail, email)) : finish(filled, email);
    },
    sign(mail, at) {
      const { envelope } = mail;
      if ('pieces' in mail) return deps.signer.writeLarge(mail.pieces, keys, at).then((bytes) => ({ envelope, bytes }));
      if (keys.length === 0) return mail;
      const { bytes } = mail;
      return deps.signer.sign(bytes, keys, at).then((signature) => ({ envelope, bytes: signature + bytes }));
    },
  };
}

/** They are listed for all languages, and a mail has those of one; 0 for few. */
function picturesBytes({ pictures = [] }: Pick<CampaignContent, 'pictures'>): number {
  const all = pictures.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return all < FILES_BYTES_MIN ? 0 : Math.min(all, INLINE_PICTURES_BYTES_MAX);
}

interface CompiledMails {
  mailAt(seq: number): { content: CampaignContent; fill: FillLanguage };
  domain: SendingDomain;
  isPersonal: boolean;
}

async function compileAlone(deps: CampaignsDeps, content: CampaignContent): Promise<CompiledMails> {
  const { fill, domain } = await compileFrozen(deps, content);
  const mail = { content, fill };
  return { mailAt: () => mail, domain, isPersonal: needsContacts(content) };
}

/** Each variant once; the place of a recipient says which is theirs. */
async function compileVariants(
  deps: CampaignsDeps,
  campaign: Campaign,
  content: CampaignContent,
): Promise<CompiledMails> {
  const { domain } = await compileFrozen(deps, content);
  const mails = new Map<VariantId, ReturnType<CompiledMails['mailAt']>>();
  for (const { id } of content.variants ?? []) {
    const { fill } = await compileFrozen(deps, content, id);
    mails.set(id, { content: contentIn(content, id), fill });
  }
  const variantOf = variantAt(campaign);
  return {
    mailAt(seq) {
      const id = variantOf(seq);
      const mail = id && mails.get(id);
      if (!mail) throw new Error('this recipient waits for the winner');
      return mail;
    },
    domain,
    isPersonal: [...mails.values()].some((mail) => needsContacts(mail.content)),
  };
}

/**
 * Compiled once per process for each campaign: frozen content does not change. Throws AppError when its domain is not verified
 * any more, or no mail can be made of the template.
 */
export async function compileFrozen(
  deps: CampaignsDeps,
  whole: CampaignContent,
  variant: VariantId | null = null,
): Promise<{ fill: FillLanguage; domain: SendingDomain }> {
  const content = contentIn(whole, variant);
  const domain = await sendingDomain(deps, content.projectId, content.domainName);
  if (!domain)
    throw unprocessable(
      'DOMAIN_NOT_VERIFIED',
      'The domain that the campaign is sent from is not verified any more.',
      'from: is not on a verified domain',
    );
  const key = `${content._id.toHexString()} ${content.frozenAt.getTime()} ${domain.returnHost} ${variant ?? ''}`;
  const fills = kept(deps)[content.pictures?.length ? 'withPictures' : 'plain'];
  const fill = fills.get(key) ?? compileEach(deps, content, { domain, counted: whole.html });
  fills.set(key, fill);
  fill.catch(() => fills.delete(key));
  return { fill: await fill, domain };
}

async function compileEach(
  deps: CampaignsDeps,
  content: CampaignContent,
  shared: Pick<Compiling, 'domain' | 'counted'>,
): Promise<FillLanguage> {
  const base = await compileOrSay(deps, content, { ...shared, language: null });
  const others = new Map<string | null, FillMail>();
  for (const { language } of content.translated?.mails ?? [])
    others.set(language, await compileOrSay(deps, content, { ...shared, language }));
  return (language) => others.get(language) ?? base;
}

interface Compiling {
  domain: SendingDomain;
  language: string | null;
  /** The HTML at whose links clicks are counted. */
  counted: string;
}

async function compileOrSay(
  deps: CampaignsDeps,
  content: CampaignContent,
  { domain: { domain, returnHost }, language, counted }: Compiling,
): Promise<FillMail> {
  const { _id, projectId, from, replyTo, groupId, domainName: fromDomain, trackingClick, trackingOpen } = content;
  const { config } = deps;
  const whose = { config, projectId, fromDomain, returnHost, marketing: true, groupId };
  const shared = { ...whose, trackingClick, trackingOpen, headers: content.headers };
  const utm = content.utm ?? null;
  const parts = {
    from,
    replyTo,
    listId: `${groupId?.toLowerCase() ?? 'default'}.${projectId}.${fromDomain}`,
    feedbackId: `${_id}:${projectId}:marketing:${domain._id.toHexString().slice(-12)}`,
    bulk: true,
    boundary: createHash('sha256').update(_id.id).digest('hex').slice(0, 24),
  };
  const source = sourceIn(content, language);
  // A store of pictures that does not answer is asked again.
  const { html, parts: attachments } = await inlined(deps, source.html, content.pictures);
  try {
    const linkNumber = linkNumberIn(content, language, counted);
    const whole = { ...parts, attachments };
    return await compileForMany({ ...shared, utm, source: { ...source, html }, parts: whole, linkNumber });
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw unprocessable(
      'TEMPLATE_RENDER_FAILED',
      `No mail can be made of the template${language ? ` in ${language}` : ''}: ${why}`.slice(0, 500),
    );
  }
}

/** Variables of the mail itself need no contact to be read; the choice of a language does. */
function needsContacts(content: CampaignContent): boolean {
  if (content.translated) return true;
  const { html, subject, previewText } = compileMail(sourceIn(content, null));
  const headers = compiledHeaders(content.headers ?? {}).map(([, value]) => value);
  const templates = [html, subject, previewText, ...headers].flatMap((template) => template ?? []);
  return templates.some(({ paths }) => paths.some((path) => !isOfTheMail(path)));
}
