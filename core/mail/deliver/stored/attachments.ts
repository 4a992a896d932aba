import { ATTACHMENT_BYTES_MAX } from '../../../../schemas/mail/mails.ts';
import { oncePerCore } from '../../../base/deps.ts';
import { heldElsewhere } from '../../../base/held-bytes.ts';
import type { MimeAttachment } from '../../compose/mime/compose.ts';
import type { Attachment, Content } from '../../ledger/model.ts';
import type { SendingDeps } from '../../ledger/relay.ts';
import { attachmentBytes, storeFetched } from '../../messages/contents.ts';
import { FIRST_FETCH_BYTES } from './compose-memory.ts';

/** large: more bytes than memory was reserved for; the next attempt reserves enough. */
export type Missing = { kind: 'again' | 'large' | 'never'; reason: string };

/**
 * The attachments of a mail with their bytes. A file behind a URL is fetched once and stored, for later attempts and for a bulk's
 * other recipients.
 */
export async function storedAttachments(
  deps: SendingDeps,
  content: Content,
): Promise<{ attachments: MimeAttachment[] } | Missing> {
  const attachments: MimeAttachment[] = [];
  let total = 0;
  for (const [index, attachment] of content.attachments.entries()) {
    const bytesMax = ATTACHMENT_BYTES_MAX - total;
    const found = await sharedRead(deps, content, index, () => readOrFetch(deps, content, attachment, index, bytesMax));
    if ('kind' in found) return found;
    total += found.bytes.length;
    const { fileName, contentId, description } = attachment;
    attachments.push({ fileName, contentId, description, contentType: found.contentType, bytes: found.bytes });
  }
  return { attachments };
}

type Found = { bytes: Buffer; contentType: string | null } | Missing;
const readsUnderWay = oncePerCore(() => new WeakMap<Content, Map<number, Promise<Found>>>());

/** Recipients of a bulk that ask at the same time share the read or the fetch; nothing is kept after it. */
function sharedRead(deps: SendingDeps, content: Content, index: number, read: () => Promise<Found>): Promise<Found> {
  const underWay = readsUnderWay(deps);
  const reads = underWay.get(content) ?? new Map<number, Promise<Found>>();
  underWay.set(content, reads);
  const known = reads.get(index);
  if (known) return known;
  const found = read().finally(() => reads.delete(index));
  reads.set(index, found);
  return found;
}

async function readOrFetch(
  deps: SendingDeps,
  content: Content,
  attachment: Attachment,
  index: number,
  bytesMax: number,
): Promise<Found> {
  const { contentType, fileUrl, fileName } = attachment;
  const stored = await attachmentBytes(deps, content.projectId, attachment, heldElsewhere);
  if (stored) return { bytes: stored, contentType };
  if (fileUrl === null) return { kind: 'never', reason: `The attachment ${fileName} is not stored any more.` };
  const fetched = await fetchFile(deps, content, index, bytesMax);
  if ('kind' in fetched) return fetched;
  const { bytes } = fetched;
  const fileId = await storeFetched(deps, content, index, { fileName, bytes });
  const kept = { contentType: contentType ?? fetched.contentType, sizeBytes: bytes.length, fileId };
  await keep(deps, content, index, kept);
  // A large file is read again, into memory that is shared with the thread that encodes it.
  const isSmall = bytes.length <= FIRST_FETCH_BYTES;
  const shared = isSmall
    ? bytes
    : await attachmentBytes(deps, content.projectId, { bytes: null, fileId }, heldElsewhere);
  if (!shared) return { kind: 'again', reason: `The attachment ${fileName} could not be read.` };
  return { bytes: shared, contentType: kept.contentType };
}

/** Fetches no more bytes than the mail has reserved memory for. */
async function fetchFile(deps: SendingDeps, content: Content, index: number, bytesMax: number): Promise<Found> {
  const { fileUrl, fileName, sizeBytes, isLarge } = content.attachments[index] as Attachment;
  const expectedMax = sizeBytes ?? (isLarge ? bytesMax : FIRST_FETCH_BYTES);
  const fetched = await deps.files.fetch(fileUrl as string, Math.min(expectedMax, bytesMax));
  if (fetched.kind === 'fetched') {
    const { bytes, contentType } = fetched;
    if (sizeBytes === null || sizeBytes === bytes.length) return { bytes, contentType };
    return { kind: 'never', reason: `The attachment ${fileName} has ${bytes.length} bytes, not ${sizeBytes}.` };
  }
  const reason = `The attachment ${fileName}: ${fetched.reason}`;
  if (fetched.kind !== 'large') return { kind: fetched.kind, reason };
  if (sizeBytes !== null && sizeBytes <= bytesMax)
    return { kind: 'never', reason: `The attachment ${fileName} has more than ${sizeBytes} bytes.` };
  if (sizeBytes !== null || isLarge || bytesMax <= FIRST_FETCH_BYTES) return { kind: 'never', reason };
  await keep(deps, content, index, { isLarge: true });
  return { kind: 'large', reason };
}

/** Also changes the content in memory: its other recipients read the stored file. */
async function keep(deps: SendingDeps, content: Content, index: number, fields: Partial<Attachment>): Promise<void> {
  Object.assign(content.attachments[index] as Attachment, fields);
  await deps.db.contents.updateOne(
    { _id: content._id, projectId: content.projectId },
    {
      $set: Object.fromEntries(
        Object.entries(fields).map(([field, value]) => [`attachments.${index}.${field}`, value]),
      ),
    },
  );
}
