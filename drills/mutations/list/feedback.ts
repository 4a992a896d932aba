import type { Mutation } from '../mutation.ts';

export const feedbackMutations: readonly Mutation[] = [
  {
    name: 'a report about a stranger bounces `to`',
    file: 'core/bounces.ts',
    find: '?.email ?? null;',
    replace: '?.email ?? email;',
    tests: ['test/comes-back/inbound-reports.test.ts'],
  },
  {
    name: 'a bounce counts each time it is reported',
    file: 'core/bounces.ts',
    find: "{ $in: ['sent' as const, 'unknown' as const] }",
    replace: "{ $in: ['sent' as const, 'unknown' as const, 'bounced' as const] }",
    tests: ['test/comes-back/inbound-reports.test.ts'],
  },
  {
    name: 'a report does not wait for the outcome',
    file: 'core/bounces.ts',
    find: "if (message.state === 'committing') return 'later';",
    replace: '',
    tests: ['test/comes-back/inbound-reports.test.ts'],
  },
  {
    name: '"not spam" is a complaint',
    file: 'core/complaints.ts',
    find: 'if (!report.isComplaint) return false;',
    replace: '',
    tests: ['test/comes-back/inbound-reports.test.ts'],
  },
  {
    name: 'any token unsubscribes',
    file: 'core/tracking-tokens.ts',
    find: "if (!timingSafeEqual(mac, macOf(key, 'unsubscribe', plain))) continue;",
    replace: '',
    tests: ['test/unit/tracking-tokens.test.ts'],
  },
  {
    name: 'a token of one kind passes as another',
    file: 'core/tracking-tokens.ts',
    find: '{purpose}\\u0000',
    replace: "{''}\\u0000",
    tests: ['test/unit/tracking-tokens.test.ts'],
  },
  {
    name: 'a mailto unsubscribe is taken for any mail of the person',
    file: 'core/unsubscribes.ts',
    find: "if (!mail.to.some(({ email }) => isFor(deps, email, ref))) return 'unproven';",
    replace: '',
    tests: ['test/comes-back/unsubscribe-by-mail.test.ts'],
  },
  {
    name: 'unsubscribed contacts of provider B are imported before they are suppressed',
    file: 'core/migrations-contacts-b.ts',
    find: 'await suppressMarked(run, [...part, ...present]);',
    replace: '',
    tests: ['test/migrations/unsubscribed.test.ts'],
  },
  {
    name: 'processes do not share the pace of a provider account',
    file: 'platform/providers/pace.ts',
    find: 'Math.max(slotInMs, earlier - performance.now())',
    replace: 'earlier - performance.now()',
    tests: ['test/providers/provider-b.test.ts', 'test/providers/clients.test.ts'],
  },
  {
    name: 'an automation that is not active lets people in',
    file: 'core/enrollments-entering.ts',
    find: "projectId, status: 'active', deletedAt: null }",
    replace: 'projectId, deletedAt: null }',
    tests: ['test/automations/states.test.ts', 'test/automations/triggers.test.ts'],
  },
];
