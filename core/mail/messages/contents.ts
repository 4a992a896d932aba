import { createHash } from 'node:crypto';
import { Binary, type Collection, type Document, ObjectId, type OptionalUnlessRequiredId } from 'mongodb';
import { isDuplicateKey } from '../../base/database/idempotent-insert.ts';
import type { HeldBytes } from '../../base/held-bytes.ts';
import { derivedId } from '../../base/ids.ts';
import { breather } from '../../base/work/breathe.ts';
import type { MailDeps } from '../deps.ts';
import type { Attachment, Content, Message } from '../ledger/model.ts';

type Files = Pick<MailDeps, 'db'>;
type Storage = Pick<MailDeps, 'db' | 'clock'>;
type NewFile = { fileId: ObjectId; fileName: string; bytes: Uint8Array };

/** As GridFS stores files, so that the tools of MongoDB read them. */
interface StoredFile {
  _id: ObjectId;
  length: number;
  chunkSize: number;
  uploadDate: Date;
  filename: string;
  metadata: { projectId: ObjectId };
}
interface Chunk {
  _id: ObjectId;
  files_id: ObjectId;
  n: number;
  data: Binary;
}

declare module '../../base/collections.ts' {
  interface Collections {
    attachmentFiles: Collection<StoredFile>;
    attachmentChunks: Collection<Chunk>;
  }
}

const CHUNK_BYTES = 255 * 1024;
const CHUNKS_AT_ONCE = 4;

/**
 * Stores attachments that are too large for a document. Their ids follow from the request and from what the file is made of, so a
 * repeat stores them once, and completes the file of one that was interrupted.
 */
export async function storeFile(deps: Storage, projectId: ObjectId, { bytes, ...file }: NewFile): Promise<void> {
  const upload = openUpload(deps, projectId, file);
  await upload.write(bytes);
  await upload.end();
}

/** Of a URL, which may have other bytes the next time. Returns the id of the file. */
export async function storeFetched(
  deps: Storage,
  { _id, projectId, createdAt }: Pick<Content, '_id' | 'projectId' | 'createdAt'>,
  index: number,
  file: Omit<NewFile, 'fileId'>,
): Promise<ObjectId> {
  const fileId = derivedId(createdAt, 'fetched', _id.toHexString(), index, await digestOf(file.bytes));
  await storeFile(deps, projectId, { fileId, ...file });
  return fileId;
}

async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  const pause = breather();
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    hash.update(bytes.subarray(from, from + CHUNK_BYTES));
    await pause();
  }
  return hash.digest('hex');
}

/** A file that is stored piece by piece, while its bytes arrive. It exists when `end` resolves. Bytes that are given do not change. */
export interface Upload {
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
  /** In memory. */
  heldBytes(): number;
}

export function openUpload({ db, clock }: Storage, projectId: ObjectId, file: Omit<NewFile, 'bytes'>): Upload {
  const { fileId, fileName } = file;
  let length = 0;
  let chunk: Buffer = Buffer.alloc(0);
  let used = 0;
  /** Pieces that are smaller than a chunk share its memory. Returns what has no room in it. */
  const fill = (bytes: Buffer): Buffer => {
    if (bytes.length > 0 && chunk.length === 0) chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const part = bytes.subarray(0, chunk.length - used);
    chunk.set(part, used);
    used += part.length;
    return bytes.subarray(part.length);
  };
  const store = async (bytes: Buffer) => {
    for (const some of parts(bytes, CHUNKS_AT_ONCE * CHUNK_BYTES)) {
      const first = length / CHUNK_BYTES;
      const chunks = parts(some, CHUNK_BYTES).map((data, at) => ({ n: first + at, data: new Binary(data) }));
      await insertMissing(
        db.attachmentChunks,
        chunks.map((chunk) => ({ _id: new ObjectId(), files_id: fileId, ...chunk })),
      );
      length += some.length;
    }
  };
  return {
    async write(bytes) {
      const rest = used > 0 ? fill(viewOf(bytes)) : viewOf(bytes);
      if (used === CHUNK_BYTES) {
        await store(chunk);
        used = 0;
      }
      const whole = rest.length - (rest.length % CHUNK_BYTES);
      await store(rest.subarray(0, whole));
      fill(rest.subarray(whole));
    },
    async end() {
      await store(chunk.subarray(0, used));
      const described = { length, chunkSize: CHUNK_BYTES, uploadDate: clock.now(), filename: fileName };
      await insertMissing(db.attachmentFiles, [{ _id: fileId, ...described, metadata: { projectId } }]);
    },
    heldBytes: () => chunk.length,
  };
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function parts(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

/** Documents that another upload of the same bytes has stored are left as they are. */
async function insertMissing<T extends Document>(
  collection: Collection<T>,
  documents: Array<OptionalUnlessRequiredId<T>>,
): Promise<void> {
  try {
    await collection.insertMany(documents, { ordered: false, writeConcern: { w: 'majority', journal: true } });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
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

function findFile({ db }: Files, projectId: ObjectId, fileId: ObjectId): Promise<StoredFile | null> {
  return db.attachmentFiles.findOne({ _id: fileId, 'metadata.projectId': projectId });
}

async function* piecesOf({ db }: Files, { _id, length, chunkSize }: StoredFile): AsyncGenerator<Buffer> {
  const count = Math.ceil(length / chunkSize);
  for (let from = 0; from < count; from += CHUNKS_AT_ONCE) {
    const some = { files_id: _id, n: { $gte: from, $lt: from + CHUNKS_AT_ONCE } };
    const found = await db.attachmentChunks.find(some).sort({ n: 1 }).toArray();
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
export async function deleteContent(deps: Files, content: Content): Promise<void> {
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

/** The pieces of an interrupted upload are deleted too. */
export async function deleteFile({ db }: Files, fileId: ObjectId): Promise<void> {
  await db.attachmentFiles.deleteOne({ _id: fileId });
  await db.attachmentChunks.deleteMany({ files_id: fileId });
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
