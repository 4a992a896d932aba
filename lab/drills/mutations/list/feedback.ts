import type { Mutation } from '../mutation.ts';

export const feedbackMutations: readonly Mutation[] = [
  {
    name: 'a report about a stranger bounces `to`',
    file: 'core/mail/feedback/bounces.ts',
    find: '?.email ?? null;',
    replace: '?.email ?? email;',
    tests: ['test/inbound/reports.test.ts'],
  },
  {
    name: 'any token unsubscribes',
    file: 'core/mail/compose/tokens.ts',
    find: "if (!timingSafeEqual(mac, macOf(key, 'unsubscribe', plain))) continue;",
    replace: '',
    tests: ['test/composing/tokens.test.ts'],
  },
  {
    name: 'a token of one kind passes as another',
    file: 'core/mail/compose/tokens.ts',
    find: '{purpose}\\u0000',
    replace: "{''}\\u0000",
    tests: ['test/composing/tokens.test.ts'],
  },
  {
    name: 'unsubscribed contacts of provider B are imported before they are suppressed',
    file: 'core/migrations/phases/contacts-b.ts',
    find: 'await suppressMarked(run, [...part, ...present]);',
    replace: '',
    tests: ['test/migrations/unsubscribed.test.ts'],
  },
  {
    name: 'an automation that is not active lets people in',
    file: 'core/automations/enrollments/enroll.ts',
    find: "projectId, status: 'active', deletedAt: null }",
    replace: 'projectId, deletedAt: null }',
    tests: ['test/automations/enrollments/triggers.test.ts'],
    grep: 'lets no contact in',
  },
  {
    name: 'an automation enrolls a person again by its own change',
    file: 'core/automations/rules/entering/chain.ts',
    find: "if (chain.some((id) => id.equals(automationId))) return 'own_change';",
    replace: '',
    tests: ['test/automations/definition/updates.test.ts'],
    grep: 'ends at the automation itself',
  },
];
