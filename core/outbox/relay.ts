import type { Deps, Files } from '../base/deps.ts';

/** What the core needs of whatever hands mail to a relay. platform/smtp/ implements it over SMTP. */

export type Lane = 'transactional' | 'automation' | 'campaign';

export interface Envelope {
  /** The return path; '' is the null sender. */
  from: string;
  to: readonly string[];
  /** The message holds bytes above 127 outside any encoding. What core/mime composes never does. */
  eightBit?: boolean;
}

/** One answer of the relay. `text` comes without codes and control characters; code 0 means that none came. */
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

/** What is wrong with the relay, as opposed to with a message or a recipient. */
export interface RelayFault {
  phase: Phase;
  reason: FaultReason;
  reply: Reply;
}

/**
 * How handing over one message ended.
 * - answered: each recipient has its verdict; `accepted` or the code says which.
 * - relay: the relay's own state. Certainly not delivered, says nothing about a recipient whose code is 0 or 421, counts as no attempt.
 * - lost: the connection ended before the final dot was written. Certainly not delivered to anybody whose code is 0.
 * - fenced: beforeDot refused, the connection was dropped without the dot. Certainly not delivered.
 * - unknown: the dot was written and no answer came. Recipients with a code other than 0 were refused before.
 */
export interface Delivery {
  kind: 'answered' | 'relay' | 'lost' | 'fenced' | 'unknown';
  phase: Phase;
  /** The relay had the last word in that phase; false: silence, a drop, or our own decision. */
  answered: boolean;
  /** In the order of Envelope.to. */
  recipients: RecipientReply[];
  /** The relay's answers in order: MAIL, each RCPT, DATA, the end of the message. Fewer when it ended earlier. */
  replies: readonly Reply[];
  /** Null unless kind is relay, lost or unknown. */
  fault: RelayFault | null;
}

export interface Connection {
  /**
   * Never rejects for what SMTP does. May be called again before it resolved: the next envelope then travels right behind the dot.
   * `beforeDot` is asked synchronously just before the final dot is written. A Buffer is written as it is: CRLF behind every line, dots doubled.
   */
  send(envelope: Envelope, message: string | Buffer, beforeDot: () => boolean): Promise<Delivery>;
  /** Gives the connection back; the last send must have resolved. */
  release(): void;
}

export type Acquired =
  | { connection: Connection; fault: null }
  | { connection: null; fault: RelayFault; retryMs: number };

export interface RelayState {
  relay: 'default' | 'transactional';
  state: 'closed' | 'open' | 'half-open';
  /** When the relay stopped working, null while it works. */
  notAnsweringSince: Date | null;
  fault: RelayFault | null;
  /** How long until it is tried again. */
  retryMs: number;
  connectionsMax: number;
  connectionsOpen: number;
  connectionsInUse: number;
  delivered: number;
  faults: number;
}

export interface Mailer {
  /** Waits for a free connection of the lane's share and has it ready; answers a fault at once while the relay is paused. */
  acquire(lane: Lane): Promise<Acquired>;
  /** How many connections the lane could take now: never claim more messages than that. */
  free(lane: Lane): number;
  states(): RelayState[];
  /** Hands out nothing more and waits that long for what is in use. */
  close(graceMs: number): Promise<void>;
}

export interface DkimKey {
  /** The d= of the signature. */
  domain: string;
  selector: string;
  /** PEM: RSA gives rsa-sha256, Ed25519 gives ed25519-sha256 (RFC 8463). */
  privateKey: string;
}

/** Answers the DKIM-Signature headers, one for each key, to stand before the message. The same input gives the same answer. */
export interface Signer {
  /** In this thread: some 1 ms with RSA, for single mails. */
  signNow(message: string, keys: readonly DkimKey[], at: Date): string;
  /** In worker threads, gathered in batches, for campaigns. */
  sign(message: string, keys: readonly DkimKey[], at: Date): Promise<string>;
  /** Of a large message, in a thread of its own: files are encoded as base64, and the answer is what SMTP writes, signatures included. */
  writeLarge(pieces: readonly (string | Uint8Array)[], keys: readonly DkimKey[], at: Date): Promise<Buffer>;
  close(): Promise<void>;
}

/** What a process that delivers mail needs beyond Deps. */
export interface SendingDeps extends Deps {
  mailer: Mailer;
  signer: Signer;
  files: Files;
}
