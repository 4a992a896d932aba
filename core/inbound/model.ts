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
  /** Of what was sent: the same mail handed over twice is one message. */
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
  /** When it is removed, or what it says is erased: see core/inbound/removals.ts. */
  removeDueAt?: Date;
  /** The contact that wrote it was deleted. */
  isOfDeleted?: true;
  /** A keyed hash of the address that wrote it, where that is all that is left. */
  fromHash?: string;
}

declare module '../base/collections.ts' {
  interface Collections {
    inboundMessages: Collection<InboundMessage>;
  }
}
