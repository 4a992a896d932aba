import type { ClientSession, Collection, ObjectId } from 'mongodb';

/** The stored shapes, one interface a noun. The wire shapes are made from them in api/present.ts. */

export interface Organization {
  _id: ObjectId;
  name: string;
  createdAt: Date;
}

export interface Project {
  _id: ObjectId;
  organizationId: ObjectId;
  name: string;
  trackingOpen: boolean;
  trackingClick: boolean;
  /** Moves with every change of fields, segments or automations, so that compiled copies know when they are stale. */
  audienceVersion: number;
  createdAt: Date;
  deletedAt: Date | null;
}

export interface ApiKey {
  _id: ObjectId;
  /** The middle part of the key; finds the record. */
  shortId: string;
  /** SHA-256 of the whole key. The key itself is stored nowhere. */
  hash: Buffer;
  organizationId: ObjectId;
  /** null: an admin key of the organization. */
  projectId: ObjectId | null;
  name: string;
  createdAt: Date;
  revokedAt: Date | null;
}

/** The answer of a POST that carried an Idempotency-Key. `_id` is a hash of tenant and key. */
export interface IdempotencyRow {
  _id: string;
  fingerprint: string;
  state: 'running' | 'done';
  /** Ids of what the request creates are derived from seed and time, so a second try makes the same ones. */
  seed: ObjectId;
  startedAt: Date;
  owner: string;
  leaseUntil: Date;
  status: number | null;
  body: string | null;
  expiresAt: Date;
}

export type PropertyValue = string | number | boolean;
export type PropertyType = 'string' | 'number' | 'boolean' | 'date';

export interface Contact {
  _id: ObjectId;
  projectId: ObjectId;
  /** Normal form of core/rules/addresses.ts. */
  email: string;
  firstName: string | null;
  lastName: string | null;
  userId: string | null;
  mobile: string | null;
  contactProperties: Record<string, PropertyValue>;
  listIds: ObjectId[];
  segmentIds: ObjectId[];
  createdAt: Date;
  updatedAt: Date;
}

export interface ContactList {
  _id: ObjectId;
  projectId: ObjectId;
  name: string;
  description: string;
  type: 'list' | 'segment';
  /** Kept by the transaction that changes contacts; never counted on read. */
  contactCount: number;
  /** As the caller gave it; null for lists. */
  filterCriteria: Record<string, unknown> | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface CustomField {
  _id: ObjectId;
  projectId: ObjectId;
  fieldName: string;
  fieldType: PropertyType;
  description: string;
  defaultValue: PropertyValue | null;
  createdAt: Date;
  updatedAt: Date;
}

export type VerificationStatus = 'PENDING_CONFIGURATION' | 'PENDING' | 'VERIFIED';

/** The one thing that every collection of due documents shares (core/due.ts): the time of its next turn, absent when there is nothing to do. */
export interface Due {
  dueAt?: Date;
}

export interface Collections {
  organizations: Collection<Organization>;
  projects: Collection<Project>;
  apiKeys: Collection<ApiKey>;
  idempotency: Collection<IdempotencyRow>;
  contacts: Collection<Contact>;
  contactLists: Collection<ContactList>;
  customFields: Collection<CustomField>;
}

export type Session = ClientSession;
