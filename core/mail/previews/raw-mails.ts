import type { HeldBytes } from '../../base/held-bytes.ts';
import type { MailDeps } from '../deps.ts';
import type { Content } from '../ledger/model.ts';
import { attachmentBytes } from '../messages/contents.ts';
import { withOwnPictures } from './own-pictures.ts';

/** The parts of a mail that people look at. */
export interface ReadMail {
  html: string | null;
  text: string | null;
  files: Array<{ contentId: string | null; contentType: string; bytes: Uint8Array }>;
}

/** Reads whole mails in a thread of their own: a mail may be made to break its reader. */
export interface RawMails {
  /** Clients take turns. null: the mail cannot be read, or not within limits. */
  read(bytes: Buffer, client: string): Promise<ReadMail | null>;
}

declare module '../../base/deps.ts' {
  interface Deps {
    rawMails: RawMails;
  }
}

type Texts = Pick<ReadMail, 'html' | 'text'>;

const NOTHING: Texts = { html: null, text: null };
/** The texts of a mail that came by SMTP, as its recipient got them; without tracking, which is added when it leaves. */
export async function rawTexts(
  deps: Pick<MailDeps, 'db' | 'rawMails'>,
  { projectId, attachments }: Pick<Content, 'projectId' | 'attachments'>,
  { withPictures, held }: { withPictures: boolean; held: HeldBytes },
): Promise<Texts> {
  const [file] = attachments;
  const bytes = file && (await attachmentBytes(deps, projectId, file, held));
  const mail = bytes && (await deps.rawMails.read(bytes, projectId.toHexString()));
  if (!mail) return NOTHING;
  const { html, text, files } = mail;
  if (html === null || !withPictures) return { html, text };
  const pictures = files.map((file) => ({ ...file, sizeBytes: file.bytes.length }));
  return { html: await withOwnPictures(html, pictures, async (file) => file.bytes), text };
}
