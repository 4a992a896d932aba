import type { Mutation } from '../mutation.ts';

const tests = ['test/reports/counting.test.ts', 'test/reports/recount.test.ts'];

export const reportsMutations: readonly Mutation[] = [
  {
    name: 'a claim that was closed and counted is closed again',
    file: 'core/mail/ledger/blocks/close.ts',
    find: 'leaseUntil: { $exists: true },',
    replace: '',
    tests: ['test/reports/counting.test.ts'],
  },
  {
    name: 'marks are removed though the counts are not stored',
    file: 'core/mail/ledger/counting/mark-counted.ts',
    find: 'await db.messages.updateMany({ _id: { $in: ids }, projectId }, counted, { session });',
    replace: 'await db.messages.updateMany({ _id: { $in: ids }, projectId }, counted);',
    tests,
  },
  {
    name: 'mail is counted while a recount is at work',
    file: 'core/figures/reports/state.ts',
    find: '{ _id: projectId, projectId, ...isFree }',
    replace: '{ _id: projectId, projectId }',
    tests: ['test/reports/counting.test.ts'],
  },
];
