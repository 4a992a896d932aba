import type { Reply } from '../../core/mail/ledger/relay.ts';
import { formatReply } from '../../core/mail/ledger/rules/relay-replies.ts';
import { isOk } from './handshake.ts';
import { DATA, type Job, mailCommand, RSET, rcptCommand } from './job.ts';
import { anyAccepted, mailRefused, recipientsRefused } from './outcomes.ts';
import { proceed, type Session } from './session.ts';

/** Writes the envelope of the first waiting job, once the job before it has its dot. */
export function startNext(session: Session): void {
  const { wire, jobs, capabilities } = session;
  const [head, next] = jobs;
  if (head?.stage === 'queued') wire.write(openingOf(session, head));
  else if (head?.stage === 'dot' && next?.stage === 'queued' && capabilities.pipelining)
    wire.write(openingOf(session, next));
}

/** The commands that may leave now; the job waits for the answer to the first of them. */
export function openingOf(session: Session, job: Job): string {
  const { wire, jobs, capabilities, timeouts } = session;
  if (jobs[0] === job) wire.waitAtMost(timeouts.commandMs);
  session.started++;
  const reset = session.transactionOpen;
  session.transactionOpen = false;
  job.stage = reset ? 'rset' : 'mail';
  const mail = mailCommand(job, capabilities);
  if (!capabilities.pipelining) return reset ? RSET : mail;
  let commands = reset ? RSET + mail : mail;
  for (let index = 0; index < job.envelope.to.length; index++) commands += rcptCommand(job, index);
  return commands + DATA;
}

export function afterReset(session: Session, job: Job, reply: Reply): void {
  if (reply.code !== 250) session.wire.end('closed', `The relay refused RSET: ${formatReply(reply)}`);
  else proceed(session, job, 'mail', mailCommand(job, session.capabilities));
}

export function afterMail(session: Session, job: Job, reply: Reply): void {
  if (isIntermediate(reply)) endIntermediate(session, reply);
  else if (session.capabilities.pipelining || isOk(reply)) proceed(session, job, 'rcpt', rcptCommand(job, 0));
  else session.finish(job, mailRefused(job, reply));
}

export function afterRecipient(session: Session, job: Job, reply: Reply): void {
  const done = job.replies.length - 1;
  if (isIntermediate(reply)) {
    endIntermediate(session, reply);
  } else if (done < job.envelope.to.length) {
    proceed(session, job, 'rcpt', rcptCommand(job, done));
  } else if (session.capabilities.pipelining || anyAccepted(job)) {
    proceed(session, job, 'data', DATA);
  } else {
    session.transactionOpen = true;
    session.finish(job, recipientsRefused(job));
  }
}

/** 3xx asks for more data, which MAIL and RCPT do not have. */
function isIntermediate({ code }: Reply): boolean {
  return code >= 300 && code < 400;
}

function endIntermediate({ wire }: Session, reply: Reply): void {
  wire.end('protocol', `The relay answered with ${formatReply(reply)}`);
}
