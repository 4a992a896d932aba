import type { Mutation } from '../mutation.ts';

/** Mails that come back, and claims of processes that are gone. */
export const returnsMutations: readonly Mutation[] = [
  {
    name: 'a bounce in flight is thrown away',
    file: 'core/mail/feedback/bounces.ts',
    find: "if (message === 'inFlight') return 'later';",
    replace: "if (message === 'inFlight') return 'ignored';",
    tests: ['test/feedback/before-the-row.test.ts'],
  },
  {
    name: 'the row is not read again after the claims',
    file: 'core/mail/ledger/blocks/find-mail.ts',
    find: "return (await readRow()) ?? 'gone';",
    replace: "return 'gone';",
    tests: ['test/feedback/before-the-row.test.ts'],
  },
  {
    name: 'a claim is taken over although it was renewed',
    file: 'core/mail/ledger/blocks/take-over.ts',
    find: "{ _id, projectId, owner, leaseUntil, $expr: { $lte: ['$leaseUntil', '$$NOW'] } },",
    replace: '{ _id, projectId, owner },',
    tests: ['test/outbox/take-over.test.ts'],
  },
  {
    name: 'two processes take the same claim over',
    file: 'core/mail/ledger/blocks/take-over.ts',
    find: 'if (lost) await settleClaim(deps, settlement, lost, counts);',
    replace: 'await settleClaim(deps, settlement, (lost ?? { lostBy: claim.owner, ...claim }) as Lost, counts);',
    tests: ['test/outbox/take-over.test.ts'],
  },
  {
    name: 'a dot leaves before it is noted',
    file: 'core/mail/ledger/claim.ts',
    find: "if (ledger.dots && !(note(ledger, held, isInPart ? 'inPart' : 'begun') && mayGo())) return false;",
    replace: "queueMicrotask(() => note(ledger, held, isInPart ? 'inPart' : 'begun'));",
    tests: ['test/outbox/dot-journal.test.ts'],
  },
  {
    name: 'dots that were begun are queued again',
    file: 'core/mail/ledger/resolve-orphan.ts',
    find: "if (noted !== 'begun' && !isInPart) return unsent(orphan);",
    replace: 'return unsent(orphan);',
    tests: ['test/outbox/dot-journal.test.ts'],
  },
  {
    name: 'a journal of another boot is trusted',
    file: 'platform/dots/format.ts',
    find: '|| !bytes.subarray(0, HEAD_BYTES).equals(headOf(bootId))',
    replace: '|| !bootId',
    tests: ['test/platform/dot-journals.test.ts'],
  },
  {
    name: 'a journal that is cut short is trusted',
    file: 'platform/dots/format.ts',
    find: 'bytes.length !== FILE_BYTES',
    replace: 'bytes.length < HEAD_BYTES',
    tests: ['test/platform/dot-journals.test.ts'],
  },
];
