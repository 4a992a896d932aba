import { finished } from 'node:stream';
import { type Binary, GridFSBucket, type GridFSFile, MongoRuntimeError, type ObjectId } from 'mongodb';
import { isDuplicateKey } from '../../base/database/idempotent-insert.ts';
import type { HeldBytes } from '../../base/held-bytes.ts';
import type { MailDeps } from '../deps.ts';
import type { Attachment, Content, Message } from '../ledger/model.ts';

type Files = Pick<MailDeps, 'mongo' | 'config'>;
type GridFSChunk = { files_id: ObjectId; n: number; data: Binary };

const BUCKET = 'attachments';
/** Of 255 KiB each. */
const CHUNKS_AT_ONCE = 4;

/** Stores attachments that are too large for a document. Their ids follow from the request, so a repeat stores them once. */
export async function storeFile(
  deps: Files,
  projectId: ObjectId,
  file: { fileId: ObjectId; fileName: string; bytes: Uint8Array },
): Promise<void> {
  const { fileId, fileName, bytes } = file;
  const files = bucket(deps);
  const [known] = await files.find({ _id: fileId }).limit(1).toArray();
  if (known?.length === bytes.length) return;
  const upload = files.openUploadStreamWithId(fileId, fileName, { metadata: { projectId } });
  await new Promise<void>((resolve, reject) => {
    upload.once('finish', () => resolve());
    // The chunks exist from an interrupted upload, or from another worker that fetches the same file at the same time.
    upload.once('error', (error) => (isDuplicateKey(error) ? resolve() : reject(error)));
    upload.end(bytes);
  });
}

