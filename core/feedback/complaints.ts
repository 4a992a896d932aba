import type { Deps } from '../base/deps.ts';
import { readMailLocalPart, readUnsubscribeToken } from '../composing/tokens.ts';
import { suppress } from '../suppressions/suppressions.ts';
import type { MailRef } from './bounces.ts';
import type { ComplaintReport } from './delivery-reports/arf.ts';
import { writeSignals } from './engagements.ts';

/**
 * Stops every mail of the project to the complaining recipient. The report must prove its mail with a signed trace of ours: a return path,
 * or the link or address of List-Unsubscribe. Recipients of to, cc and bcc share that trace, so the report must also name one of them; a
 * complaint without a name is counted and suppresses no address. Returns whether it had an effect.
 */
export async function applyComplaint(deps: Deps, given: MailRef | null, report: ComplaintReport): Promise<boolean> {
  if (!report.isComplaint) return false;
  const proven = report.traces.flatMap((trace) => provenRef(deps, trace) ?? []);
  const ref = given ?? proven[0];
  if (!ref) return false;
  const message = await deps.db.messages.findOne({ _id: ref.messageId, projectId: ref.projectId });
  const reason = `feedback report: ${report.feedbackType}`;
  const evidence = `${reason}, email ${ref.messageId.toHexString()}`;
  // When the message is gone or erased, the link of List-Unsubscribe still contains the address.
  const own = message?.recipients
    ? message.recipients.find((one) => one.email !== '' && one.email === report.recipient)?.email
    : message?.email;
  const email = own || proven.find((one) => one.email && isSameMail(one, ref))?.email;
  if (!message && !email) return false;
  if (email) await suppress(deps, ref.projectId, { emails: [email], isGlobal: true, reason: 'COMPLAINT', evidence });
  const { projectId, messageId } = ref;
  await writeSignals(deps, [{ kind: 'complaint', projectId, messageId, at: deps.clock.now(), reason }]);
  return true;
}

type ProvenRef = MailRef & { email?: string };

function provenRef({ config }: Deps, trace: string): ProvenRef | null {
  const token = /\/u\/([\w-]+)$/.exec(trace)?.[1];
  const byLink = token ? readUnsubscribeToken(config, token) : null;
  if (byLink) return byLink;
  const localPart = /^(?:mailto:)?([bu]\+[^@]+)@/i.exec(trace)?.[1];
  return localPart ? readMailLocalPart(config, localPart) : null;
}

function isSameMail(one: MailRef, other: MailRef): boolean {
  return one.projectId.equals(other.projectId) && one.messageId.equals(other.messageId);
}
