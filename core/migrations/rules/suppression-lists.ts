import type { BuiltIn } from '../../consent/suppressions/built-in-groups.ts';
import type { SuppressionReason } from '../../consent/suppressions/model.ts';
import type { SuppressionList } from '../source.ts';

interface Target {
  group: BuiltIn;
  reason: SuppressionReason;
  /** A key of provider A needs it to read the list. */
  scope: string;
  people: string;
}

/** The group and the reason that each list of provider A gets here. */
export const suppressionTargets: Record<SuppressionList, Target> = {
  unsubscribes: {
    group: 'marketing',
    reason: 'UNSUBSCRIBE',
    scope: 'suppression.unsubscribes.read',
    people: 'people who unsubscribed from everything',
  },
  bounces: {
    group: 'global',
    reason: 'BOUNCE',
    scope: 'suppression.bounces.read',
    people: 'people whose mail bounced',
  },
  invalidEmails: {
    group: 'global',
    reason: 'BOUNCE',
    scope: 'suppression.invalid_emails.read',
    people: 'addresses that do not exist',
  },
  spamReports: {
    group: 'global',
    reason: 'COMPLAINT',
    scope: 'suppression.spam_reports.read',
    people: 'people who reported spam',
  },
};

/** For reports: the section that is missing, and the consequence. */
export function missingScope(list: SuppressionList): { item: string; message: string } {
  const { scope, people } = suppressionTargets[list];
  const message = `the key lacks the scope ${scope} at the source, so ${people} arrive here as mailable`;
  return { item: `suppressions.${list}`, message };
}
