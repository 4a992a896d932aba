import type { Collection, ObjectId } from 'mongodb';
import type { PropertyType, PropertyValue } from '../base/model.ts';

/** Contacts, and the lists and segments they are in. */

export interface Contact {
  _id: ObjectId;
  projectId: ObjectId;
  /** Normal form of core/base/text/addresses.ts. */
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
  /** Moves with each campaign that is published or started with it, so that a removal at the same moment conflicts. */
  holds?: number;
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

declare module '../base/collections.ts' {
  interface Collections {
    contacts: Collection<Contact>;
    contactLists: Collection<StoredList>;
    listCounts: Collection<ListCount>;
    listRemovals: Collection<ListRemoval>;
    customFields: Collection<CustomField>;
  }
}
