import type { Reply } from '../../core/mail/ledger/relay.ts';
import { formatReply } from '../../core/mail/ledger/rules/relay-replies.ts';
import { openingOf } from './envelope.ts';
import { isOk } from './handshake.ts';
import type { Job } from './job.ts';
import {
  answered,
  anyAccepted,
  anyRefused,
  dataRefused,
  fenced,
  lost,
  mailRefused,
  recipientsRefused,
} from './outcomes.ts';
import { endUnasked, type Session } from './session.ts';

/**
 * Up to this size message and dot leave in one write, which the kernel takes whole; above it the dot waits until the kernel has taken the
 * rest.
 */
const ONE_WRITE_BYTES_MAX = 16_000;
const BLOCK_BYTES = 65_536;

export function afterData(session: Session, job: Job, reply: Reply): void {
  const mail = job.replies[0]!;
  if (reply.code === 354) {
    if (session.wire.saidMore) endUnasked(session);
    else if (anyAccepted(job)) writeMessage(session, job);
    else writeEmptyDot(session, job);
    return;
  }
  if (reply.code < 400) {
    session.wire.end('protocol', `The relay answered DATA with ${formatReply(reply)}`);
    return;
  }
  session.transactionOpen = isOk(mail);
  if (!isOk(mail)) session.finish(job, mailRefused(job, mail));
  else if (!anyAccepted(job)) session.finish(job, recipientsRefused(job));
  else session.finish(job, dataRefused(job, 'data', reply));
}

/** RFC 2920 3.1: a relay that accepts DATA although it accepted no recipient gets a lone dot, which reaches no recipient. */
function writeEmptyDot({ wire, timeouts }: Session, job: Job): void {
  job.stage = 'emptyDot';
  wire.waitAtMost(timeouts.commandMs);
  wire.write('.\r\n');
}

function writeMessage(session: Session, job: Job): void {
  if (job.message.length <= ONE_WRITE_BYTES_MAX) {
    writeDot(session, job, job.message.toString('latin1'));
  } else {
    job.stage = 'body';
    writeBlocks(session, job, 0);
  }
}

/**
 * A dot in a buffer of our own could leave long after the guard was called, so it waits until the kernel has taken everything before it.
 */
function writeBlocks(session: Session, job: Job, from: number): void {
  const { wire, jobs, timeouts } = session;
  if (job.stage !== 'body' || jobs[0] !== job) return;
  if (from >= job.message.length) {
    writeDot(session, job, '');
    return;
  }
  wire.waitAtMost(timeouts.bodyMs);
  const to = from + BLOCK_BYTES;
  wire.write(blockOf(job.message, from, to), () => writeBlocks(session, job, to));
}

function blockOf(message: string | Buffer, from: number, to: number): string | Buffer {
  return typeof message === 'string' ? message.slice(from, to) : message.subarray(from, to);
}

/** The dot, and the next envelope right after it. */
function writeDot(session: Session, job: Job, before: string): void {
  const { wire, jobs, capabilities, timeouts } = session;
  if (!allows(job)) {
    session.finish(job, fenced(job), 'drop');
    return;
  }
  job.stage = 'dot';
  wire.waitAtMost(timeouts.dotMs);
  const next = capabilities.pipelining ? jobs[1] : undefined;
  wire.write(next ? `${before}.\r\n${openingOf(session, next)}` : `${before}.\r\n`);
}

/** A guard that throws counts as a refusal. */
function allows(job: Job): boolean {
  try {
    return job.beforeDot(anyRefused(job));
  } catch {
    return false;
  }
}

/** The relay answered before the message was complete: without the dot it is certainly not accepted, and the rest need not be sent. */
export function interrupted(session: Session, job: Job, reply: Reply): void {
  const outcome = reply.code < 400 ? lost(job, 'body', 'protocol', reply) : dataRefused(job, 'body', reply);
  session.finish(job, outcome, 'drop');
}

export function afterDot(session: Session, job: Job, reply: Reply): void {
  if (isOk(reply)) session.finish(job, answered(job, 'dot', reply));
  else if (reply.code < 400) session.wire.end('protocol', `The relay answered the dot with ${formatReply(reply)}`);
  else session.finish(job, dataRefused(job, 'dot', reply));
}
