import type { Binary, ObjectId } from 'mongodb';
import type { Due } from './due.ts';

/** People, the lists and segments they are in, and files of them. */

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

export interface StoredList {
  _id: ObjectId;
  projectId: ObjectId;
  name: string;
  description: string;
  /** global: the one list of every project that holds all its contacts; callers know it as GLOBAL_CONTACT_LIST. */
  type: 'list' | 'segment' | 'global';
  /** As the caller gave it, with every fieldType said; null for lists. */
  filterCriteria: Record<string, unknown> | null;
  /** How far the contacts of the project are held against the filter; null for lists. */
  recompute: SegmentRecompute | null;
  /** There is a recompute to start, or to look after. */
  recomputeDueAt?: Date;
  createdAt: Date;
  updatedAt: Date;
}

export interface ContactList extends StoredList {
  /** Kept by the transactions that change contacts; never counted on read. */
  contactCount: number;
}

/**
 * A part of the count of a list. Writers that run side by side each have a part of their own: two transactions that move one
 * number would stop each other. The count is the sum.
 */
export interface ListCount {
  /** List and writer. */
  _id: string;
  projectId: ObjectId;
  listId: ObjectId;
  count: number;
}

export interface SegmentRecompute {
  /** Moves with every change of the filter: whoever was at work for another one stops. */
  generation: number;
  /** settling: everybody was looked at, and is looked at once more when no change can be under way that did not know the filter. */
  status: 'running' | 'settling' | 'completed';
  /** The last contact that was looked at; null at the beginning of a look. */
  cursor: ObjectId | null;
  processed: number;
  total: number;
  requestedAt: Date;
  completedAt: Date | null;
}

/** A list or segment that is deleted and still stands in contacts; `_id` is its own. */
export interface ListRemoval {
  _id: ObjectId;
  projectId: ObjectId;
  type: 'list' | 'segment';
  lastLookAt: Date;
  dueAt?: Date;
}

export interface ContactImport {
  _id: ObjectId;
  projectId: ObjectId;
  status: 'queued' | 'running' | 'completed' | 'completed_with_errors' | 'failed';
  format: 'csv' | 'ndjson';
  fileName: string | null;
  sizeBytes: number;
  /** Lists that every contact joins. */
  listIds: ObjectId[];
  runWorkflow: boolean;
  /** What the first line of a CSV file says, once it is read. */
  header: { columns: string[]; delimiter: string } | null;
  /** Where the next row begins. Moves in the transaction that writes the rows before it. */
  cursor: { bytes: number; row: number };
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  failureReason: string | null;
  startedAt: Date | null;
  completedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  /** There is a run to start. */
  startDueAt?: Date;
}

/** A piece of the file; deleted when the import is over. */
export interface ImportChunk {
  /** Import and number. */
  _id: string;
  projectId: ObjectId;
  importId: ObjectId;
  number: number;
  bytes: Binary;
  createdAt: Date;
}

export interface ImportError {
  /** Import and row. */
  _id: string;
  projectId: ObjectId;
  importId: ObjectId;
  /** The first row below the header is 1. */
  row: number;
  email: string | null;
  message: string;
  createdAt: Date;
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

/** A deleted contact whose messages still say something about it; `_id` is the contact's. */
export interface ContactErasure extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  email: string;
  deletedAt: Date;
}
