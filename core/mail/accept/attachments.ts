import { Binary, type ObjectId } from 'mongodb';
import type { Config } from '../../../schemas/config.ts';
import type { mailOptions } from '../../../schemas/mail/mails.ts';
import { ATTACHMENT_BYTES_MAX } from '../../../schemas/mail/mails.ts';
import type { Described } from '../../../schemas/schema.ts';
import { invalid } from '../../base/errors.ts';
import { derivedId } from '../../base/ids.ts';
import type { Origin } from '../../base/maker.ts';
import { withoutEnd } from '../../base/text/text-ends.ts';
import { isAllowedUrl } from '../../base/text/urls.ts';
import { breather, type Pause } from '../../base/work/breathe.ts';
import type { Attachment } from '../ledger/model.ts';

type AttachmentInput = NonNullable<Described<typeof mailOptions>['attachments']>[number];

/** Bytes of all attachments that the content itself may hold; further ones go to GridFS. */
const INLINE_BYTES_MAX = 1_000_000;
const BASE64_END = /^([A-Za-z0-9+/]{2,3})?={0,2}$/;
const BLOCK_LENGTH = 1_048_576;

export interface GivenAttachments {
  attachments: Attachment[];
  /** The files to store before the content that names them. */
  files: Array<{ fileId: ObjectId; fileName: string; bytes: Buffer }>;
}

/** Decodes the attachments in the call. Those behind a URL are fetched when the mail is sent; here only the URL itself is checked. */
export async function readAttachments(
  inputs: AttachmentInput[],
  origin: Origin,
  { allowPrivateUrls: allow }: Pick<Config, 'allowPrivateUrls'>,
): Promise<GivenAttachments> {
  const decoded: Array<{ input: AttachmentInput; index: number; bytes: Buffer | null }> = [];
  // One for all of them: many small ones hold the event loop as long as a large one.
  const pause = breather();
  for (const [index, input] of inputs.entries())
    decoded.push({ input, index, bytes: await decode(input, `attachments/${index}`, { allow, pause }) });
  const total = decoded.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
  if (total > ATTACHMENT_BYTES_MAX)
    throw invalid(
      `All attachments together may have ${ATTACHMENT_BYTES_MAX / 1024 / 1024} MiB after decoding.`,
      `attachments: must have ${ATTACHMENT_BYTES_MAX} bytes together at most`,
    );
  const inline = total <= INLINE_BYTES_MAX;
  const files: GivenAttachments['files'] = [];
  const attachments = decoded.map(({ input, index, bytes }) => {
    const fileName = (input.fileName ?? input.filename) as string;
    const fileId = bytes && !inline ? derivedId(origin.at, 'attachment', origin.seed.toHexString(), index) : null;
    if (bytes && fileId) files.push({ fileId, fileName, bytes });
    return {
      fileName,
      contentType: input.contentType ?? null,
      contentId: input.contentId ?? null,
      description: input.description ?? null,
      sizeBytes: bytes?.length ?? input.fileSize ?? null,
      bytes: bytes && inline ? new Binary(bytes) : null,
      fileId,
      fileUrl: input.fileUrl ?? null,
    };
  });
  return { attachments, files };
}

async function decode(
  input: AttachmentInput,
  path: string,
  { allow, pause }: { allow: readonly string[]; pause: Pause },
): Promise<Buffer | null> {
  if (input.fileName === undefined && input.filename === undefined) throw fault(`${path}/fileName`, 'is required');
  if ((input.content === undefined) === (input.fileUrl === undefined))
    throw fault(path, 'must have either content or fileUrl');
  if (input.fileUrl !== undefined) {
    if (!isAllowedUrl(input.fileUrl, { allow })) throw fault(`${path}/fileUrl`, 'must be a public https URL');
    return null;
  }
  const bytes = await decodeBase64(input.content as string, pause);
  if (!bytes) throw fault(`${path}/content`, 'must be base64');
  if (input.fileSize !== undefined && input.fileSize !== bytes.length)
    throw fault(`${path}/fileSize`, `must be the size of the decoded content, ${bytes.length}`);
  return bytes;
}

/** In blocks, so that 40 MiB do not hold the event loop. Null: it is none, or empty. */
async function decodeBase64(content: string, pause: Pause): Promise<Buffer | null> {
  const bytes = Buffer.allocUnsafeSlow(Math.ceil(content.length / 4) * 3);
  let length = 0;
  let rest = '';
  for (let at = 0; at < content.length; at += BLOCK_LENGTH) {
    const text = rest + content.slice(at, at + BLOCK_LENGTH).replace(/\s+/g, '');
    // The end may be in the next block, with white space alone.
    const letters = at + BLOCK_LENGTH >= content.length ? withoutEnd(text, '=').length : Math.max(0, text.length - 4);
    const fours = text.slice(0, letters - (letters % 4));
    rest = text.slice(fours.length);
    const end = length + bytes.write(fours, length, 'base64');
    // Decoding leaves out or takes for another what is not base64; encoding is quicker than looking for it.
    if (bytes.toString('base64', length, end) !== fours || fours.endsWith('=')) return null;
    length = end;
    await pause();
  }
  if (!BASE64_END.test(rest)) return null;
  length += bytes.write(rest, length, 'base64');
  return length === 0 ? null : bytes.subarray(0, length);
}

function fault(path: string, problem: string) {
  return invalid(`${path} ${problem}.`, `${path}: ${problem}`);
}
