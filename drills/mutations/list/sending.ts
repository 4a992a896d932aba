import type { Mutation } from '../mutation.ts';

export const sendingMutations: readonly Mutation[] = [
  {
    name: 'cc and bcc are not checked after the claim',
    file: 'core/mail-preparing.ts',
    find: 'isOpen(one) ? entryAgainst(entries, one.email, content) : null',
    replace: 'null',
    tests: ['test/sending/mail.test.ts', 'test/sending/outcomes.test.ts', 'test/sending/copies.test.ts'],
    grep: 'cc|suppress',
  },
  {
    name: '`to` is not checked after the claim',
    file: 'core/mail-preparing.ts',
    find: 'if (entry) verdicts.set(key, suppressed(entry));',
    replace: '',
    tests: ['test/sending/mail.test.ts'],
    grep: 'suppression that comes after',
  },
  {
    name: 'mail of a deleted project is sent',
    file: 'core/mail-preparing.ts',
    find: "if (!project) verdicts.set(key, failedAll(message, 'The project was deleted.'));",
    replace: '',
    tests: ['test/sending/mail.test.ts'],
    grep: 'project is deleted',
  },
  {
    name: 'any verified domain may be the sender',
    file: 'core/domains.ts',
    find: "findOne({ projectId: project._id, domainName, verificationStatus: 'VERIFIED' })",
    replace: "findOne({ domainName, verificationStatus: 'VERIFIED' })",
    tests: ['test/sending/send.test.ts'],
    grep: 'verified domain',
  },
  {
    name: 'a domain that is not verified may be the sender',
    file: 'core/domains.ts',
    find: "findOne({ projectId: project._id, domainName, verificationStatus: 'VERIFIED' })",
    replace: 'findOne({ projectId: project._id, domainName })',
    tests: ['test/sending/send.test.ts', 'test/campaigns/pages.test.ts'],
    grep: 'verified',
  },
  {
    name: 'a template that a scheduled campaign uses can be deleted',
    file: 'core/template-uses.ts',
    find: "['draft' as const, 'scheduled' as const]",
    replace: "['draft' as const]",
    tests: ['test/sending/templates.test.ts', 'test/campaigns/crud.test.ts'],
  },
];
