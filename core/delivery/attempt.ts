import type { ComposedMail } from '../composing/compose.ts';
import { sendClaimed } from '../outbox/claim.ts';
import type { Held, Outcome } from '../outbox/ledger.ts';
import type { MessageRecipient } from '../outbox/model.ts';
import { type Ended, endedBy } from '../outbox/outcomes.ts';
import type { Connection, Delivery, Lane } from '../outbox/relay.ts';
import { afterOutcome, judgeDelivery, judgeRecipients } from '../outbox/rules/judge-delivery.ts';
import { isOpenRecipient } from '../outbox/states.ts';
import type { Sending } from './sending.ts';

/** A claimed and checked mail. */
export interface ClaimedMail {
  readonly held: Held;
  readonly lane: Lane;
  /** The mail's Date, the same in every attempt. */
  readonly at: Date;
  /** Earlier attempts that ended without a final answer. */
  readonly deferrals: number;
  /** Set where there are cc or bcc. */
  readonly recipients: MessageRecipient[] | null;
}

interface Attempt {
  ended: Ended;
  /** null: the mail was not handed to the relay. */
  delivery: Delivery | null;
}

type Composed = ComposedMail | Outcome;

/** Composes a claimed mail, hands it to the relay, and judges what came of it. Rejects only with what `compose` throws. */
export async function attemptDelivery<Mail extends ClaimedMail>(
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
  const attempt = {
    lane: mail.lane,
    delivery,
    addresses: envelope.to,
    deferrals: mail.deferrals,
    elapsedMs: deps.clock.now().getTime() - mail.at.getTime(),
    jitter: Math.random(),
    evidenceAfterMs: deps.evidence.isKnown ? deps.config.smtpEvidenceDelaySeconds * 1_000 : null,
  };
  const judged = recipients ? judgeRecipients(attempt, recipients) : judgeDelivery(attempt);
  return { ended: { held, ...judged }, delivery };
}

function notComposed(held: Held, outcome: Outcome, recipients: MessageRecipient[] | null): Ended {
  return {
    held,
    outcome,
    recipients: recipients?.map((one) => (isOpenRecipient(one) ? afterOutcome(one, outcome) : one)),
  };
}
