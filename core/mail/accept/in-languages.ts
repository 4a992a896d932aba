import { ATTACHMENT_BYTES_MAX } from '../../../schemas/mail/mails.ts';
import { invalid } from '../../base/errors.ts';
import { derivedId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { breathe } from '../../base/work/breathe.ts';
import { compileMail } from '../../templates/mail.ts';
import { picturesInside } from '../../templates/media/inline.ts';
import { isTranslated, languageIn, languageOfContact, mailIn } from '../../templates/translations/mail.ts';
import type { MailDeps } from '../deps.ts';
import { readAttachments } from './attachments.ts';
import { type BulkInput, type MailDraft, type MailOrigin, sourceOf } from './inputs.ts';

/** A recipient of a bulk mail: null where the address is none. */
interface Reader {
  email: string | null;
  language?: string | undefined;
}

interface Drafted {
  draft: MailDraft;
  input: BulkInput;
}

/** One draft for each language that a recipient reads; nearly always there is one. */
export async function draftsByReader(
  deps: MailDeps,
  project: Project,
  { draft, input }: Drafted,
  readers: readonly Reader[],
  origin: MailOrigin,
): Promise<(index: number) => MailDraft> {
  const { template } = draft;
  if (!template || !isTranslated(template)) return () => draft;
  const known = await contactsOf(deps, project, input.language === undefined ? readers : []);
  const languages = readers.map(({ email, language = input.language }) =>
    languageIn(template, language ?? languageOfContact(project, known.get(email ?? '') ?? null)),
  );
  const drafts = new Map<string | null, MailDraft>([[languageIn(template, input.language), draft]]);
  refuseCopies(draft, new Set([...drafts.keys(), ...languages]).size);
  for (const language of languages)
    if (!drafts.has(language)) drafts.set(language, await draftIn(deps, { draft, input }, language, origin));
  return (index) => drafts.get(languages[index]!)!;
}

async function contactsOf({ db }: MailDeps, { _id: projectId }: Project, readers: readonly Reader[]) {
  const emails = readers.flatMap(({ email, language }) => (email !== null && language === undefined ? [email] : []));
  if (emails.length === 0) return new Map();
  const found = await db.contacts
    .find({ projectId, email: { $in: emails } }, { projection: { email: 1, contactProperties: 1 } })
    .toArray();
  return new Map(found.map((contact) => [contact.email, contact]));
}

/** With files of its own: they go with its content, and not with that of another language. */
async function draftIn(
  deps: MailDeps,
  { draft, input }: Drafted,
  language: string | null,
  origin: MailOrigin,
): Promise<MailDraft> {
  const seed = derivedId(origin.at, 'mail in a language', origin.seed.toHexString(), language ?? '');
  const source = sourceOf(input, await mailIn(deps, { template: draft.template! }, language));
  await breathe(source.html);
  const templates = compileMail(source);
  const { attachments, files } = await readAttachments(input.attachments ?? [], { ...origin, seed }, deps.config);
  const pictures = input.inlinePictures
    ? { pictures: await picturesInside(deps, draft.content.projectId, [source]) }
    : {};
  const content = { ...draft.content, _id: seed, ...source, attachments, ...pictures };
  return { ...draft, attachments, files, templates, content };
}

/** Each language has its own copy of the attachments. */
function refuseCopies({ attachments }: MailDraft, copies: number): void {
  const bytes = attachments.reduce((sum, { fileUrl, sizeBytes }) => sum + (fileUrl === null ? (sizeBytes ?? 0) : 0), 0);
  if (copies === 1 || bytes * copies <= ATTACHMENT_BYTES_MAX) return;
  throw invalid(
    `The attachments are too large for a mail in ${copies} languages, each of which has its own copy: send a call for each language.`,
    `attachments: must have ${Math.floor(ATTACHMENT_BYTES_MAX / copies)} bytes together at most, for ${copies} languages`,
  );
}
