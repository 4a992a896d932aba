import type { BeforeDot, Delivery, Envelope, Reply } from '../../core/mail/ledger/relay.ts';
import type { Capabilities } from './handshake.ts';

/** The connection ended before the relay replied to this message: send it again on another one. */
export const STALE = Symbol('stale');
/** The same, and nothing of it was written either. */
export const UNSENT = Symbol('unsent');

export type Sent = Delivery | typeof STALE | typeof UNSENT;

/** The reply that is expected next, and the public name of the phase. */
export const PHASES = {
  queued: 'mail',
  rset: 'mail',
  mail: 'mail',
  rcpt: 'rcpt',
  data: 'data',
  body: 'body',
  dot: 'dot',
  emptyDot: 'rcpt',
} as const;

export type Stage = keyof typeof PHASES;

/** A message on its way over one connection. */
export interface Job {
  envelope: Envelope;
  message: string | Buffer;
  beforeDot: BeforeDot;
  resolve: (outcome: Sent) => void;
  stage: Stage;
  replies: Reply[];
}

export const RSET = 'RSET\r\n';
export const DATA = 'DATA\r\n';

export function mailCommand({ envelope, message }: Job, { sizeMax }: Capabilities): string {
  const size = sizeMax === null ? '' : ` SIZE=${message.length}`;
  return `MAIL FROM:<${envelope.from}>${size}${envelope.eightBit ? ' BODY=8BITMIME' : ''}\r\n`;
}

export function rcptCommand({ envelope }: Job, index: number): string {
  return `RCPT TO:<${envelope.to[index]}>\r\n`;
}
