import { ATTACHMENT_BYTES_MAX } from '../../../schemas/mail/mails.ts';
import { createBatcher } from '../../base/database/batcher.ts';
import { oncePerCore } from '../../base/deps.ts';
import { invalid } from '../../base/errors.ts';
import type { MailDeps } from '../deps.ts';
import type { Attachment, Content } from '../ledger/model.ts';
import { deleteFile, storeFetched } from '../messages/contents.ts';

/** Calls that fetch at a time: each has one file in memory. */
const AT_ONCE_MAX = 4;
/** No file of a call is begun later than this. */
const BEGUN_WITHIN_MS = 30_000;

/**
 * The attachments of a mail that is sent later, with files behind URLs stored as they are at the call. A file that cannot be had refuses
 * the call.
 */
export async function fetchAttachments(deps: MailDeps, content: Content): Promise<Attachment[]> {
  const isBehindUrl = ({ fileUrl }: Attachment) => fileUrl !== null;
  return content.attachments.some(isBehindUrl) ? fetcher(deps)(content) : content.attachments;
}

const fetcher = oncePerCore((deps: MailDeps) =>
  createBatcher(async ([content]: Content[]) => [await fetchAll(deps, content as Content)], {
    sizeMax: 1,
    runsMax: AT_ONCE_MAX,
    callers: 'requests',
  }),
);

async function fetchAll(deps: MailDeps, content: Content): Promise<Attachment[]> {
  const { attachments } = content;
  const until = performance.now() + BEGUN_WITHIN_MS;
  const given = attachments.filter(({ fileUrl }) => fileUrl === null);
  let left = ATTACHMENT_BYTES_MAX - given.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
  const fetched: Attachment[] = [];
  try {
    for (const [index, attachment] of attachments.entries()) {
      if (attachment.fileUrl === null) continue;
      if (performance.now() > until) throw fault(index, 'could not be fetched in time');
      const stored = await fetchOne(deps, content, index, left);
      left -= stored.sizeBytes ?? 0;
      fetched.push(stored);
    }
  } catch (error) {
    await dropFetched(deps, { ...content, attachments: fetched });
    throw error;
  }
  return attachments.map((attachment) => (attachment.fileUrl === null ? attachment : (fetched.shift() as Attachment)));
}

/** Of a call that is refused after all; not of the repeat of one that was stored, whose mail has the same files. */
export async function dropFetched(deps: MailDeps, { _id, projectId, attachments }: Content): Promise<void> {
  const stored = attachments.filter(({ fileUrl }) => fileUrl !== null);
  if (stored.length === 0 || (await deps.db.contents.findOne({ _id, projectId }, { projection: { _id: 1 } }))) return;
  await Promise.all(stored.map(({ fileId }) => fileId && deleteFile(deps, fileId)));
}

/** Its id follows from the call, so a repeat stores it once. */
async function fetchOne(deps: MailDeps, content: Content, index: number, bytesMax: number): Promise<Attachment> {
  const attachment = content.attachments[index] as Attachment;
  const { fileName, fileUrl, sizeBytes } = attachment;
  const found = await deps.files.fetch(fileUrl as string, Math.min(sizeBytes ?? bytesMax, bytesMax));
  if (found.kind === 'large') throw fault(index, `has more than ${Math.min(sizeBytes ?? bytesMax, bytesMax)} bytes`);
  if (found.kind !== 'fetched') throw fault(index, `could not be used. ${found.reason}`);
  const { bytes, contentType } = found;
  if (sizeBytes !== null && sizeBytes !== bytes.length)
    throw fault(index, `has ${bytes.length} bytes, not ${sizeBytes}`);
  const fileId = await storeFetched(deps, content, index, { fileName, bytes });
  return { ...attachment, fileId, sizeBytes: bytes.length, contentType: attachment.contentType ?? contentType };
}

function fault(index: number, problem: string) {
  const field = `attachments/${index}/fileUrl`;
  return invalid(`The file of ${field} ${problem}.`, `${field}: ${problem}`);
}
