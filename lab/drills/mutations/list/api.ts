import type { Mutation } from '../mutation.ts';

export const apiMutations: readonly Mutation[] = [
  {
    name: 'an Idempotency-Key is taken over without compare-and-set',
    file: 'core/base/database/idempotency.ts',
    find: '{ _id: known._id, owner, leaseUntil }',
    replace: '{ _id: known._id }',
    tests: ['test/edge/idempotency.test.ts'],
  },
  {
    name: 'projects share Idempotency-Keys',
    file: 'core/base/database/idempotency.ts',
    find: '{tenant.toHexString()}|',
    replace: "{''}|",
    tests: ['test/edge/idempotency.test.ts'],
  },
  {
    name: 'a repeated request makes other ids',
    file: 'core/base/database/idempotency.ts',
    find: '{ ...row, seed: known.seed, startedAt: known.startedAt }',
    replace: 'row',
    tests: ['test/edge/idempotency.test.ts'],
  },
  {
    name: 'a revoked key goes on',
    file: 'core/accounts/api-keys.ts',
    find: 'findOne({ shortId, revokedAt: null })',
    replace: 'findOne({ shortId })',
    tests: ['test/accounts/account.test.ts'],
  },
  {
    name: 'the scope of a key is not checked',
    file: 'core/accounts/scopes.ts',
    find: 'if (isInScope(scope, operation)) return;',
    replace: 'if (scope) return;',
    tests: ['test/accounts/keys/scopes.test.ts'],
  },
  {
    name: 'a key sends from every domain of its project',
    file: 'core/accounts/scopes.ts',
    find: 'if (domainName === undefined) return;',
    replace: 'if (domainName !== null) return;',
    tests: ['test/accounts/keys/send-keys.test.ts'],
  },
  {
    name: 'a secret opens for another document',
    file: 'core/base/secrets.ts',
    find: 'context.join(',
    replace: "[''].join(",
    tests: ['test/migrations/rules.test.ts', 'test/accounts/secret-keys.test.ts'],
  },
];
