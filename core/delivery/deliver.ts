import { type ComposedMail, composeMail } from '../composing/compose.ts';
import type { MimeAttachment } from '../composing/mime/compose.ts';
import { sendClaimed } from '../outbox/claim.ts';
import { claimedBy, type Outcome } from '../outbox/ledger.ts';
import { endedBy } from '../outbox/outcomes.ts';
import type { Connection, Delivery, Lane, SendingDeps } from '../outbox/relay.ts';
import { afterOutcome, isOpen, judgeDelivery, judgeRecipients } from '../outbox/rules/judge-delivery.ts';
import { TemplateRenderError } from '../templates/language/templates.ts';
import { type Missing, storedAttachments } from './attachments.ts';
import { countedAttempt } from './compose-attempts.ts';
import type { PreparedMail } from './prepare.ts';
import type { Sending } from './sending.ts';

const ALONE_MAX = 2;

/**
 * Composes a claimed mail and sends it. Resolves when its outcome is durable; `onSent` is called when the connection is free
 * again.
 */
export async function deliverMail(
  sending: Sending,
  mail: PreparedMail,
  connection: Connection,
  onSent: () => void,
): Promise<void> {
  const composed = await compose(sending.deps, { ...mail, isAlone: claimedBy(sending.ledger) <= ALONE_MAX });
  if ('kind' in composed) {
    onSent();
    const recipients = mail.recipients?.map((one) => (isOpen(one) ? afterOutcome(one, composed) : one));
    return sending.outcomes.write({ held: mail.held, outcome: composed, recipients });
  }
  const delivery = await sendClaimed(connection, sending.ledger, { held: mail.held, ...composed });
  onSent();
  await sending.outcomes.write({ held: mail.held, ...judge(sending, mail, delivery, composed) });
}

async function compose(deps: SendingDeps, mail: PreparedMail & { isAlone: boolean }): Promise<ComposedMail | Outcome> {
  try {
    const attachments = await storedAttachments(deps, mail.content);
    if ('kind' in attachments) return outcomeOfMissing(mail, attachments);
    return await countedAttempt(deps, mail.message, () => composeOrSay(deps, mail, attachments.attachments));
  } catch (error) {
    deps.log.error({ err: error, message: mail.message._id }, 'reading the attachments of a mail failed; retrying');
    return { kind: 'back', delayMs: 60_000 };
  }
}

async function composeOrSay(
  deps: SendingDeps,
  mail: PreparedMail & { isAlone: boolean },
  attachments: MimeAttachment[],
): Promise<ComposedMail | Outcome> {
  try {
    return await composeMail(deps, { ...mail, attachments });
  } catch (error) {
    if (!(error instanceof TemplateRenderError)) throw error;
    return { kind: 'failed', reason: `The mail cannot be made with these data: ${error.message}` };
  }
}

const FETCH_AGAIN_MS = [60_000, 300_000, 900_000, 3_600_000];

/** A file that cannot be fetched for a while does not hold up the mail for ever. */
function outcomeOfMissing({ message }: PreparedMail, missing: Missing): Outcome {
  if (missing.kind === 'large') return { kind: 'back', delayMs: 0 };
  const delayMs = FETCH_AGAIN_MS[message.deferrals ?? 0];
  if (missing.kind === 'never' || delayMs === undefined) return { kind: 'failed', reason: missing.reason };
  return { kind: 'deferred', reply: null, reason: missing.reason, delayMs };
}

function judge(
  { deps }: Sending,
  { held, message, recipients }: PreparedMail,
  delivery: Delivery,
  { envelope }: ComposedMail,
) {
  if (delivery.kind === 'fenced') return endedBy(held, held.stopped ?? { kind: 'back', delayMs: 0 });
  const attempt = {
    lane: message.lane as Lane,
    delivery,
    addresses: envelope.to,
    deferrals: message.deferrals ?? 0,
    elapsedMs: deps.clock.now().getTime() - (message.firstAt ?? deps.clock.now()).getTime(),
    jitter: Math.random(),
    evidenceAfterMs: deps.evidence.isKnown ? deps.config.smtpEvidenceDelaySeconds * 1_000 : null,
  };
  return recipients ? judgeRecipients(attempt, recipients) : judgeDelivery(attempt);
}
