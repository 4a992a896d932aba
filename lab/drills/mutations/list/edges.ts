import type { Mutation } from '../mutation.ts';

const listing = (name: string, file: string, find: string, replace: string): Mutation => ({
  name,
  file,
  find,
  replace,
  tests: ['test/edge/tenancy-bodies.test.ts'],
  grep: 'are in no list',
});

export const edgesMutations: readonly Mutation[] = [
  {
    name: 'a stream outlives its key',
    file: 'api/http/streams/event-streams.ts',
    find: 'if (reason) close(reason);',
    replace: 'if (reason === undefined) close(reason);',
    tests: ['test/feed/streams.test.ts'],
    grep: 'their key is revoked',
  },
  {
    name: 'events of another project are replayed',
    file: 'core/events/webhooks.ts',
    find: 'const filter = { projectId, ...chosen, $or:',
    replace: 'const filter = { ...chosen, $or:',
    tests: ['test/feed/webhooks.test.ts'],
    grep: 'reach no webhook',
  },
  {
    name: 'a former project receives the mail of a new owner',
    file: 'core/inbound/destinations.ts',
    find: "if (domain.verificationStatus === 'VERIFIED') return false;",
    replace: 'if (domain.verificationStatus) return false;',
    tests: ['test/inbound/messages.test.ts'],
    grep: 'verified since',
  },
  listing(
    'webhooks of all projects are listed',
    'core/events/webhooks.ts',
    'pageOf(deps.db.webhooks, { projectId: project._id }',
    'pageOf(deps.db.webhooks, {}',
  ),
  listing(
    'senders of all projects are listed',
    'core/domains/senders.ts',
    "const filter = { projectId: project._id, ...named(search, 'name', 'email') };",
    "const filter = { ...named(search, 'name', 'email') };",
  ),
  listing(
    'campaigns of all projects are listed',
    'core/campaigns/definition/campaigns.ts',
    "const filter = { projectId: project._id, ...(status ? { status } : {}), ...named(search, 'name') };",
    "const filter = { ...(status ? { status } : {}), ...named(search, 'name') };",
  ),
  listing(
    'contacts of all projects are exported',
    'core/people/imports/exports.ts',
    'batchesById(deps.db.contacts, { projectId: project._id }',
    'batchesById(deps.db.contacts, {}',
  ),
];
