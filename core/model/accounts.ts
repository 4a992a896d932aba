import type { ObjectId } from 'mongodb';

/** Whose everything is: organizations, projects, keys, and what a key has asked. */

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
