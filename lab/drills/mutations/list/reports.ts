import type { Mutation } from '../mutation.ts';

const tests = ['test/reports/counting.test.ts', 'test/reports/recount.test.ts'];

export const reportsMutations: readonly Mutation[] = [
  {
    name: 'rows that were there already are counted as they were to be written',
    file: 'core/mail/ledger/blocks/write-rows.ts',
    find: 'for (const index of taken) ended[index]!.held.part!.claim.tally = null;',
    replace: '',
    tests: ['test/reports/recount.test.ts'],
  },
  {
    name: 'a claim that was closed and counted is closed again',
    file: 'core/mail/ledger/blocks/close.ts',
    find: 'leaseUntil: { $exists: true },',
    replace: '',
    tests: ['test/reports/counting.test.ts'],
  },
  {
    name: 'claims are removed before they are counted',
    file: 'core/mail/ledger/blocks/changes.ts',
    find: 'projectId, campaignId, countDueAt: { $exists: false } }',
    replace: 'projectId, campaignId }',
    tests: ['test/reports/counting.test.ts'],
  },
  {
    name: 'a later change is taken for what a row was inserted with',
    file: 'core/mail/ledger/counting/claims.ts',
    find: 'tally.add(countedFacts(row)',
    replace: 'tally.add(countedFacts({ ...row, counted: undefined } as never)',
    tests,
  },
  {
    name: 'changes of a row are counted while its claim is open',
    file: 'core/figures/reports/counting/count-rows.ts',
    find: '[rows.filter(isOpen), rows.filter((row) => !isOpen(row))]',
    replace: '[rows.filter(() => false), rows]',
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
    name: 'the second change before a count hides the first',
    file: 'core/mail/ledger/counting/facts.ts',
    find: "{ $ifNull: ['$counted', before] }",
    replace: 'before',
    tests,
  },
  {
    name: 'an engagement is counted with each of its changes',
    file: 'core/figures/reports/counting/count-engagements.ts',
    find: 'timesAs(engagement.counted ?? {}, -1)',
    replace: 'timesAs({}, -1)',
    tests,
  },
  {
    name: 'a bounce that is reported later is not counted',
    file: 'core/mail/feedback/bounces.ts',
    find: '...(email === to ? [{ $set: waitToBeCounted() }] : []),',
    replace: '',
    tests,
  },
  {
    name: 'a recount has what waits in claims too',
    file: 'core/figures/reports/counting/recount.ts',
    find: 'if (isOfUncounted(row)) continue;',
    replace: '',
    tests: ['test/reports/counting.test.ts'],
  },
  {
    name: 'a recount gives other tags a place of their own',
    file: 'core/figures/reports/counting/recount.ts',
    find: 'new Documents({ projectId, count, like })',
    replace: 'new Documents({ projectId, count })',
    tests: ['test/reports/tags.test.ts'],
  },
  {
    name: 'mail is counted while a recount is at work',
    file: 'core/figures/reports/state.ts',
    find: '{ _id: projectId, projectId, ...isFree }',
    replace: '{ _id: projectId, projectId }',
    tests: ['test/reports/counting.test.ts'],
  },
];
