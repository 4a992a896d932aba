import type { Mutation } from '../mutation.ts';

export const ledgerMutations: readonly Mutation[] = [
  {
    name: 'a claim takes what another process holds',
    file: 'core/mail/ledger/claim.ts',
    find: 'state: { $in: CLAIMABLE_STATES },',
    replace: 'state: { $in: [...CLAIMABLE_STATES, states.committing] },',
    tests: ['test/outbox/ledger.test.ts'],
  },
  {
    name: 'a claim that was partly won counts as won whole',
    file: 'core/mail/ledger/claim.ts',
    find: 'owner: ledger.owner, claim, state: states.committing',
    replace: 'state: states.committing',
    tests: ['test/outbox/ledger.test.ts'],
  },
  {
    name: 'the dot is written after the lease',
    file: 'core/mail/ledger/claim.ts',
    find: 'held.stopped === null && ledger.now() < held.lease.safeUntilMs',
    replace: 'held.stopped === null',
    tests: ['test/outbox/ledger.test.ts'],
  },
  {
    name: 'the dot is written although a later look stopped the mail',
    file: 'core/mail/ledger/claim.ts',
    find: 'held.stopped === null && ledger.now() < held.lease.safeUntilMs',
    replace: 'ledger.now() < held.lease.safeUntilMs',
    tests: ['test/outbox/ledger.test.ts'],
  },
  {
    name: 'an outcome is written over the message of another owner',
    file: 'core/mail/ledger/record-outcomes.ts',
    find: 'owner, $or: from',
    replace: '$or: from',
    tests: ['test/outbox/ledger.test.ts'],
  },
  {
    name: 'marketing mail of unknown outcome is sent again',
    file: 'core/mail/ledger/resolve-orphan.ts',
    find: "return LANE_POLICIES[orphan.lane].repeatsUnknown ? again(orphan) : 'unknown';",
    replace: 'return again(orphan);',
    tests: ['test/outbox/ledger.test.ts'],
  },
  {
    name: 'what the relay has is sent again',
    file: 'core/mail/ledger/resolve-orphan.ts',
    find: "return reach === 'all' ? 'sent' : 'partly';",
    replace: 'return again(orphan);',
    tests: ['test/outbox/ledger.test.ts'],
  },
  {
    name: 'a cc that the relay deferred is not tried again',
    file: 'core/mail/ledger/resolve-orphan.ts',
    find: "return reach === 'all' ? 'sent' : 'partly';",
    replace: "return 'sent';",
    tests: ['test/outbox/ledger.test.ts'],
  },
  {
    name: 'mail that is settled as sent has no event',
    file: 'core/mail/ledger/settle-orphans.ts',
    find: "if (reach !== 'nothing') await publish([takenPart(orphan, reach)]);",
    replace: '',
    tests: ['test/outbox/ledger.test.ts'],
  },
  {
    name: 'two processes lease the same due documents',
    file: 'core/jobs/document-queue.ts',
    find: 'this.#documents.updateMany({ ...query, ...this.#isDue }, lease, {',
    replace: 'this.#documents.updateMany(query, lease, {',
    tests: ['test/jobs/queue.test.ts'],
  },
];
