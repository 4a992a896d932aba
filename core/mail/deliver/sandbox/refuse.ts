import { isSandboxAddress, readSandbox, whyNoSandbox } from '../../../base/sandbox.ts';
import type { MailDeps } from '../../deps.ts';
import type { Verdict } from '../../ledger/ledger.ts';
import { afterOutcome } from '../../ledger/rules/judge-delivery.ts';
import { isOpenRecipient } from '../../ledger/states.ts';
import type { ClaimedMail } from '../claimed-mail.ts';

export function namesSandbox({ held, recipients }: ClaimedMail): boolean {
  return recipients
    ? recipients.some(({ email }) => isSandboxAddress(email))
    : isSandboxAddress(held.about?.email ?? '');
}

/**
 * The mail without the sandbox addresses that do not answer, which have failed; or the verdict where no other is left. The relay never
 * hears of them: it would bounce them, and so would harm the name of the sender.
 */
export async function withoutUnanswered<Mail extends ClaimedMail>(
  deps: Pick<MailDeps, 'db' | 'config'>,
  mail: Mail,
): Promise<{ mail: Mail } | { verdict: Verdict }> {
  const settings = await readSandbox(deps, mail.held.projectId);
  const verdictOn = (email: string) => {
    const reason = isSandboxAddress(email) ? whyNoSandbox(email, settings) : null;
    return reason === null ? null : { kind: 'failed' as const, reason };
  };
  if (!mail.recipients) {
    const verdict = verdictOn(mail.held.about?.email ?? '');
    return verdict ? { verdict } : { mail };
  }
  let last: Verdict | null = null;
  const recipients = mail.recipients.map((one) => {
    const verdict = isOpenRecipient(one) ? verdictOn(one.email) : null;
    last = verdict ?? last;
    return verdict ? afterOutcome(one, verdict) : one;
  });
  const isOpen = recipients.some(isOpenRecipient);
  return last !== null && !isOpen
    ? { verdict: { ...(last as Verdict), recipients } }
    : { mail: { ...mail, recipients } };
}
