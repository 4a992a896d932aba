import type { Mutation } from '../mutation.ts';

export const tenancyMutations: readonly Mutation[] = [
  {
    name: 'a mail of another project is read',
    file: 'core/mail/messages/emails.ts',
    find: 'messages.findOne({ _id, projectId: project._id, ...ofKey(keyId) })',
    replace: 'messages.findOne({ _id })',
    tests: ['test/edge/tenancy.test.ts'],
  },
  {
    name: 'a list of another project is read',
    file: 'core/people/lists/lists.ts',
    find: 'contactLists.findOne({ _id, projectId: project._id })',
    replace: 'contactLists.findOne({ _id })',
    tests: ['test/edge/tenancy.test.ts'],
  },
  {
    name: 'a template of another project is read',
    file: 'core/templates/find.ts',
    find: 'key && { projectId: project._id, ...key }',
    replace: 'key',
    tests: ['test/edge/tenancy.test.ts'],
  },
  {
    name: 'lists of another project are named',
    file: 'core/people/lists/lists.ts',
    find: '{ projectId: project._id, _id: { $in: listIds.filter((id) => id !== null) } }',
    replace: '{ _id: { $in: listIds.filter((id) => id !== null) } }',
    tests: [
      'test/contacts/lists/lists.test.ts',
      'test/contacts/contacts.test.ts',
      'test/campaigns/definition/crud.test.ts',
    ],
  },
  {
    name: 'suppressions of another project stop mail',
    file: 'core/consent/suppressions/suppressions.ts',
    find: '{ projectId, email: { $in: [...new Set(emails)] } }',
    replace: '{ email: { $in: [...new Set(emails)] } }',
    tests: ['test/suppressions/suppressions.test.ts', 'test/contacts/tenancy.test.ts', 'test/mails/send.test.ts'],
  },
  {
    name: 'opens and clicks of another project count',
    file: 'core/mail/feedback/engagements.ts',
    find: 'signals.filter((signal) => signal.projectId.equals(projectId))',
    replace: 'signals',
    tests: ['test/feedback/tenancy.test.ts'],
  },
];
