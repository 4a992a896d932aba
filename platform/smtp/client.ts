import type { Delivery, Envelope, Reply } from '../../core/outbox/relay.ts';
import { formatReply } from '../../core/outbox/rules/relay-replies.ts';
import { type Capabilities, isOk, NO_REPLY, type Timeouts } from './handshake.ts';
import { DATA, type Job, mailCommand, PHASES, RSET, rcptCommand, type Sent, STALE, type Stage, UNSENT } from './job.ts';
import { wireBytes } from './message-bytes.ts';
import {
  answered,
  anyAccepted,
  dataRefused,
  fenced,
  lost,
  mailRefused,
  recipientsRefused,
  refusedHere,
  relayFault,
  unknown,
} from './outcomes.ts';
import type { Wire, WireFault } from './wire.ts';

/**
 * Up to this size message and dot leave in one write, which the kernel takes whole; above it the dot waits until the kernel has taken the
 * rest.
 */
const ONE_WRITE_BYTES_MAX = 16_000;
const BLOCK_BYTES = 65_536;

/** One greeted connection. Messages are sent one after the other; the next envelope is sent right after the dot of the one before. */
export class SmtpClient {
  delivered = 0;
  /** Messages that the relay has answered, or whose outcome is known without its answer. */
  finished = 0;
  onGone: () => void = () => {};
  #wire: Wire;
  #capabilities: Capabilities;
  #timeouts: Timeouts;
  #jobs: Job[] = [];
  #started = 0;
  #transactionOpen = false;

  constructor(wire: Wire, capabilities: Capabilities, timeouts: Timeouts) {
    this.#wire = wire;
    this.#capabilities = capabilities;
    this.#timeouts = timeouts;
    wire.deadline = Number.POSITIVE_INFINITY;
    wire.onReply = (reply) => this.#onReply(reply);
    wire.onGone = (fault) => this.#onGone(fault);
  }

  get usable(): boolean {
    return this.#wire.gone === null;
  }

  get busy(): boolean {
    return this.#jobs.length > 0;
  }

  send(envelope: Envelope, message: string | Buffer, beforeDot: () => boolean): Promise<Sent> {
    const bytes = typeof message === 'string' ? wireBytes(message) : message;
    const refusal = refusedHere(envelope, bytes.length, this.#capabilities);
    if (refusal) return Promise.resolve(refusal);
    if (!this.usable) return Promise.resolve(UNSENT);
    return new Promise((resolve) => {
      this.#jobs.push({ envelope, message: bytes, beforeDot, resolve, stage: 'queued', replies: [] });
      this.#startNext();
    });
  }

  quit(): void {
    this.#wire.quit();
  }

  drop(): void {
    this.#wire.drop('We dropped the connection.');
  }

  /** Writes the envelope of the first waiting job, once the job before it has its dot. */
  #startNext(): void {
    const [head, next] = this.#jobs;
    if (head?.stage === 'queued') this.#wire.write(this.#openingOf(head));
    else if (head?.stage === 'dot' && next?.stage === 'queued' && this.#capabilities.pipelining)
      this.#wire.write(this.#openingOf(next));
  }

  /** The commands that may leave now, and the stage whose answer comes first. */
  #openingOf(job: Job): string {
    const head = this.#jobs[0] === job;
    if (head) this.#wire.waitAtMost(this.#timeouts.commandMs);
    this.#started++;
    const reset = this.#transactionOpen;
    this.#transactionOpen = false;
    job.stage = reset ? 'rset' : 'mail';
    if (!this.#capabilities.pipelining) return reset ? RSET : this.#mailCommand(job);
    let commands = reset ? RSET + this.#mailCommand(job) : this.#mailCommand(job);
    for (let index = 0; index < job.envelope.to.length; index++) commands += rcptCommand(job, index);
    return commands + DATA;
  }

  #mailCommand(job: Job): string {
    return mailCommand(job, this.#capabilities);
  }

  #onReply(reply: Reply): void {
    const job = this.#jobs[0];
    if (!job || job.stage === 'queued') {
      this.#wire.end('closed', `The relay closed the connection: ${formatReply(reply)}`);
    } else if (reply.code === 421) {
      this.#closedByRelay(job, reply);
    } else if (job.stage === 'rset') {
      this.#afterReset(job, reply);
    } else if (job.stage === 'emptyDot') {
      this.#finish(job, noRecipientAccepted(job));
    } else {
      job.replies.push(reply);
      if ((job.stage === 'mail' || job.stage === 'rcpt') && isIntermediate(reply))
        this.#wire.end('protocol', `The relay answered with ${formatReply(reply)}`);
      else if (job.stage === 'mail') this.#afterMail(job, reply);
      else if (job.stage === 'rcpt') this.#afterRecipient(job);
      else if (job.stage === 'data') this.#afterData(job, reply);
      else if (job.stage === 'body') this.#interrupted(job, reply);
      else this.#afterDot(job, reply);
    }
  }

