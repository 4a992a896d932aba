import { Binary, type ObjectId } from 'mongodb';
import type { Config } from '../../schemas/config.ts';
import { ATTACHMENT_BYTES_MAX } from '../../schemas/mails.ts';
import { invalid } from '../base/errors.ts';
import { derivedId } from '../base/ids.ts';
import { withoutEnd } from '../base/text/text-ends.ts';
import { isAllowedUrl } from '../base/text/urls.ts';
import type { Attachment } from '../outbox/model.ts';

export interface AttachmentInput {
  fileName?: string | undefined;
  filename?: string | undefined;
  content?: string | undefined;
  fileUrl?: string | undefined;
  contentType?: string | undefined;
  fileSize?: number | undefined;
  contentId?: string | undefined;
  description?: string | undefined;
}

/** Bytes of all attachments that the content itself may hold; further ones go to GridFS. */
const INLINE_BYTES_MAX = 1_000_000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export interface GivenAttachments {
  attachments: Attachment[];
  /** The files to store before the content that names them. */
  files: Array<{ fileId: ObjectId; fileName: string; bytes: Buffer }>;
}

/** Decodes the attachments in the call. Those behind a URL are fetched when the mail is sent; here only the URL itself is checked. */
export function readAttachments(
  inputs: AttachmentInput[],
  origin: { at: Date; seed: ObjectId },
  { allowPrivateUrls: allow }: Pick<Config, 'allowPrivateUrls'>,
): GivenAttachments {
  const decoded = inputs.map((input, index) => ({
    input,
    index,
    bytes: decode(input, `attachments/${index}`, allow),
  }));
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

function decode(input: AttachmentInput, path: string, allow: readonly string[]): Buffer | null {
  if (input.fileName === undefined && input.filename === undefined) throw fault(`${path}/fileName`, 'is required');
  if ((input.content === undefined) === (input.fileUrl === undefined))
    throw fault(path, 'must have either content or fileUrl');
  if (input.fileUrl !== undefined) {
    if (!isAllowedUrl(input.fileUrl, { allow })) throw fault(`${path}/fileUrl`, 'must be a public https URL');
    return null;
  }
  const text = (input.content as string).replace(/\s+/g, '');
  if (text === '' || !BASE64.test(text) || withoutEnd(text, '=').length % 4 === 1)
    throw fault(`${path}/content`, 'must be base64');
  const bytes = Buffer.from(text, 'base64');
  if (input.fileSize !== undefined && input.fileSize !== bytes.length)
    throw fault(`${path}/fileSize`, `must be the size of the decoded content, ${bytes.length}`);
  return bytes;
}

function fault(path: string, problem: string) {
  return invalid(`${path} ${problem}.`, `${path}: ${problem}`);
}
