import { type MailFacts, type SuppressionFact, stoppedBy } from '../../consent/suppressions/rules.ts';

/** Whether the contact unsubscribed from what this automation sends. A bounce or a manual entry stops only the mail, not the enrollment. */
export function isUnsubscribed(
  entries: readonly SuppressionFact[],
  { groupId, isGroupGone }: Pick<MailFacts, 'groupId' | 'isGroupGone'>,
): boolean {
  const refusals = entries.filter(({ reason }) => reason === 'UNSUBSCRIBE' || reason === 'COMPLAINT');
  return stoppedBy(refusals, { marketing: true, groupId, isGroupGone, bypass: false }) !== null;
}
