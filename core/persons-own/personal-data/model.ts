import type { Collection, ObjectId } from 'mongodb';
import type { Sealed } from '../../base/model.ts';
import type { AddressSpan } from '../../people/addresses.ts';
import type { Contact } from '../../people/model.ts';
import type { PersonsOwnDeps } from '../deps.ts';

/** The data of a person, and the requests for them. */

/** A person of a project: a contact, or an address that mail was sent to or that is suppressed. */
export interface Person {
  projectId: ObjectId;
  email: string;
  contact: Contact | null;
  /** The address, and those that the contact had before. */
  addresses: AddressSpan[];
}

/** How the data of a deleted contact leave a collection. */
export type Removal =
  /** In the transaction of the deletion. */
  | { by: 'deletion' }
  /** By a job, within a day. */
  | { by: 'job'; how: string }
  /** By a TTL index on the field. */
  | { by: 'expiry'; field: string; after: string }
  | { by: 'nothing'; because: string };

export type Shown = Record<string, unknown>;
type Rows = AsyncIterable<Shown>;

/** A collection whose documents are in the file that a person gets. */
export interface Exported {
  /** The name of its part of the file. */
  section: string;
  /** One at a time, so that a person with 100,000 mails, or with long ones, takes no more memory than others. */
  rows(deps: Pick<PersonsOwnDeps, 'db'>, person: Person): Rows;
  removal: Removal;
}

/** A collection that may name a person, and is not in the file. */
export interface LeftOut {
  leftOut: string;
  removal: Removal;
}

/** A collection that names no person. */
export interface Nameless {
  nameless: string;
}

export type PersonalData = Exported | LeftOut | Nameless;

/** A mail with a link to the data of an address, which works once. */
export interface DataRequest {
  _id: ObjectId;
  projectId: ObjectId;
  /** SHA-256 of the token in the link. The token itself is in the mail alone. */
  hash: Buffer;
  email: Sealed;
  createdAt: Date;
  expiresAt: Date;
  /** When a download began; unset when it broke off. A whole one removes the request. */
  takenAt?: Date;
}

declare module '../../base/collections.ts' {
  interface Collections {
    dataRequests: Collection<DataRequest>;
  }
}
