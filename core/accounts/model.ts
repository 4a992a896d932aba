import type { Collection, ObjectId } from 'mongodb';
import type { Role, Scope } from '../../schemas/operations.ts';
import type { Made } from '../base/maker.ts';
import type { Due, Sealed } from '../base/model.ts';

/** Organizations, their members and their keys. */

export interface Organization {
  _id: ObjectId;
  name: string;
  /** Incremented by the transactions that take an owner away, so that two of them conflict. */
  ownerChanges?: number;
  createdAt: Date;
}

/** A person who acts for an organization. The same address may be a member of several. */
export interface Member extends Made {
  _id: ObjectId;
  organizationId: ObjectId;
  /** Normalized (core/base/text/addresses.ts). Stored here and with sessions and links only: other documents name a member by id. */
  email: string;
  /** In all projects of the organization. */
  role: Role;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * A browser that is signed in. It belongs to an address: the memberships of that address are read with each request, so a session
 * without any is worth nothing.
 */
export interface MemberSession {
  _id: ObjectId;
  /** SHA-256 of the token in the cookie. The token itself is not stored. */
  hash: Buffer;
  email: string;
  createdAt: Date;
  /** To the minute. */
  lastUsedAt: Date;
  expiresAt: Date;
  /** The name that the browser gave when it signed in, shortened; null: none. */
  userAgent: string | null;
}

/** A link that signs in once. `_id` names its mail, whose job has the date. */
export interface SignInLink extends Due {
  _id: ObjectId;
  /** NO_PROJECT, since the queue of mails shares its workers by project. */
  projectId: ObjectId;
  /** SHA-256 of the token in the link. The token itself is in `sealed` alone. */
  hash: Buffer;
  /** Of its mail, until that has an outcome: address and token. Nothing says yet whether the address is known. */
  sealed?: Sealed;
  /** The member's address. Absent until the mail is composed: the link does not work before. */
  email?: string;
  /** How often its mail was offered to a relay without a final answer. */
  attempts?: number;
  createdAt: Date;
  /** Absent: it works until it is used (the link that `npm start` prints). */
  expiresAt?: Date;
  /** Only for requests from this machine. */
  isLocal: boolean;
}

export interface ApiKey extends Made {
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
    members: Collection<Member>;
    memberSessions: Collection<MemberSession>;
    signInLinks: Collection<SignInLink>;
    confirmations: Collection<Confirmation>;
  }
}
