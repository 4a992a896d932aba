import type { Indexes } from '../base/indexes.ts';
import { DAY_SECONDS } from '../base/time/durations.ts';

export const migrationIndexes = {
  migrations: {
    one_at_a_time: {
      key: { projectId: 1 },
      unique: true,
      partialFilterExpression: { status: { $in: ['queued', 'running', 'needs_attention'] } },
      because: 'One migration of a project at a time.',
    },
    newest: { key: { projectId: 1, _id: -1 }, because: 'The migrations of a project, newest first.' },
  },
  migrationSecrets: {
    expiry: {
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
      because: 'The sealed key of a failed job expires after 72 hours.',
    },
  },
  migrationUnsubscribed: {
    migration: { key: { projectId: 1, migrationId: 1 }, because: 'The addresses that one job noted as unsubscribed.' },
    expiry: {
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
      because: 'Addresses noted by a job that was never finished expire.',
    },
  },
  migrationPlans: {
    expiry: {
      key: { at: 1 },
      expireAfterSeconds: 30 * DAY_SECONDS,
      because: 'The counts of a plan expire after 30 days.',
    },
  },
  providerPaces: {
    expiry: {
      key: { at: 1 },
      expireAfterSeconds: DAY_SECONDS,
      because: 'The pace of an account without requests expires.',
    },
  },
} satisfies Indexes;
