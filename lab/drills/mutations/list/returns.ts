import type { Mutation } from '../mutation.ts';

/** Mails that come back, and claims of processes that are gone. */
export const returnsMutations: readonly Mutation[] = [
  {
    name: 'a bounce in flight is thrown away',
    file: 'core/feedback/bounces.ts',
    find: "if (message === 'inFlight') return 'later';",
    replace: "if (message === 'inFlight') return 'ignored';",
    tests: ['test/feedback/before-the-row.test.ts'],
  },
  {
    name: 'a complaint in flight is thrown away',
    file: 'core/feedback/complaints.ts',
    find: "if (found === 'inFlight') return 'later';",
    replace: "if (found === 'inFlight') return 'ignored';",
    tests: ['test/feedback/before-the-row.test.ts'],
  },
  {
    name: 'a mailto unsubscribe of a mail in flight needs DMARC',
    file: 'core/feedback/unsubscribes.ts',
    find: "if (found === 'inFlight') return 'later';",
    replace: '',
    tests: ['test/feedback/before-the-row.test.ts'],
  },
  {
    name: 'opens of a mail in flight are dropped',
    file: 'core/feedback/buffer.ts',
    find: 'keepInFlight(deps, buffer, inFlight);',
    replace: '',
    tests: ['test/feedback/before-the-row.test.ts'],
  },
  {
    name: 'One-Click for a mail in flight is not counted',
    file: 'core/feedback/unsubscribes.ts',
    find: 'for (const one of later) bufferSignal(deps, one);',
    replace: 'void later;',
    tests: ['test/feedback/before-the-row.test.ts'],
  },
  {
    name: 'the buffer does not bound signals of mails in flight',
    file: 'core/feedback/buffer.ts',
    find: 'return waiting.length + inFlight.length;',
    replace: 'return waiting.length || (inFlight.length && 1);',
    tests: ['test/feedback/before-the-row.test.ts'],
  },
  {
    name: 'the row is not read again after the claims',
    file: 'core/outbox/blocks/find-mail.ts',
    find: "return (await readRow()) ?? 'gone';",
    replace: "return 'gone';",
    tests: ['test/feedback/before-the-row.test.ts'],
  },
  {
    name: 'the whole block counts as claimed',
    file: 'core/outbox/blocks/find-mail.ts',
    find: '.slice(claim.from, claim.to)',
    replace: '.slice(0)',
    tests: ['test/feedback/before-the-row.test.ts'],
  },
  {
    name: 'a bounce that is written twice counts twice',
    file: 'core/messages/after-outcomes.ts',
    find: '_id: { $ne: _id }, ',
    replace: '',
    tests: ['test/feedback/before-the-row.test.ts'],
  },
];
