import type { Mutation } from '../mutation.ts';

export const rulesMutations: readonly Mutation[] = [
  {
    name: 'bypassSuppressions skips a complaint',
    file: 'core/consent/suppressions/rules.ts',
    find: "if (bypass && entry.reason !== 'COMPLAINT') return false;",
    replace: 'if (bypass) return false;',
    tests: ['test/suppressions/rules.test.ts'],
  },
  {
    name: 'a global entry stops marketing mail only',
    file: 'core/consent/suppressions/rules.ts',
    find: 'if (entry.isGlobal) return true;',
    replace: 'if (entry.isGlobal) return marketing;',
    tests: ['test/suppressions/rules.test.ts'],
  },
  {
    name: 'who turned one group on gets mail of all',
    file: 'core/consent/suppressions/rules.ts',
    find: 'return exceptGroups?.includes(groupNamedBy(mail)) ?? false;',
    replace: 'return exceptGroups !== undefined;',
    tests: ['test/suppressions/rules.test.ts'],
  },
  {
    name: 'an unsubscribe is stronger than a complaint',
    file: 'core/consent/suppressions/rules.ts',
    find: 'UNSUBSCRIBE: 3, COMPLAINT: 4',
    replace: 'UNSUBSCRIBE: 4, COMPLAINT: 3',
    tests: ['test/suppressions/rules.test.ts'],
  },
  {
    name: 'the other end of a connection is not judged',
    file: 'platform/fetch/guarded-connection.ts',
    find: "if (!judge(socket.remoteAddress)) throw new Error('the connection went elsewhere');",
    replace: '',
    tests: ['test/platform/fetch-guard.test.ts'],
    grep: 'other end',
  },
];
