import type { Binary, Collection, ObjectId } from 'mongodb';
import type { Due, Mailbox } from '../base/model.ts';
import type { Lane } from './relay.ts';

/** The ledger: one message for each recipient, and the contents that messages share. */

export interface Attachment {
  fileName: string;
  contentType: string | null;
  contentId: string | null;
  description: string | null;
  sizeBytes: number | null;
  /** Where the bytes are: here, in GridFS under this id, or still at a URL that the worker fetches. */
  bytes: Binary | null;
  fileId: ObjectId | null;
  fileUrl: string | null;
  /** Its size was not given, and the first fetch found it larger than FIRST_FETCH_BYTES. */
  isLarge?: true;
}

/** What one call wants sent, shared by its messages. Kept for seven days after their last outcome; what a campaign sends stands on the campaign. */
export interface Content {
  _id: ObjectId;
  projectId: ObjectId;
  messageIds: ObjectId[];
  from: Mailbox;
  replyTo: Mailbox | null;
  templateId: string | null;
  subject: string;
  previewText: string;
  html: string | null;
  text: string | null;
  /** A bulk recipient's own data stands on its message and wins. */
  data: Record<string, unknown>;
  headers: Record<string, string>;
  attachments: Attachment[];
  marketing: boolean;
  /** The suppression group that the mail names. */
  groupId: string | null;
  bypassSuppressions: boolean;
  trackingClick: boolean;
  trackingOpen: boolean;
  /** Not templates: braces mean themselves. */
  verbatim?: true;
  /** Message-IDs, of replies. */
  inReplyTo?: string;
  references?: string;
  createdAt: Date;
  /** When to look whether it may go. */
  removeDueAt?: Date;
}

/** The content of a small mail to one address, which stands on its message: written once with it, and read with it. */
export type OwnContent = Omit<Content, '_id' | 'projectId' | 'messageIds' | 'removeDueAt'>;

/** design.md "The send path" has the transitions; core/ledger*.ts makes them. */
export type MessageState =
  | 'queued'
  | 'deferred'
  | 'committing'
  | 'sent'
  | 'bounced'
  | 'failed'
  | 'suppressed'
  | 'unknown';

export interface SmtpReply {
  code: number;
  enhanced: string | null;
  text: string;
}

/** What became of a message, for GET /emails/{id}. The first and the last lines are made from the message's own dates. */
export interface TimelineEntry {
  type: string;
  at: Date;
  /** When the attempt began that ended so. */
  claimedAt?: Date;
  email?: string;
  reply?: SmtpReply;
  reason?: string;
  url?: string;
  automated?: boolean;
}

/** to, cc and bcc of one transactional mail: it travels once, and each has its own outcome. The first one is `to`. */
export interface MessageRecipient extends Mailbox {
  kind: 'to' | 'cc' | 'bcc';
  state: Exclude<MessageState, 'committing'>;
  reply: SmtpReply | null;
  reason: string | null;
  suppressedBy?: { groupId: string; reason: string };
  /** A receiving server confirmed it. */
  deliveredAt?: Date;
}

/** Where marketing mail has cc or bcc, each address has a message of its own: see core/messages/copies.ts. */
export interface Copy {
  /** The message to `to`, whose id callers know. */
  of: ObjectId;
  /** Its place among to, cc and bcc; 0: the message to `to`. */
  index: number;
  kind: MessageRecipient['kind'];
  /** The Cc line of all of them; only on the message to `to`. */
  cc?: Mailbox[];
}

/** One mail to one address, whatever it belongs to. */
export interface Message extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  lane: Lane;
  state: MessageState;
  /** '' when the contact was deleted: see core/messages/erase.ts. */
  email: string;
  /** A keyed hash of the address, where that is all that is left of it. */
  emailHash?: string;
  name?: string | null;
  /** Only where there are cc or bcc and one transaction for all of them. */
  recipients?: MessageRecipient[];
  copy?: Copy;
  contentId?: ObjectId;
  /** In place of a document of its own under `contentId`. */
  content?: OwnContent;
  /** When to look whether it may go. */
  contentDueAt?: Date;
  /** A bulk recipient's own template data. */
  data?: Record<string, unknown>;
  subject?: string;
  batchId?: string;
  campaignId?: ObjectId;
  automationId?: ObjectId;
  contactId?: ObjectId;
  /** Orders the pages of a campaign; not unique. */
  seq?: number;
  createdAt?: Date;
  /** Random per process start; who holds the message, or held it last. */
  owner?: string;
  claim?: number;
  claimedAt?: Date;
  /** When it was claimed first: the mail's Date, the same in every attempt. */
  firstAt?: Date;
  /** Attempts that ended without a final answer: refused for now, lost, or of unknown outcome. */
  deferrals?: number;
  /** How often the process that had claimed it ended before its outcome was stored. */
  orphaned?: number;
  reply?: SmtpReply | null;
  reason?: string | null;
  suppressedBy?: { groupId: string; reason: string };
  sentAt?: Date;
  /** A receiving server confirmed it. */
  deliveredAt?: Date;
  endedAt?: Date;
  timeline?: TimelineEntry[];
}

declare module '../base/collections.ts' {
  interface Collections {
    contents: Collection<Content>;
    messages: Collection<Message>;
  }
}
