import type { BeforeDot, Delivery, Envelope, Reply } from '../../core/mail/ledger/relay.ts';
import { formatReply } from '../../core/mail/ledger/rules/relay-replies.ts';
import { afterData, afterDot, interrupted } from './data.ts';
import { afterMail, afterRecipient, afterReset, startNext } from './envelope.ts';
import { type Capabilities, NO_REPLY, type Timeouts } from './handshake.ts';
import { type Job, PHASES, type Sent, STALE, UNSENT } from './job.ts';
import { wireBytes } from './message-bytes.ts';
import { lost, noRecipientAccepted, refusedHere, relayFault, unknown } from './outcomes.ts';
import type { Session } from './session.ts';
import type { Wire, WireFault } from './wire.ts';

/** One greeted connection. Messages are sent one after the other; the next envelope is sent right after the dot of the one before. */
export class SmtpClient {
  /** Messages that the relay has answered, or whose outcome is known without its answer. */
  finished = 0;
  onGone: () => void = () => {};
  #session: Session;

  constructor(wire: Wire, capabilities: Capabilities, timeouts: Timeouts) {
    this.#session = {
      ...{ wire, capabilities, timeouts, jobs: [], started: 0, transactionOpen: false },
      finish: (job, outcome, then) => this.#finish(job, outcome, then),
    };
    wire.deadline = Number.POSITIVE_INFINITY;
    wire.onReply = (reply) => this.#onReply(reply);
    wire.onGone = (fault) => this.#onGone(fault);
  }

  get usable(): boolean {
    return this.#session.wire.gone === null;
  }

  get takesEightBit(): boolean {
    return this.#session.capabilities.eightBit;
  }

  get busy(): boolean {
    return this.#session.jobs.length > 0;
  }

  send(envelope: Envelope, message: string | Buffer, beforeDot: BeforeDot): Promise<Sent> {
    const bytes = typeof message === 'string' ? wireBytes(message) : message;
    const refusal = refusedHere(envelope, bytes.length, this.#session.capabilities);
    if (refusal) return Promise.resolve(refusal);
    if (!this.usable) return Promise.resolve(UNSENT);
    return new Promise((resolve) => {
      this.#session.jobs.push({ envelope, message: bytes, beforeDot, resolve, stage: 'queued', replies: [] });
      startNext(this.#session);
    });
  }

  quit(): void {
    this.#session.wire.quit();
  }

  drop(): void {
    this.#session.wire.drop('We dropped the connection.');
  }

  #onReply(reply: Reply): void {
    const { wire, jobs } = this.#session;
    const job = jobs[0];
    if (!job || job.stage === 'queued') wire.end('closed', `The relay closed the connection: ${formatReply(reply)}`);
    else if (reply.code === 421) this.#closedByRelay(job, reply);
    else if (job.stage === 'rset') afterReset(this.#session, job, reply);
    else if (job.stage === 'emptyDot') this.#finish(job, noRecipientAccepted(job));
    else this.#step(job, reply);
  }

  #step(job: Job, reply: Reply): void {
    const session = this.#session;
    job.replies.push(reply);
    if (job.stage === 'mail') afterMail(session, job, reply);
    else if (job.stage === 'rcpt') afterRecipient(session, job, reply);
    else if (job.stage === 'data') afterData(session, job, reply);
    else if (job.stage === 'body') interrupted(session, job, reply);
    else afterDot(session, job, reply);
  }

  /** 421 ends the connection. Between messages that is housekeeping (a limit of messages per connection), otherwise the relay's state. */
  #closedByRelay(job: Job, reply: Reply): void {
    const phase = PHASES[job.stage];
    if (phase === 'mail' && this.#session.started > 1) {
      this.#session.wire.end('closed', 'The relay ended the connection between messages.');
      return;
    }
    job.replies.push(reply);
    this.#finish(job, relayFault(job, phase, 'throttled', reply), 'drop');
  }

  #finish(job: Job, outcome: Delivery, then: 'keep' | 'drop' = 'keep'): void {
    const { wire, jobs, timeouts } = this.#session;
    jobs.shift();
    this.finished++;
    if (then === 'drop') this.drop();
    else if (jobs.length === 0) wire.deadline = Number.POSITIVE_INFINITY;
    else if (jobs[0]!.stage === 'queued') startNext(this.#session);
    else wire.waitAtMost(timeouts.commandMs);
    job.resolve(outcome);
  }

  #onGone(fault: WireFault): void {
    for (const [index, job] of this.#session.jobs.splice(0).entries()) {
      if (job.stage === 'queued') job.resolve(UNSENT);
      else job.resolve(index === 0 ? endOf(job, fault) : STALE);
    }
    this.onGone();
  }
}

/** The outcome of the message that the relay was working on. */
function endOf(job: Job, { reason, text }: WireFault): Sent {
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
