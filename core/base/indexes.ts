import type { CreateIndexesOptions, IndexSpecification } from 'mongodb';
import type { Collections } from './collections.ts';

interface Index extends CreateIndexesOptions {
  key: IndexSpecification;
  /** The sentence that this index guarantees, or the query that it serves. */
  because: string;
}

/** The indexes of a noun, by collection and name. */
export type Indexes = { [On in keyof Collections]?: Record<string, Index> };

/** Documents without the field take no space. */
export function onlyWith(field: string) {
  return { partialFilterExpression: { [field]: { $exists: true } } };
}

export const requestIndexes = {
  idempotency: {
    expiry: {
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
      because: 'Stored idempotent answers expire after 24 hours.',
    },
  },
  requestCounts: {
    expiry: { key: { expiresAt: 1 }, expireAfterSeconds: 0, because: 'Requests count for the time of their limits.' },
  },
} satisfies Indexes;
