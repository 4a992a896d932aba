import type { ObjectId } from 'mongodb';
import type { Deps } from '../base/deps.ts';
import { unavailable } from '../base/errors.ts';
import { attachmentBytes } from '../messages/contents.ts';
import type { Attachment, Content } from '../outbox/model.ts';
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

declare module '../base/deps.ts' {
  interface Deps {
    rawMails: RawMails;
  }
}

type Texts = Pick<ReadMail, 'html' | 'text'>;

const NOTHING: Texts = { html: null, text: null };
/** Of all mails that are read at a time in a process. Parsed, a mail takes several times its size. */
const HELD_BYTES_MAX = 48 * 1024 * 1024;
let heldBytes = 0;

/** The texts of a mail that came by SMTP, as its recipient got them; without tracking, which is added when it leaves. */
export async function rawTexts(
  deps: Pick<Deps, 'mongo' | 'config' | 'rawMails'>,
  { projectId, attachments }: Pick<Content, 'projectId' | 'attachments'>,
  { withPictures }: { withPictures: boolean },
): Promise<Texts> {
  const [file] = attachments;
  const mail = file ? await withinBudget(file.sizeBytes ?? 0, () => read(deps, projectId, file)) : null;
  if (!mail) return NOTHING;
  const { html, text, files } = mail;
  if (html === null || !withPictures) return { html, text };
  const pictures = files.map((file) => ({ ...file, sizeBytes: file.bytes.length }));
  return { html: await withOwnPictures(html, pictures, async (file) => file.bytes), text };
}

/** Refused before the bytes are read. A mail that is larger than the budget is read alone. */
async function withinBudget<T>(sizeBytes: number, work: () => Promise<T>): Promise<T> {
  if (heldBytes > 0 && heldBytes + sizeBytes > HELD_BYTES_MAX)
    throw unavailable('Too many large mails are being read; try again in a moment.');
  heldBytes += sizeBytes;
  try {
    return await work();
  } finally {
    heldBytes -= sizeBytes;
  }
}

async function read(
  deps: Pick<Deps, 'mongo' | 'config' | 'rawMails'>,
  projectId: ObjectId,
  file: Attachment,
): Promise<ReadMail | null> {
  const bytes = await attachmentBytes(deps, projectId, file);
  return bytes && deps.rawMails.read(bytes, projectId.toHexString());
}
