import type { Collection, ObjectId } from 'mongodb';
import type { Scope } from '../../schemas/operations.ts';

/** Organizations and their keys. */

export interface Organization {
  _id: ObjectId;
  name: string;
  createdAt: Date;
}

export interface ApiKey {
  _id: ObjectId;
  /** The middle part of the key, by which the record is found. */
  shortId: string;
  /** SHA-256 of the whole key. The key itself is not stored. */
  hash: Buffer;
  organizationId: ObjectId;
  /** null: an admin key of the organization. */
  projectId: ObjectId | null;
  name: string;
  /** Absent: full. Admin keys have none. */
  scope?: Exclude<Scope, 'full'>;
  /** Of a key with scope send: the only domain that From may be on. */
  domainName?: string;
  createdAt: Date;
  /** To the minute; absent: never used. */
  lastUsedAt?: Date;
  revokedAt: Date | null;
}

declare module '../base/collections.ts' {
  interface Collections {
    organizations: Collection<Organization>;
    apiKeys: Collection<ApiKey>;
  }
}
