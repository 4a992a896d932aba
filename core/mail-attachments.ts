import { ATTACHMENT_BYTES_MAX } from '../schemas/mails.ts';
import { attachmentBytes, storeFile } from './contents.ts';
import { derivedId } from './ids.ts';
import type { SendingDeps } from './mailer.ts';
import type { MimeAttachment } from './mime/compose.ts';
import type { Attachment, Content } from './model.ts';

type Missing = { kind: 'again' | 'never'; reason: string };

/** The attachments of a mail with their bytes. What is behind a URL is fetched once and kept, for later attempts and for a bulk's other recipients. */
export async function storedAttachments(
  deps: SendingDeps,
  content: Content,
): Promise<{ attachments: MimeAttachment[] } | Missing> {
  const attachments: MimeAttachment[] = [];
  let total = 0;
  for (const [index, attachment] of content.attachments.entries()) {
    const found = await bytesOf(deps, content, attachment, index, ATTACHMENT_BYTES_MAX - total);
    if ('kind' in found) return found;
    total += found.bytes.length;
    const { fileName, contentId, description } = attachment;
    attachments.push({ fileName, contentId, description, contentType: found.contentType, bytes: found.bytes });
  }
  return { attachments };
}

type Found = { bytes: Buffer; contentType: string | null } | Missing;
const underWay = new WeakMap<Content, Map<number, Promise<Found>>>();

/** A bulk's recipients that were claimed together share the content, and with it the fetch. */
function bytesOf(
  deps: SendingDeps,
  content: Content,
  attachment: Attachment,
  index: number,
  bytesMax: number,
): Promise<Found> {
  const known = underWay.get(content) ?? new Map<number, Promise<Found>>();
  underWay.set(content, known);
  const found = known.get(index) ?? readOrFetch(deps, content, attachment, index, bytesMax);
  known.set(index, found);
  return found;
}

async function readOrFetch(
  deps: SendingDeps,
  content: Content,
  attachment: Attachment,
  index: number,
  bytesMax: number,
): Promise<Found> {
  const { contentType, fileUrl, fileName, sizeBytes } = attachment;
  const stored = await attachmentBytes(deps, content.projectId, attachment);
  if (stored) return { bytes: stored, contentType };
  if (fileUrl === null) return { kind: 'never', reason: `The attachment ${fileName} is not stored any more.` };
  const fetched = await deps.files.fetch(fileUrl, bytesMax);
  if (fetched.kind !== 'fetched')
    return { kind: fetched.kind, reason: `The attachment ${fileName}: ${fetched.reason}` };
  const { bytes } = fetched;
  if (sizeBytes !== null && sizeBytes !== bytes.length)
    return { kind: 'never', reason: `The attachment ${fileName} has ${bytes.length} bytes, not ${sizeBytes}.` };
  const fileId = derivedId(content.createdAt, 'fetched', content._id.toHexString(), index);
  await storeFile(deps, content.projectId, { fileId, fileName, bytes });
  const kept = { contentType: contentType ?? fetched.contentType, sizeBytes: bytes.length, fileId };
  await deps.db.contents.updateOne(
    { _id: content._id, projectId: content.projectId },
    {
      $set: Object.fromEntries(Object.entries(kept).map(([field, value]) => [`attachments.${index}.${field}`, value])),
    },
  );
  return { bytes, contentType: kept.contentType };
}
