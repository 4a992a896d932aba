import { TooMuch } from '../../../base/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../../base/time/durations.ts';
import { TemplateRenderError } from '../../../templates/language/templates.ts';
import { type ComposedMail, type Composing, composeMail } from '../../compose/compose.ts';
import type { MimeAttachment } from '../../compose/mime/compose.ts';
import type { MailDeps } from '../../deps.ts';
import { LEASE_MS, type Outcome } from '../../ledger/ledger.ts';
import type { Message } from '../../ledger/model.ts';
import type { SendingDeps } from '../../ledger/relay.ts';
import { appendTimeline } from '../../messages/messages.ts';
import { type Missing, storedAttachments } from './attachments.ts';
import type { PreparedMail } from './prepare.ts';

type Attempted = Pick<Message, '_id' | 'projectId' | 'timeline'>;

type ToCompose = PreparedMail & Pick<Composing, 'isAlone' | 'takesEightBit'>;

const ATTEMPTS_MAX = 3;
const AGAIN_MS = MINUTE_MS;
const TYPE = 'not_composed';
const SLOW = `Composing the mail took longer than ${LEASE_MS / 1_000} seconds.`;
const FAULTY = 'The mail could not be composed.';

const CROWDED_MS = 1_000;

/** A mail with the attachments that are stored for it, or the outcome when it cannot be made. */
export async function composeStored(deps: SendingDeps, mail: ToCompose): Promise<ComposedMail | Outcome> {
  try {
    const attachments = await storedAttachments(deps, mail.content);
    if ('kind' in attachments) return outcomeOfMissing(mail, attachments);
    return await countedAttempt(deps, mail.message, () => composeOrSay(deps, mail, attachments.attachments));
  } catch (error) {
    deps.log.error({ err: error, message: mail.message._id }, 'reading the attachments of a mail failed; retrying');
    return { kind: 'back', delayMs: AGAIN_MS };
  }
}

/**
 * Composes a mail within the time of its claim. An attempt that takes longer, or throws, is counted, and the third one fails the
 * mail.
 */
export async function countedAttempt<T extends object>(
  deps: MailDeps,
  message: Attempted,
  compose: () => Promise<T>,
): Promise<T | Outcome> {
  // These were counted by a process whose claim was over, so that it could not fail the mail itself.
  if (attemptsOf(message) >= ATTEMPTS_MAX) return { kind: 'failed', reason: SLOW };
  const began = deps.clock.now().getTime();
  try {
    const composed = await compose();
    if (deps.clock.now().getTime() - began < LEASE_MS) return composed;
  } catch (error) {
    deps.log.error({ err: error, message: message._id }, 'composing a mail failed');
    return endAttempt(deps, message, FAULTY);
  }
  return endAttempt(deps, message, SLOW);
}

/** Counted regardless of which process has the claim by now: a count that needs the claim would stay zero. */
async function endAttempt(deps: MailDeps, message: Attempted, reason: string): Promise<Outcome> {
  const { projectId, _id } = message;
  await appendTimeline(deps, { projectId, messageId: _id }, { type: TYPE, at: deps.clock.now(), reason });
  if (attemptsOf(message) + 1 < ATTEMPTS_MAX) return { kind: 'back', delayMs: AGAIN_MS };
  return { kind: 'failed', reason: `${reason} It was tried ${ATTEMPTS_MAX} times.` };
}

function attemptsOf({ timeline = [] }: Attempted): number {
  return timeline.filter(({ type }) => type === TYPE).length;
}

async function composeOrSay(
  deps: SendingDeps,
  mail: ToCompose,
  attachments: MimeAttachment[],
): Promise<ComposedMail | Outcome> {
  try {
    return await composeMail(deps, { ...mail, attachments });
  } catch (error) {
    if (error instanceof TemplateRenderError)
      return { kind: 'failed', reason: `The mail cannot be made with these data: ${error.message}` };
    if (!(error instanceof TooMuch)) throw error;
    if (error.limit === 'waiting') return { kind: 'back', delayMs: CROWDED_MS };
    return { kind: 'failed', reason: `The mail cannot be made: ${error.message}` };
  }
}

const FETCH_AGAIN_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];

/** A file that cannot be fetched for a while does not hold up the mail for ever. */
function outcomeOfMissing({ message }: PreparedMail, missing: Missing): Outcome {
  if (missing.kind === 'large') return { kind: 'back', delayMs: 0 };
  const delayMs = FETCH_AGAIN_MS[message.deferrals ?? 0];
  if (missing.kind === 'never' || delayMs === undefined) return { kind: 'failed', reason: missing.reason };
  return { kind: 'deferred', reply: null, reason: missing.reason, delayMs };
}
