import { suppressReported } from '../../consent/suppressions/suppressions.ts';
import { readMailLocalPart, readUnsubscribeToken } from '../compose/tokens.ts';
import type { MailDeps } from '../deps.ts';
import { findMail } from '../ledger/blocks/find-mail.ts';
import type { MailRef, ReportOutcome } from './bounces.ts';
import type { ComplaintReport } from './delivery-reports/arf.ts';
import { writeSignals } from './engagements.ts';
import { withPresentAddress } from './present-address.ts';

/**
 * Stops every mail of the project to the complaining recipient. The report must prove its mail with a signed trace of ours: a return path,
 * or the link or address of List-Unsubscribe. Recipients of to, cc and bcc share that trace, so the report must also name one of them; a
 * complaint without a name is counted and suppresses no address. While the mail is in flight the answer is `later`, and the address is
 * suppressed at once if the link contains it.
 */
export async function applyComplaint(
  deps: MailDeps,
  given: MailRef | null,
  report: ComplaintReport,
): Promise<ReportOutcome> {
  if (!report.isComplaint) return 'ignored';
  const proven = report.traces.flatMap((trace) => provenRef(deps, trace) ?? []);
  const ref = given ?? proven[0];
  if (!ref) return 'ignored';
  const found = await findMail(deps, ref);
  const message = typeof found === 'string' ? null : found;
  const reason = `feedback report: ${report.feedbackType}`;
  const evidence = `${reason}, email ${ref.messageId.toHexString()}`;
  // When the message is gone or erased, the link of List-Unsubscribe still contains the address.
  const own = message?.recipients
    ? message.recipients.find((one) => one.email !== '' && one.email === report.recipient)?.email
    : message?.email;
  const email = own || proven.find((one) => one.email && isSameMail(one, ref))?.email;
  if (found === 'gone' && !email) return 'ignored';
  for (const one of email ? await withPresentAddress(deps, { ...ref, email }) : [])
    await suppressReported(deps, ref.projectId, { email: one, reason: 'COMPLAINT', evidence });
  if (found === 'inFlight') return 'later';
  const { projectId, messageId } = ref;
  await writeSignals(deps, [{ kind: 'complaint', projectId, messageId, at: deps.clock.now(), reason }]);
  return 'applied';
}

type ProvenRef = MailRef & { email?: string };

function provenRef({ config }: MailDeps, trace: string): ProvenRef | null {
  const token = /\/u\/([\w-]+)$/.exec(trace)?.[1];
  const byLink = token ? readUnsubscribeToken(config, token) : null;
  if (byLink) return byLink;
  const localPart = /^(?:mailto:)?([bu]\+[^@]+)@/i.exec(trace)?.[1];
  return localPart ? readMailLocalPart(config, localPart) : null;
}

function isSameMail(one: MailRef, other: MailRef): boolean {
  return one.projectId.equals(other.projectId) && one.messageId.equals(other.messageId);
}
