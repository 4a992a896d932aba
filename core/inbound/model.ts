import type { Collection, ObjectId } from 'mongodb';
import type { Mailbox } from '../base/model.ts';

/** Mail that came in. */

export type AuthVerdict = 'PASS' | 'FAIL' | 'SOFTFAIL' | 'NEUTRAL' | 'TEMPERROR' | 'PERMERROR' | 'POLICY' | 'NONE';

export interface InboundAttachment {
  fileName: string;
  contentType: string;
  contentId: string | null;
  sizeBytes: number;
  /** In GridFS. */
  fileId: ObjectId;
}

export interface InboundMessage {
  _id: ObjectId;
  projectId: ObjectId;
  /** A hash of the sent mail: the same mail delivered twice is one message. */
  dedupe: string;
  /** Message-ID without < and >; "" when there was none. */
  messageId: string;
  domainName: string;
  from: Mailbox;
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
  replyTo: Mailbox[];
  subject: string;
  text: string | null;
  html: string | null;
  attachments: InboundAttachment[];
  headers: Array<{ name: string; value: string }>;
  spfVerdict: AuthVerdict;
  dkimVerdict: AuthVerdict;
  dmarcVerdict: AuthVerdict;
  status: 'PROCESSED' | 'PROCESSING' | 'FAILED' | 'BLOCKED_UNVERIFIED' | 'BLOCKED_UNROUTED';
  threadId: string;
  inReplyTo: string | null;
  references: string[];
  inReplyToEmailActivityId: ObjectId | null;
  inReplyToInboundEmailId: ObjectId | null;
  receivedAt: Date;
  /** When it is removed or erased: see core/inbound/removals.ts. */
  removeDueAt?: Date;
  /** The contact that wrote it was deleted. */
  isOfDeleted?: true;
  /** A keyed hash of the sender's address, when the address itself is erased. */
  fromHash?: string;
}

/** Bytes of the mail to people that came in on one day, UTC: for one project, or from one network for all of them. */
export interface InboundUsage {
  /** The day, and the project or the network. */
  _id: string;
  /** null: of a network. */
  projectId: ObjectId | null;
  /** null: of a project. */
  network: string | null;
  day: Date;
  bytes: number;
  /** How often mail was put off, since the quota had no room for it. Absent: never. */
  putOff?: number;
  expiresAt: Date;
}

declare module '../base/collections.ts' {
  interface Collections {
    inboundMessages: Collection<InboundMessage>;
    inboundUsage: Collection<InboundUsage>;
  }
}
