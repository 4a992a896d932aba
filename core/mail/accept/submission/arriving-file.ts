import { Binary, type ObjectId } from 'mongodb';
import { Blocks } from '../../../base/held-bytes.ts';
import { DAY_MS } from '../../../base/time/durations.ts';
import type { MailDeps } from '../../deps.ts';
import type { Attachment, Content } from '../../ledger/model.ts';
import { deleteContent, openUpload, type Upload } from '../../messages/contents.ts';

/** A mail of up to this size is held in memory, and stored with its content. */
const INLINE_BYTES_MAX = 262_144;
const FILE_NAME = 'message.eml';
/** When a note is looked at. No mail takes that long to arrive. */
const NOTE_KEPT_MS = DAY_MS;

/** `content` is that of the mail as far as it is known; its messages get the ids that it names. */
interface Arriving {
  content: Content;
  fileId: ObjectId;
}

/**
 * The bytes of a mail that is arriving.
 *
 * - inline: they are held here, as few as they are
 * - stored: they go to storage as they arrive. A note says so first, a content that is removed with its file a day later unless the
 *   mail was queued by then, so that nothing of an interrupted upload stays
 */
export class ArrivingFile {
  readonly #deps: MailDeps;
  readonly #arriving: Arriving;
  readonly #held = new Blocks();
  #sizeBytes = 0;
  #upload: Upload | null = null;

  constructor(deps: MailDeps, arriving: Arriving) {
    this.#deps = deps;
    this.#arriving = arriving;
  }

  /** In memory. */
  heldBytes(): number {
    return this.#upload?.heldBytes() ?? this.#sizeBytes;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#sizeBytes += bytes.length;
    if (this.#upload) return this.#upload.write(bytes);
    this.#held.add(bytes);
    if (this.#sizeBytes > INLINE_BYTES_MAX) await this.#spill();
  }

  async end(): Promise<Attachment> {
    const upload = this.#upload;
    await upload?.end();
    const bytes = upload ? null : new Binary(this.#held.take());
    return { ...this.#describe(), bytes, fileId: upload ? this.#arriving.fileId : null };
  }

  /** The mail has the file now. */
  async keep(): Promise<void> {
    const { fileId, content } = this.#arriving;
    if (this.#upload) await this.#deps.db.contents.deleteOne({ _id: fileId, projectId: content.projectId });
  }

  async discard(): Promise<void> {
    if (this.#upload) await deleteContent(this.#deps, this.#note());
  }

  async #spill(): Promise<void> {
    const { fileId, content } = this.#arriving;
    await this.#deps.db.contents.insertOne(this.#note());
    this.#upload = openUpload(this.#deps, content.projectId, { fileId, fileName: FILE_NAME });
    await this.#upload.write(this.#held.take());
  }

  #note(): Content {
    const { content, fileId } = this.#arriving;
    const removeDueAt = new Date(content.createdAt.getTime() + NOTE_KEPT_MS);
    return { ...content, _id: fileId, attachments: [{ ...this.#describe(), bytes: null, fileId }], removeDueAt };
  }

  #describe(): Omit<Attachment, 'bytes' | 'fileId'> {
    const sizeBytes = this.#sizeBytes;
    const described = { contentId: null, description: null, fileUrl: null };
    return { fileName: FILE_NAME, contentType: 'message/rfc822', sizeBytes, ...described };
  }
}
