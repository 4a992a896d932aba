import type { Config } from '../../../schemas/config.ts';
import type { MailDeps } from '../deps.ts';

/** The port through which the core hands mail to a relay. platform/smtp/ implements it over SMTP. */

export type Lane = 'transactional' | 'automation' | 'campaign';

export interface Envelope {
  /** The return path; '' is the null sender. */
  from: string;
  to: readonly string[];
  /** The message has bytes above 127 outside any encoding. Mail composed by core/mail/compose never has. */
  eightBit?: boolean;
}

/** One reply of the relay. `text` comes without codes and control characters; code 0 means that no reply came. */
export interface Reply {
  code: number;
  enhanced: string | null;
  text: string;
}

export interface RecipientReply extends Reply {
  accepted: boolean;
}

/** Where the dialogue about a message ended. */
export type Phase = 'connect' | 'greeting' | 'mail' | 'rcpt' | 'data' | 'body' | 'dot';

export type FaultReason =
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'closed'
  | 'tls'
  | 'auth'
  | 'rejected'
  | 'throttled'
  | 'protocol'
  | 'paused';

/** A fault of the relay, as opposed to one of a message or a recipient. */
export interface RelayFault {
  phase: Phase;
  reason: FaultReason;
  reply: Reply;
}

/**
 * How sending one message ended.
 * - answered: each recipient has its reply; `accepted` or the code says which.
 * - relay: the relay's own state. Certainly not delivered; no result for a recipient whose code is 0 or 421; not counted as an attempt.
 * - lost: the connection ended before the final dot was written. Certainly not delivered to a recipient whose code is 0.
 * - fenced: beforeDot refused, the connection was dropped without the dot. Certainly not delivered.
 * - unknown: the dot was written and no reply came. Recipients with a code other than 0 were refused before.
 */
export interface Delivery {
  kind: 'answered' | 'relay' | 'lost' | 'fenced' | 'unknown';
  phase: Phase;
  /** True when the phase ended with a reply of the relay; false: silence, a dropped connection, or our own decision. */
  answered: boolean;
  /** In the order of Envelope.to. */
  recipients: RecipientReply[];
  /** The relay's replies in order: MAIL, each RCPT, DATA, the end of the message. Fewer when the dialogue ended earlier. */
  replies: readonly Reply[];
  /** Null unless kind is relay, lost or unknown. */
  fault: RelayFault | null;
  /** The relay that the message was handed to; set where there are several. */
  relay?: string;
}

/** Returns whether the final dot may be written. `isInPart` says that the relay has refused a recipient of the envelope. */
export type BeforeDot = (isInPart?: boolean) => boolean;

export interface Connection {
  /** The relay has 8BITMIME. */
  readonly takesEightBit: boolean;
  /**
   * Never rejects because of an SMTP reply or fault. May be called again before it resolved: the next envelope is then pipelined
   * right after the final dot. `beforeDot` is called synchronously just before the final dot is written. A Buffer is written as
   * it is: CRLF at the end of every line, dots doubled.
   */
  send(envelope: Envelope, message: string | Buffer, beforeDot: BeforeDot): Promise<Delivery>;
  /**
   * false: release this connection before the next message, and acquire one again, since another relay or another process should have it,
   * or the relay takes no more mail in this moment.
   */
  isPreferred(): boolean;
  /** Returns the connection to the pool; the last send must have resolved. */
  release(): void;
}

export type Acquired =
  | { connection: Connection; fault: null }
  | { connection: null; fault: RelayFault; retryMs: number };

export interface RelayState {
  /** The route: SMTP_URL or SMTP_TRANSACTIONAL_URL names it. */
  relay: 'default' | 'transactional';
  /** Host and port, without the password; unique within its route. */
  host: string;
  priority: number;
  weight: number;
  state: 'closed' | 'open' | 'half-open';
  /** When the relay stopped working, null while it works. */
  notAnsweringSince: Date | null;
  fault: RelayFault | null;
  /** How long until the next try. */
  retryMs: number;
  connectionsMax: number;
  connectionsOpen: number;
  connectionsInUse: number;
  delivered: number;
  faults: number;
}

/** None of the relays of a lane takes mail. */
export interface Outage {
  /** When the last of them stopped working. */
  since: Date;
  fault: RelayFault | null;
  /** How long until the next try. */
  retryMs: number;
}

export interface Mailer {
  /**
   * Waits for a free connection of the lane's share and opens it; returns a fault at once while every relay of the lane is paused.
   */
  acquire(lane: Lane): Promise<Acquired>;
  /** The connections that this process may have to the relays of the lane, used ones included. It changes from second to second. */
  limit(lane: Lane): number;
  /** The number of connections that the lane could get now: never claim more messages than that. */
  free(lane: Lane): number;
  /** null while one of the lane's relays works. */
  outage(lane: Lane): Outage | null;
  states(): RelayState[];
  /** Hands out no more connections, and waits this long for those in use. */
  close(graceMs: number): Promise<void>;
}

export interface DkimKey {
  /** The d= of the signature. */
  domain: string;
  selector: string;
  /** PEM: RSA gives rsa-sha256, Ed25519 gives ed25519-sha256 (RFC 8463). */
  privateKey: string;
}

/** Returns the DKIM-Signature headers, one for each key, to be put before the message. The same input gives the same result. */
export interface Signer {
  /** Signs in this thread: some 1 ms with RSA, for single mails. */
  signNow(message: string, keys: readonly DkimKey[], at: Date): string;
  /** Signs in worker threads, in batches, for campaigns. */
  sign(message: string, keys: readonly DkimKey[], at: Date): Promise<string>;
  /**
   * For a large or tracked message, in a thread of its own: encodes files as base64, and returns the bytes that SMTP writes, signatures
   * included. Rejects with TooMuch.
   */
  writeLarge(pieces: readonly (LargePiece | TrackedMail)[], keys: readonly DkimKey[], at: Date): Promise<Buffer>;
  close(): Promise<void>;
}

/** Text, a file to encode, or bytes that are a part of the message already. */
export type LargePiece = string | Uint8Array | { asIs: Uint8Array };

/** A mail that came from elsewhere, with what is tracked in its HTML and what of it the relay cannot carry. */
export interface TrackedMail {
  tracked: Uint8Array;
  /** In hexadecimal. */
  projectId: string;
  messageId: string;
  opens: boolean;
  clicks: boolean;
  links: Pick<Config, 'publicUrl' | 'secretKeys'>;
  /** Parts with long lines, or with bytes above 127, are encoded otherwise. */
  unsafe: { longLines: boolean; eightBit: boolean };
}

/** The dependencies of a room in a process that delivers mail. */
export type SendingDeps<Own = MailDeps> = Own & { mailer: Mailer; signer: Signer };
