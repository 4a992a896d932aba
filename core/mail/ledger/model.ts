import type { Binary, Collection, ObjectId } from 'mongodb';
import type { Due, Mailbox, Sealed, Utm } from '../../base/model.ts';
import type { InlinePicture } from '../../templates/media/model.ts';
import type { Lane } from './relay.ts';
import type { MessageState, ShownState } from './states.ts';

/** The ledger: one message for each recipient, and the contents that messages share. */

export interface Attachment {
  fileName: string;
  contentType: string | null;
  contentId: string | null;
  description: string | null;
  sizeBytes: number | null;
  /** Where the bytes are: here, in GridFS under this id, or still at a URL that the worker will fetch. */
  bytes: Binary | null;
  fileId: ObjectId | null;
  fileUrl: string | null;
  /** The size was not given, and the first fetch found a file larger than FIRST_FETCH_BYTES. */
  isLarge?: true;
}

/**
 * The content of one call, shared by its messages. Kept for seven days after their last outcome; a campaign's content is stored
 * with the campaign.
 */
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
  /** The bodies of a mail with a secret link, which are not stored as they are: see core/mail/messages/sealed-content.ts. */
  sealed?: Sealed;
  /** A bulk recipient's own data is on its message and wins. */
  data: Record<string, unknown>;
  headers: Record<string, string>;
  /** Of the test of a campaign: headers with variables. */
  headerTemplates?: Record<string, string>;
  attachments: Attachment[];
  /** Of the project, to go inside the mail; those that the HTML no longer shows are left out. */
  pictures?: InlinePicture[];
  marketing: boolean;
  /** The suppression group that the mail names. */
  groupId: string | null;
  bypassSuppressions: boolean;
  /** Entries that the person made by unsubscribing do not stop it. */
  passesUnsubscribe?: true;
  trackingClick: boolean;
  trackingOpen: boolean;
  utm?: Utm | null;
  /** The texts are not templates: braces are ordinary text. */
  verbatim?: true;
  /** The mail came by SMTP and leaves as it came: its only attachment is the whole mail. `eightBit`: it has bytes above 127. `longLines`: lines above 998. */
  raw?: { eightBit: boolean; longLines?: boolean };
  /** Message-IDs; set for replies. */
  inReplyTo?: string;
  references?: string;
  createdAt: Date;
  /** When to check whether the content can be removed. */
  removeDueAt?: Date;
}

/** The content of a small mail to one address, stored in its message: written once with it, and read with it. */
type OwnContent = Omit<Content, '_id' | 'projectId' | 'messageIds' | 'removeDueAt'>;

export interface SmtpReply {
  code: number;
  enhanced: string | null;
  text: string;
  /** The relay that the mail was handed to; set where there are several. */
  relay?: string;
}

/**
 * A step in the history of a message, for GET /emails/{id}. The first and the last lines are made from the message's own dates.
 */
export interface TimelineEntry {
  type: string;
  at: Date;
  /** When the attempt with this outcome began. */
  claimedAt?: Date;
  email?: string;
  reply?: SmtpReply;
  reason?: string;
  /** Of a line without a reply. */
  relay?: string;
  url?: string;
  automated?: boolean;
}

/** The entry that stopped a mail. groupId null: no entry did, but the frequency cap of the project. */
export interface SuppressedBy {
  groupId: string | null;
  reason: string;
}

/**
 * An address of to, cc or bcc of one transactional mail: the mail is sent once, and each address has its own outcome. The first
 * one is `to`.
 */
export interface MessageRecipient extends Mailbox {
  kind: 'to' | 'cc' | 'bcc';
  state: ShownState;
  reply: SmtpReply | null;
  reason: string | null;
  suppressedBy?: SuppressedBy;
  /** When a receiving server confirmed delivery. */
  deliveredAt?: Date;
}

/** Marketing mail with cc or bcc is one message for each address: see core/mail/messages/copies.ts. */
interface Copy {
  /** The message to `to`, whose id callers know. */
  of: ObjectId;
  /** Its index among to, cc and bcc; 0: the message to `to`. */
  index: number;
  kind: MessageRecipient['kind'];
  /** The Cc line of all copies; only on the message to `to`. */
  cc?: Mailbox[];
}

/** The part of a row that is counted, or is counted with its claim. */
export interface CountedPart {
  /** Nothing of it is counted, not even that it was accepted. Never set for recipients of campaigns, who are counted by the freeze. */
  isNew?: true;
  sentAt?: Date;
  bouncedAt?: Date;
  /** The number of deferrals. */
  deferred: number;
}

/** One mail to one address, of any lane. */
export interface Message extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  lane: Lane;
  state: MessageState;
  /** '' when the contact was deleted: see core/mail/erase/erase.ts. */
  email: string;
  /** A keyed hash of the address, set when the address itself was erased. */
  emailHash?: string;
  name?: string | null;
  /** Set when cc or bcc addresses share one transaction with `to`. */
  recipients?: MessageRecipient[];
  copy?: Copy;
  contentId?: ObjectId;
  /** Used instead of a document of its own under `contentId`. */
  content?: OwnContent;
  /** When to check whether `content` can be removed. */
  contentDueAt?: Date;
  /** A bulk recipient's own template data. */
  data?: Record<string, unknown>;
  subject?: string;
  batchId?: string;
  /** The key that sent it, when its scope is send: it may read this mail again. */
  keyId?: ObjectId;
  /** "name:value" of each, of a campaign those of the campaign; not set without tags. */
  tags?: string[];
  campaignId?: ObjectId;
  automationId?: ObjectId;
  /** Of an answer to mail that came in: the conversation. */
  threadId?: string;
  /** The links of its content, where a template or an automation has it: see core/mail/compose/link-sets.ts. */
  linkSetId?: ObjectId;
  contactId?: ObjectId;
  /** Orders the recipients of a campaign; not unique. */
  seq?: number;
  /** The enrollment whose mail waits while the frequency cap of the project has no room for it; absent: it is suppressed. */
  waitsWith?: ObjectId;
  createdAt?: Date;
  /** The time that the caller chose. `dueAt` is the same until the message is claimed. */
  scheduledAt?: Date;
  /** The process that has the claim, or had the last one; random per process start. */
  owner?: string;
  claim?: number;
  claimedAt?: Date;
  /** When the message was first claimed: the mail's Date, the same in every attempt. */
  firstAt?: Date;
  /** Attempts that ended without a final answer: refused for now, lost, or of unknown outcome. */
  deferrals?: number;
  /** How often the process that had the claim ended before the outcome was stored. */
  orphaned?: number;
  /** When its lease ended, while it is left to processes that can read the dot journal of its owner. */
  orphanedAt?: Date;
  reply?: SmtpReply | null;
  reason?: string | null;
  suppressedBy?: SuppressedBy;
  sentAt?: Date;
  /** When a receiving server confirmed delivery. */
  deliveredAt?: Date;
  endedAt?: Date;
  timeline?: TimelineEntry[];
  /** The domain of From; for a campaign it is the campaign's. */
  senderDomain?: string;
  /** The mailbox provider, set when the address was erased. */
  provider?: string;
  /** Set while a change waits to be counted (core/figures/reports): the part of the row that is counted already. */
  counted?: CountedPart;
  /** The job to count the change. */
  countDueAt?: Date;
}

declare module '../../base/collections.ts' {
  interface Collections {
    contents: Collection<Content>;
    messages: Collection<Message>;
  }
}
