import { untilDone } from '../../../base/database/retry.ts';
import { isSandboxAddress, sandboxBehaviour } from '../../../base/sandbox.ts';
import type { MailDeps } from '../../deps.ts';
import type { BeforeDot, Connection, Delivery, Envelope, RecipientReply } from '../../ledger/relay.ts';
import type { ClaimedMail } from '../claimed-mail.ts';
import { storeReports } from './reports.ts';

const REPEAT = { firstMs: 50, maxMs: 2_000 };
const TAKEN: RecipientReply = { accepted: true, code: 250, enhanced: '2.0.0', text: 'Taken by the sandbox' };
/** The time in the text is when the next attempt is made. */
const LATER: RecipientReply = {
  accepted: false,
  code: 450,
  enhanced: '4.2.0',
  text: 'Greylisted by the sandbox, try again in 5 seconds',
};
const NONE: RecipientReply = { accepted: false, code: 0, enhanced: null, text: '' };

type SandboxDeps = Pick<MailDeps, 'db' | 'clock' | 'signals' | 'log' | 'config'>;

/**
 * The way of a mail with sandbox addresses: they get their answer here and the relay gets the others, so that a mail to sandbox
 * addresses alone never reaches it. A relay that is a mailbox gets what the sandbox takes as well, for people to look at.
 */
export function throughSandbox(deps: SandboxDeps, connection: Connection, mail: ClaimedMail): Connection {
  const isForRelay = (email: string) =>
    !isSandboxAddress(email) || (deps.config.smtpMailbox && answerOf(email, mail).accepted);
  return {
    takesEightBit: connection.takesEightBit,
    isPreferred: () => connection.isPreferred(),
    release: () => connection.release(),
    async send(envelope, message, beforeDot) {
      const outside = envelope.to.filter(isForRelay);
      const isRefusedHere = envelope.to.some((email) => !isForRelay(email) && !answerOf(email, mail).accepted);
      const guard: BeforeDot = (isInPart = false) => beforeDot(isInPart || isRefusedHere);
      const relayed = outside.length === 0 ? null : await connection.send({ ...envelope, to: outside }, message, guard);
      if (relayed ? relayed.kind === 'fenced' : !mayGo(guard)) return fenced(envelope);
      const recipients = envelope.to.map((email) => {
        const place = outside.indexOf(email);
        return place === -1 ? answerOf(email, mail) : relayed!.recipients[place]!;
      });
      const emails = envelope.to.filter((_, index) => recipients[index]!.accepted);
      const { projectId, _id: messageId } = mail.held;
      // The outcome waits for the reports, as it would wait for the reply of a relay.
      await untilDone(
        () => storeReports(deps, { projectId, messageId, returnPath: envelope.from, emails, message }),
        (err) => deps.log.warn({ err }, 'storing a sandbox report failed; retrying'),
        REPEAT,
      );
      return relayed ? { ...relayed, recipients } : answered(recipients);
    },
  };
}

function answerOf(email: string, { deferrals }: ClaimedMail): RecipientReply {
  return sandboxBehaviour(email) === 'deferred' && deferrals === 0 ? LATER : TAKEN;
}

function answered(recipients: RecipientReply[]): Delivery {
  return { kind: 'answered', phase: 'dot', answered: true, recipients, replies: [], fault: null };
}

function fenced({ to }: Envelope): Delivery {
  return { kind: 'fenced', phase: 'body', answered: false, recipients: to.map(() => NONE), replies: [], fault: null };
}

/** A guard that throws counts as a refusal, as it does at a relay. */
function mayGo(beforeDot: BeforeDot): boolean {
  try {
    return beforeDot();
  } catch {
    return false;
  }
}
