import { type MailFacts, type SuppressionFact, stoppedBy } from '../../suppressions/rules.ts';

/** Did the person say no to what this automation sends? A bounce or an entry by hand only stops the mail, not the way. */
export function isUnsubscribed(
  entries: readonly SuppressionFact[],
  { groupId, isGroupGone }: Pick<MailFacts, 'groupId' | 'isGroupGone'>,
): boolean {
  const refusals = entries.filter(({ reason }) => reason === 'UNSUBSCRIBE' || reason === 'COMPLAINT');
  return stoppedBy(refusals, { marketing: true, groupId, isGroupGone, bypass: false }) !== null;
}
