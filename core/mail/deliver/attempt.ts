import type { ComposedMail } from '../compose/compose.ts';
import { sendClaimed } from '../ledger/claim.ts';
import type { Claimed, Outcome } from '../ledger/ledger.ts';
import type { MessageRecipient } from '../ledger/model.ts';
import { type Ended, endedBy } from '../ledger/outcomes.ts';
import type { Connection, Delivery } from '../ledger/relay.ts';
import { afterOutcome, judgeDelivery, judgeRecipients } from '../ledger/rules/judge-delivery.ts';
import { isOpenRecipient } from '../ledger/states.ts';
import type { ClaimedMail } from './claimed-mail.ts';
import { throughSandbox } from './sandbox/connection.ts';
import { namesSandbox, withoutUnanswered } from './sandbox/refuse.ts';
import type { Sending } from './sending.ts';

interface Attempt {
  ended: Ended;
  /** null: the mail was not handed to the relay. */
  delivery: Delivery | null;
}

type Composed = ComposedMail | Outcome;

/**
 * Composes a claimed mail, hands it to the relay, and judges what came of it. Rejects with what `compose` throws, or when the settings of
 * sandbox addresses cannot be read.
 */
export async function attemptDelivery<Mail extends ClaimedMail>(
  sending: Sending,
  mail: Mail,
  connection: Connection,
  compose: (mail: Mail) => Composed | Promise<Composed>,
): Promise<Attempt> {
  if (!namesSandbox(mail)) return attempt(sending, mail, connection, compose);
  const { deps } = sending;
  const left = await withoutUnanswered(deps, mail);
  if ('verdict' in left) return { ended: endedBy(mail.held, left.verdict), delivery: null };
  return attempt(sending, left.mail, throughSandbox(deps, connection, left.mail), compose);
}

async function attempt<Mail extends ClaimedMail>(
  sending: Sending,
  mail: Mail,
  connection: Connection,
  compose: (mail: Mail) => Composed | Promise<Composed>,
): Promise<Attempt> {
  const { held, recipients } = mail;
  if (held.stopped) return { ended: endedBy(held, held.stopped), delivery: null };
  const made = compose(mail);
  const composed = made instanceof Promise ? await made : made;
  if ('kind' in composed) return { ended: notComposed(held, composed, recipients), delivery: null };
  const { envelope, bytes } = composed;
  const delivery = await sendClaimed(connection, sending.ledger, { held, envelope, bytes });
  if (delivery.kind === 'fenced')
    return { ended: endedBy(held, held.stopped ?? { kind: 'back', delayMs: 0 }), delivery };
  const { deps } = sending;
  const judging = {
    lane: mail.lane,
    delivery,
    addresses: envelope.to,
    deferrals: mail.deferrals,
    elapsedMs: deps.clock.now().getTime() - mail.at.getTime(),
    jitter: Math.random(),
    evidenceAfterMs: deps.evidence.isKnown ? deps.config.smtpEvidenceDelaySeconds * 1_000 : null,
  };
  const judged = recipients ? judgeRecipients(judging, recipients) : judgeDelivery(judging);
  return { ended: { held, ...judged }, delivery };
}

function notComposed(held: Claimed, outcome: Outcome, recipients: MessageRecipient[] | null): Ended {
  return {
    held,
    outcome,
    recipients: recipients?.map((one) => (isOpenRecipient(one) ? afterOutcome(one, outcome) : one)),
  };
}
