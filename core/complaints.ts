import type { MailRef } from './bounces.ts';
import type { Deps } from './deps.ts';
import { writeSignals } from './engagements.ts';
import type { ComplaintReport } from './rules/arf.ts';
import { suppress } from './suppressions.ts';
import { readMailLocalPart, readUnsubscribeToken } from './tracking-tokens.ts';

/**
 * Stops every mail of the project to whoever complained. Which mail it was must be proved by something of ours in the report: a return
 * path, or the link or address of List-Unsubscribe. Answers whether it had an effect.
 */
export async function applyComplaint(deps: Deps, given: MailRef | null, report: ComplaintReport): Promise<boolean> {
  if (!report.isComplaint) return false;
  const ref: ProvenRef | null = given ?? provenRef(deps, report.traces);
  const message = ref && (await deps.db.messages.findOne({ _id: ref.messageId, projectId: ref.projectId }));
  if (!ref || !message) return false;
  const reason = `feedback report: ${report.feedbackType}`;
  const evidence = `${reason}, email ${ref.messageId.toHexString()}`;
  // Empty when the contact was deleted; the link of List-Unsubscribe still knows it.
  const email = message.email || ref.email;
  if (email) await suppress(deps, ref.projectId, { emails: [email], isGlobal: true, reason: 'COMPLAINT', evidence });
  const { projectId, messageId } = ref;
  await writeSignals(deps, [{ kind: 'complaint', projectId, messageId, at: deps.clock.now(), reason }]);
  return true;
}

type ProvenRef = MailRef & { email?: string };

function provenRef({ config }: Deps, traces: string[]): ProvenRef | null {
  for (const trace of traces) {
    const token = /\/u\/([\w-]+)$/.exec(trace)?.[1];
    const byLink = token ? readUnsubscribeToken(config, token) : null;
    const localPart = /^(?:mailto:)?([bu]\+[^@]+)@/i.exec(trace)?.[1];
    const byAddress = localPart ? readMailLocalPart(config, localPart) : null;
    const found = byLink ?? byAddress;
    if (found)
      return { projectId: found.projectId, messageId: found.messageId, ...(byLink && { email: byLink.email }) };
  }
  return null;
}
