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

/** A question to the person behind a client: may this call of a key send mail to this many people? */
export interface Confirmation {
  /** Random; it is also the id of the question in the client's protocol. */
  _id: string;
  projectId: ObjectId;
  apiKeyId: ObjectId;
  /** A hash of the call with all that it says, which is not stored. */
  call: string;
  people: number;
  /** The client's request that waits for the answer, so that it can be cancelled in any process. */
  waiting?: string;
  state: ConfirmationState;
  expiresAt: Date;
}

export type ConfirmationState = 'pending' | 'accepted' | 'declined' | 'used' | 'withdrawn';

declare module '../base/collections.ts' {
  interface Collections {
    organizations: Collection<Organization>;
    apiKeys: Collection<ApiKey>;
    confirmations: Collection<Confirmation>;
  }
}