/** A file that is stored piece by piece, while its bytes arrive. It exists when `end` resolves. */
export interface Upload {
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

export function openUpload(deps: Files, projectId: ObjectId, file: { fileId: ObjectId; fileName: string }): Upload {
  const upload = bucket(deps).openUploadStreamWithId(file.fileId, file.fileName, { metadata: { projectId } });
  // Each fault rejects the call that it belongs to.
  upload.on('error', () => {});
  const settled = (start: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => start((error) => (error ? reject(error) : resolve())));
  return {
    write: (bytes) => settled((done) => upload.write(bytes, done)),
    end: () => settled((done) => finished(upload.end(), done)),
  };
}

/** A stored file that is read piece by piece, so that a slow reader holds neither all of it nor a cursor. */
export interface OpenFile {
  sizeBytes: number;
  pieces: AsyncIterable<Buffer>;
}

/** null: there is no such file in the project. */
export async function openFile(
  deps: Files,
  { projectId, fileId }: { projectId: ObjectId; fileId: ObjectId },
  held: HeldBytes,
): Promise<OpenFile | null> {
  const file = await findFile(deps, projectId, fileId);
  if (!file) return null;
  // One piece is with the reader while the next is read.
  await held.take(Math.min(file.length, 2 * CHUNKS_AT_ONCE * file.chunkSize));
  return { sizeBytes: file.length, pieces: piecesOf(deps, file) };
}

/** All of it. null: there is no such file in the project, or it is not whole. */
export async function readFile(
  deps: Files,
  { projectId, fileId }: { projectId: ObjectId; fileId: ObjectId },
  held: HeldBytes,
  allocate: (length: number) => Buffer = Buffer.alloc,
): Promise<Buffer | null> {
  const file = await findFile(deps, projectId, fileId);
  if (!file) return null;
  await held.take(file.length);
  const bytes = allocate(file.length);
  let length = 0;
  for await (const piece of piecesOf(deps, file)) length += piece.copy(bytes, length);
  return length === file.length ? bytes : null;
}

async function findFile(deps: Files, projectId: ObjectId, fileId: ObjectId): Promise<GridFSFile | null> {
  const [file] = await bucket(deps).find({ _id: fileId, 'metadata.projectId': projectId }).limit(1).toArray();
  return file ?? null;
}

/** By queries of their own: a stream of GridFS fetches 16 MiB at a time. */
async function* piecesOf({ mongo, config }: Files, { _id, length, chunkSize }: GridFSFile): AsyncGenerator<Buffer> {
  const chunks = mongo.db(config.mongodbDatabase).collection<GridFSChunk>(`${BUCKET}.chunks`);
  const count = Math.ceil(length / chunkSize);
  for (let from = 0; from < count; from += CHUNKS_AT_ONCE) {
    const some = { files_id: _id, n: { $gte: from, $lt: from + CHUNKS_AT_ONCE } };
    const found = await chunks.find(some).sort({ n: 1 }).toArray();
    if (found.length < Math.min(CHUNKS_AT_ONCE, count - from)) throw new Error('A stored file lacks a part.');
    yield Buffer.concat(found.map(({ data }) => data.value()));
  }
}

/**
 * The contents of a project's messages under their `contentId`; of those stored in other documents, only `fields` if some are
 * named.
 */
export async function contentsOf(
  { db }: Pick<MailDeps, 'db'>,
  projectId: ObjectId,
  messages: ReadonlyArray<Pick<Message, '_id' | 'contentId' | 'content'>>,
  fields: Partial<Record<keyof Content, 1>> = {},
): Promise<Map<string, Content>> {
  const contents = new Map<string, Content>();
  const elsewhere = new Map<string, ObjectId>();
  for (const { _id, contentId, content } of messages) {
    if (!contentId) continue;
    const key = contentId.toHexString();
    if (content) contents.set(key, { ...content, _id: contentId, projectId, messageIds: [_id] });
    else elsewhere.set(key, contentId);
  }
  if (elsewhere.size === 0) return contents;
  const beside = { _id: { $in: [...elsewhere.values()] }, projectId };
  const found = await db.contents.find(beside, { projection: fields }).toArray();
  for (const content of found) contents.set(content._id.toHexString(), content);
  return contents;
}

export async function contentOf(
  deps: Pick<MailDeps, 'db'>,
  message: Pick<Message, '_id' | 'projectId' | 'contentId' | 'content'>,
): Promise<Content | null> {
  const contents = await contentsOf(deps, message.projectId, [message]);
  return contents.get(String(message.contentId)) ?? null;
}

/** Deletes a content, with its files. */
export async function deleteContent(deps: Files & Pick<MailDeps, 'db'>, content: Content): Promise<void> {
  for (const { fileId } of content.attachments) if (fileId) await deleteFile(deps, fileId);
  await deps.db.contents.deleteOne({ _id: content._id, projectId: content.projectId });
}

/** The bytes of a stored attachment; null when it still has to be fetched, or was deleted. */
export async function attachmentBytes(
  deps: Files,
  projectId: ObjectId,
  attachment: Pick<Attachment, 'bytes' | 'fileId'>,
  held: HeldBytes,
): Promise<Buffer | null> {
  const { bytes, fileId } = attachment;
  if (bytes) return Buffer.from(bytes.buffer);
  return fileId ? readFile(deps, { projectId, fileId }, held, sharedBuffer) : null;
}

/** Shared with the thread that encodes the file. */
function sharedBuffer(length: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(length));
}

/** The pieces of an interrupted upload are deleted too: the driver does so before it reports that there is no such file. */
export async function deleteFile(deps: Files, fileId: ObjectId): Promise<void> {
  try {
    await bucket(deps).delete(fileId);
  } catch (error) {
    if (!(error instanceof MongoRuntimeError && error.message.startsWith('File not found'))) throw error;
  }
}

function bucket({ mongo, config }: Files): GridFSBucket {
  return new GridFSBucket(mongo.db(config.mongodbDatabase), {
    bucketName: BUCKET,
    writeConcern: { w: 'majority', journal: true },
  });
}

/** Of a mail that is no marketing and not tracked, with nothing in it but what is given. */
export function newContent(
  given: Pick<Content, '_id' | 'projectId' | 'messageIds' | 'from' | 'createdAt'> & Partial<Content>,
): Content {
  return {
    replyTo: null,
    templateId: null,
    subject: '',
    previewText: '',
    html: null,
    text: null,
    data: {},
    headers: {},
    attachments: [],
    marketing: false,
    groupId: null,
    bypassSuppressions: false,
    trackingClick: false,
    trackingOpen: false,
    ...given,
  };
}
