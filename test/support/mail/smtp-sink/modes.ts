import type { SecureContext } from 'node:tls';

/** Settings of the whole sink; may be changed while it runs. */
export interface SinkModes {
  /** The line to greet with, without its end; "" never greets. Anything but 220 ends the connection. */
  greeting: string;
  pipelining: boolean;
  /** Offers 8BITMIME. */
  eightBit: boolean;
  sizeMax: number | null;
  /** Offers AUTH and insists on it. `reply` is the answer to the credentials. */
  auth: { methods: string; user: string; password: string; reply?: string } | null;
  /** Offers STARTTLS. */
  tls: SecureContext | null;
  /** Closes after the answer to EHLO, with these last words. */
  closeAfterHello: string | null;
  /** Something to say in the clear behind the answer to STARTTLS, as an attacker in between would. */
  tlsInjection: string;
  /** Closes without a word at the MAIL after so many messages on a connection. */
  closeAfter: number | null;
  /** Says 421 at the MAIL after so many messages on a connection. */
  sendAwayAfter: number | null;
  /** So many connections at a time; more are greeted with 421. */
  connectionsMax: number | null;
  /** The answer to every MAIL. */
  mailReply: string | null;
  /** The answer to every DATA. */
  dataReply: string | null;
  /** Answers 354 although no recipient was taken, and takes what follows a refused MAIL. */
  dataWithoutRecipients: boolean;
  /** Time between taking a message and saying so. */
  ackDelayMs: number;
  /** The answers to messages for `answer-later` wait for it. */
  later: Promise<unknown>;
  /** Looks at every line of every message. */
  strict: boolean;
}

export function defaultModes(): SinkModes {
  return {
    greeting: '220 sink ESMTP',
    pipelining: true,
    eightBit: true,
    sizeMax: 52_428_800,
    auth: null,
    tls: null,
    closeAfterHello: null,
    tlsInjection: '',
    closeAfter: null,
    sendAwayAfter: null,
    connectionsMax: null,
    mailReply: null,
    dataReply: null,
    dataWithoutRecipients: false,
    ackDelayMs: 0,
    later: Promise.resolve(),
    strict: true,
  };
}
