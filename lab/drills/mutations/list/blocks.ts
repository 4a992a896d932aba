import type { Mutation } from '../mutation.ts';

/** Claims of blocks, rows, renewal and closing. */
export const blocksMutations: readonly Mutation[] = [
  {
    name: 'a claim of a block matches that of another process',
    file: 'core/mail/ledger/blocks/claim.ts',
    find: '{ ...key, endedAt: { $exists: false } },',
    replace: '{ projectId: key.projectId, campaignId: key.campaignId, n: key.n, from: key.from },',
    tests: ['test/outbox/blocks.test.ts'],
  },
  {
    name: 'a claim of a block whose answer was lost is forgotten',
    file: 'core/mail/ledger/blocks/claim.ts',
    find: 'if (ledger.now() > begunMs + DOT_MS) throw error;',
    replace: 'if (begunMs >= 0) throw error;',
    tests: ['test/outbox/blocks.test.ts'],
  },
  {
    name: 'the events of rows of a block come before the rows',
    file: 'core/mail/ledger/record-outcomes.ts',
    find: 'await this.#effects.suppress(recipients);',
    replace: 'await Promise.all([this.#effects.suppress(recipients), this.#effects.publish(recipients)]);',
    tests: ['test/outbox/blocks.test.ts'],
  },
  {
    name: 'a recipient whose row says queued may still get the dot',
    file: 'core/mail/ledger/record-outcomes.ts',
    find: "if (outcome.kind === 'back') held.stopped ??= outcome;",
    replace: 'void held;',
    tests: ['test/outbox/blocks.test.ts'],
  },
  {
    name: 'a claim of a block goes beyond what is released',
    file: 'core/mail/deliver/sources/blocks.ts',
    find: 'const end = Math.min(block.count, toSeq - block.fromSeq + 1);',
    replace: 'const end = block.count;',
    tests: ['test/campaigns/run/claims.test.ts'],
  },
];