  /** 421 ends the connection. Between messages that is housekeeping (a limit of messages per connection), otherwise the relay's state. */
  #closedByRelay(job: Job, reply: Reply): void {
    const phase = PHASES[job.stage];
    if (phase === 'mail' && this.#started > 1) {
      this.#wire.end('closed', 'The relay ended the connection between messages.');
      return;
    }
    job.replies.push(reply);
    this.#finish(job, relayFault(job, phase, 'throttled', reply), 'drop');
  }

  #afterReset(job: Job, reply: Reply): void {
    if (reply.code !== 250) this.#wire.end('closed', `The relay refused RSET: ${formatReply(reply)}`);
    else this.#proceed(job, 'mail', this.#mailCommand(job));
  }

  #afterMail(job: Job, reply: Reply): void {
    if (this.#capabilities.pipelining || isOk(reply)) this.#proceed(job, 'rcpt', rcptCommand(job, 0));
    else this.#finish(job, mailRefused(job, reply));
  }

  #afterRecipient(job: Job): void {
    const done = job.replies.length - 1;
    if (done < job.envelope.to.length) {
      this.#proceed(job, 'rcpt', rcptCommand(job, done));
    } else if (this.#capabilities.pipelining || anyAccepted(job)) {
      this.#proceed(job, 'data', DATA);
    } else {
      this.#transactionOpen = true;
      this.#finish(job, recipientsRefused(job));
    }
  }

  #afterData(job: Job, reply: Reply): void {
    const mail = job.replies[0]!;
    if (reply.code === 354) {
      if (this.#wire.saidMore) this.#answeredTooMuch();
      else if (anyAccepted(job)) this.#writeMessage(job);
      else this.#writeEmptyDot(job);
      return;
    }
    if (reply.code < 400) {
      this.#wire.end('protocol', `The relay answered DATA with ${formatReply(reply)}`);
      return;
    }
    this.#transactionOpen = isOk(mail);
    if (!isOk(mail)) this.#finish(job, mailRefused(job, mail));
    else if (!anyAccepted(job)) this.#finish(job, recipientsRefused(job));
    else this.#finish(job, dataRefused(job, 'data', reply));
  }

  /** RFC 2920 3.1: a relay that accepts DATA although it accepted no recipient gets a lone dot, which reaches no recipient. */
  #writeEmptyDot(job: Job): void {
    job.stage = 'emptyDot';
    this.#wire.waitAtMost(this.#timeouts.commandMs);
    this.#wire.write('.\r\n');
  }

  #writeMessage(job: Job): void {
    if (job.message.length <= ONE_WRITE_BYTES_MAX) {
      this.#writeDot(job, job.message.toString('latin1'));
    } else {
      job.stage = 'body';
      this.#writeBlocks(job, 0);
    }
  }

  /**
   * A dot in a buffer of our own could leave long after the guard was called, so it waits until the kernel has taken everything before it.
   */
  #writeBlocks(job: Job, from: number): void {
    if (job.stage !== 'body' || this.#jobs[0] !== job) return;
    if (from >= job.message.length) {
      this.#writeDot(job, '');
      return;
    }
    this.#wire.waitAtMost(this.#timeouts.bodyMs);
    const to = from + BLOCK_BYTES;
    this.#wire.write(blockOf(job.message, from, to), () => this.#writeBlocks(job, to));
  }

  /** The dot, and the next envelope right after it. */
  #writeDot(job: Job, before: string): void {
    if (!allows(job.beforeDot)) {
      this.#finish(job, fenced(job), 'drop');
      return;
    }
    job.stage = 'dot';
    this.#wire.waitAtMost(this.#timeouts.dotMs);
    const next = this.#capabilities.pipelining ? this.#jobs[1] : undefined;
    this.#wire.write(next ? `${before}.\r\n${this.#openingOf(next)}` : `${before}.\r\n`);
  }

  /** The relay answered before the message was complete: without the dot it is certainly not accepted, and the rest need not be sent. */
  #interrupted(job: Job, reply: Reply): void {
    const outcome = reply.code < 400 ? lost(job, 'body', 'protocol', reply) : dataRefused(job, 'body', reply);
    this.#finish(job, outcome, 'drop');
  }

  #afterDot(job: Job, reply: Reply): void {
    if (isOk(reply)) {
      this.delivered++;
      this.#finish(job, answered(job, 'dot', reply));
    } else if (reply.code < 400) {
      this.#wire.end('protocol', `The relay answered the dot with ${formatReply(reply)}`);
    } else {
      this.#finish(job, dataRefused(job, 'dot', reply));
    }
  }

  /** With PIPELINING the command is already sent; without, it is sent now. */
  #proceed(job: Job, stage: Stage, command: string): void {
    if (this.#capabilities.pipelining) {
      job.stage = stage;
      return;
    }
    if (this.#wire.saidMore) {
      this.#answeredTooMuch();
      return;
    }
    job.stage = stage;
    this.#wire.waitAtMost(this.#timeouts.commandMs);
    this.#wire.write(command);
  }

  /** Any further reply would be taken for the answer to a command that the relay has not had: in the end to the dot. */
  #answeredTooMuch(): void {
    this.#wire.end('protocol', 'The relay answered what it was not asked.');
  }

  #finish(job: Job, outcome: Delivery, then: 'keep' | 'drop' = 'keep'): void {
    this.#jobs.shift();
    this.finished++;
    if (then === 'drop') this.drop();
    else if (this.#jobs.length === 0) this.#wire.deadline = Number.POSITIVE_INFINITY;
    else if (this.#jobs[0]!.stage === 'queued') this.#startNext();
    else this.#wire.waitAtMost(this.#timeouts.commandMs);
    job.resolve(outcome);
  }

  #onGone(fault: WireFault): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    for (const [index, job] of jobs.entries()) {
      if (job.stage === 'queued') job.resolve(UNSENT);
      else job.resolve(index === 0 ? this.#endOf(job, fault) : STALE);
    }
    this.onGone();
  }

  #endOf(job: Job, { reason, text }: WireFault): Sent {
    const silence = { ...NO_REPLY, text };
    switch (job.stage) {
      case 'queued':
        return UNSENT;
      case 'rset':
      case 'mail':
        return reason === 'closed' ? STALE : relayFault(job, 'mail', reason, silence);
      case 'rcpt':
      case 'data':
      case 'body':
        return lost(job, job.stage, reason, silence);
      case 'dot':
        return unknown(job, reason, silence);
      case 'emptyDot':
        return noRecipientAccepted(job);
    }
  }
}

/** A relay that refuses MAIL may still accept every RCPT and DATA after it. */
function noRecipientAccepted(job: Job): Delivery {
  const mail = job.replies[0]!;
  return isOk(mail) ? recipientsRefused(job) : mailRefused(job, mail);
}

/** 3xx asks for more data, which MAIL and RCPT do not have. */
function isIntermediate({ code }: Reply): boolean {
  return code >= 300 && code < 400;
}

function blockOf(message: string | Buffer, from: number, to: number): string | Buffer {
  return typeof message === 'string' ? message.slice(from, to) : message.subarray(from, to);
}

/** A guard that throws counts as a refusal. */
function allows(beforeDot: () => boolean): boolean {
  try {
    return beforeDot();
  } catch {
    return false;
  }
}
