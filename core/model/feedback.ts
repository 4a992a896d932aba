import type { ObjectId } from 'mongodb';
import type { Due } from './due.ts';
import type { Mailbox } from './messages.ts';
import type { Sealed } from './migrations.ts';

/** What comes back: opens, clicks, replies, and who is told of them. */

/** What people, and machines, did with one message; there is none until somebody did something. `_id` is the message's. */
export interface Engagement {
  _id: ObjectId;
  projectId: ObjectId;
  campaignId?: ObjectId;
  automationId?: ObjectId;
  openedAt?: Date;
  humanOpenedAt?: Date;
  clickedAt?: Date;
  unsubscribedAt?: Date;
  complainedAt?: Date;
  /** The evidence: the first opens as they came, so that the verdict can be made again when its rules change. */
  opens?: OpenSignal[];
  openCount?: number;
  clicks?: ClickSignal[];
  clickCount?: number;
}

export interface OpenSignal {
  at: Date;
  /** When the relay took the mail; null when that was not known yet. */
  deliveredAt: Date | null;
  /** The first characters of User-Agent. */
  agent: string;
  /** What a browser said about why it asked: Sec-Purpose or Purpose. */
  purpose: string;
  method: string;
}

export interface ClickSignal {
  at: Date;
  url: string;
  agent: string;
}

/** What happened in a project, for webhooks and /stream. `_id` follows from what happened, so a repeat is the same event. */
export interface ProjectEvent {
  _id: ObjectId;
  projectId: ObjectId;
  type: string;
  createdAt: Date;
  /** Orders the stream. */
  writtenAt: Date;
  /** The contact that it tells of was deleted. */
  eraseAt?: Date;
  data: Record<string, unknown>;
}

/** Somebody listened to /stream: events are kept until an hour after that. `_id` is the project's. */
export interface EventStreamRow {
  _id: ObjectId;
  projectId: ObjectId;
  openUntil: Date;
}

export interface Webhook {
  _id: ObjectId;
  projectId: ObjectId;
  url: string;
  events: string[];
  secret: Sealed;
  isActive: boolean;
  /** Why we switched it off; null when a person did, or it is on. */
  disabledReason: string | null;
  /** The first failure since the last success. */
  failingSince: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface WebhookTry {
  at: Date;
  status: number | null;
  error: string | null;
  tookMs: number;
}

/** One event for one endpoint; due until it was taken or given up. */
export interface WebhookDelivery extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  webhookId: ObjectId;
  eventId: ObjectId;
  type: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  firstTryAt: Date | null;
  /** The last ones. */
  tries: WebhookTry[];
  isReplay: boolean;
  createdAt: Date;
  endedAt: Date | null;
}

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
  /** When it is removed, or what it says is erased: see core/inbound-removals.ts. */
  removeDueAt?: Date;
  /** The contact that wrote it was deleted. */
  isOfDeleted?: true;
  /** A keyed hash of the address that wrote it, where that is all that is left. */
  fromHash?: string;
}
