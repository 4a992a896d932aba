import type { Mutation } from '../mutation.ts';

export const sendingMutations: readonly Mutation[] = [
  {
    name: 'cc and bcc are not checked after the claim',
    file: 'core/delivery/prepare.ts',
    find: 'isOpen(one) ? entryAgainst(entries, one.email, content) : null',
    replace: 'null',
    tests: ['test/composing/mail.test.ts', 'test/outbox/outcomes.test.ts', 'test/delivery/copies.test.ts'],
    grep: 'cc|suppress',
  },
  {
    name: '`to` is not checked after the claim',
    file: 'core/delivery/prepare.ts',
    find: 'if (entry) verdicts.set(key, suppressed(entry));',
    replace: '',
    tests: ['test/composing/mail.test.ts'],
    grep: 'suppression that comes after',
  },
  {
    name: 'mail of a deleted project is sent',
    file: 'core/delivery/prepare.ts',
    find: "if (!project) verdicts.set(key, failedAll(message, 'The project was deleted.'));",
    replace: '',
    tests: ['test/composing/mail.test.ts'],
    grep: 'project is deleted',
  },
  {
    name: 'any verified domain may be the sender',
    file: 'core/domains/domains.ts',
    find: "findOne({ projectId: project._id, domainName, verificationStatus: 'VERIFIED' })",
    replace: "findOne({ domainName, verificationStatus: 'VERIFIED' })",
    tests: ['test/mails/send.test.ts'],
    grep: 'verified domain',
  },
  {
    name: 'a domain that is not verified may be the sender',
    file: 'core/domains/domains.ts',
    find: "findOne({ projectId: project._id, domainName, verificationStatus: 'VERIFIED' })",
    replace: 'findOne({ projectId: project._id, domainName })',
    tests: ['test/mails/send.test.ts', 'test/campaigns/pages.test.ts'],
    grep: 'verified',
  },
  {
    name: 'a template that a scheduled campaign uses can be deleted',
    file: 'core/templates/uses.ts',
    find: "['draft' as const, 'scheduled' as const]",
    replace: "['draft' as const]",
    tests: ['test/templates/templates.test.ts', 'test/campaigns/crud.test.ts'],
  },
];
