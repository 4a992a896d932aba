import type { Mutation } from '../mutation.ts';

const freeze = ['test/campaigns/audience/freeze.test.ts'];
const blocks = ['test/campaigns/run/blocks.test.ts'];

/** The freeze into blocks, and everything that reads them. */
export const audienceMutations: readonly Mutation[] = [
  {
    name: 'a freeze that was replaced writes rows of suppressed people',
    file: 'core/campaigns/audience/attempt.ts',
    find: "    const update = { ...set, $inc: { 'freeze.writes': 1 } };",
    replace: "    const update = { ...set, $unset: { 'freeze.writes': 1 as const } };",
    tests: freeze,
    grep: 'transaction was open',
  },
  {
    name: 'the audience is not read from a snapshot',
    file: 'core/campaigns/run/freeze.ts',
    find: 'isSnapshot ? deps.mongo.startSession({ snapshot: true }) : undefined',
    replace: 'undefined',
    tests: freeze,
    grep: 'of one moment',
  },
  {
    name: 'people of open claims are counted twice once they have a row',
    file: 'core/mail/ledger/blocks/counts.ts',
    find: 'inFlight: sizeOf(open) - (await countRows(deps, of, open, session))',
    replace: 'inFlight: sizeOf(open)',
    tests: blocks,
    grep: 'counted in parts',
  },
  {
    name: 'a pause does not wait for claims',
    file: 'core/campaigns/numbers/counts.ts',
    find: 'return open + rows;',
    replace: 'return rows;',
    tests: blocks,
    grep: 'a pause is not answered',
  },
  {
    name: 'an erasure leaves addresses in blocks',
    file: 'core/mail/erase/erase.ts',
    find: 'await eraseFromBlocks(deps, erasure),',
    replace: '',
    tests: blocks,
    grep: 'is erased',
  },
  {
    name: 'blocks leave though a claim is open',
    file: 'core/campaigns/audience/leave.ts',
    find: 'if ((await countOpen(deps, { projectId, campaignId })) > 0) return;',
    replace: '',
    tests: blocks,
    grep: 'stay while a claim is open',
  },
  {
    name: 'after a restore campaigns that were due are sent',
    file: 'core/campaigns/audience/after-restore.ts',
    find: '{ projectId, $or: [due, freezing] }',
    replace: '{ projectId, $or: [freezing] }',
    tests: blocks,
    grep: 'after a restore',
  },
  {
    name: 'a process works beside a ledger of another version',
    file: 'core/mail/ledger/version.ts',
    find: 'if (version === LEDGER_VERSION) return null;',
    replace: 'if (version !== undefined) return null;',
    tests: blocks,
    grep: 'another version of the ledger',
  },
];
