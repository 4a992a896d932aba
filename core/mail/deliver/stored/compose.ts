import { TooMuch } from '../../../base/errors.ts';
import { TemplateRenderError } from '../../../templates/language/templates.ts';
import { type ComposedMail, type Composing, composeMail } from '../../compose/compose.ts';
import type { MimeAttachment } from '../../compose/mime/compose.ts';
import type { Outcome } from '../../ledger/ledger.ts';
import type { SendingDeps } from '../../ledger/relay.ts';
import { type Missing, storedAttachments } from './attachments.ts';
import { countedAttempt } from './compose-attempts.ts';
import type { PreparedMail } from './prepare.ts';

type ToCompose = PreparedMail & Pick<Composing, 'isAlone' | 'takesEightBit'>;

const CROWDED_MS = 1_000;

/** A mail with the attachments that are stored for it, or the outcome when it cannot be made. */
export async function composeStored(deps: SendingDeps, mail: ToCompose): Promise<ComposedMail | Outcome> {
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

const FETCH_AGAIN_MS = [60_000, 300_000, 900_000, 3_600_000];

/** A file that cannot be fetched for a while does not hold up the mail for ever. */
function outcomeOfMissing({ message }: PreparedMail, missing: Missing): Outcome {
  if (missing.kind === 'large') return { kind: 'back', delayMs: 0 };
  const delayMs = FETCH_AGAIN_MS[message.deferrals ?? 0];
  if (missing.kind === 'never' || delayMs === undefined) return { kind: 'failed', reason: missing.reason };
  return { kind: 'deferred', reply: null, reason: missing.reason, delayMs };
}
