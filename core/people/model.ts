import type { Collection, ObjectId } from 'mongodb';
import type { ContactField } from '../../schemas/people/contacts.ts';
import type { Due, PropertyType, PropertyValue } from '../base/model.ts';
import type { BehaviourKind } from './filters/model.ts';

/** Contacts, and the lists and segments they are in. */

export interface Contact extends Record<ContactField, string | null> {
  _id: ObjectId;
  projectId: ObjectId;
  /** Normal form of core/base/text/addresses.ts. */
  email: string;
  contactProperties: Record<string, PropertyValue>;
  listIds: ObjectId[];
  segmentIds: ObjectId[];
  /** When the passing of time may change a segment next: never later than that, but perhaps earlier. */
  windowDueAt?: Date;
  /**
   * Set on a contact that was made without automations (`runWorkflow: false`), until anything else changes it or it does something. Until
   * then no automation starts for it because time passes.
   */
  isQuiet?: true;
  /** When facts were last compared with segments: a concurrent change of the contact conflicts with that, and is repeated. */
  factsAt?: Date;
  createdAt: Date;
  updatedAt: Date;
}

/** Something that a contact did, once; `_id` is derived from its source, so that a repeat is the same fact. */
export interface ContactFact {
  _id: ObjectId;
  projectId: ObjectId;
  contactId: ObjectId;
  /** Mail that a contact received is read from the ledger. */
  kind: Exclude<BehaviourKind, 'received'>;
  at: Date;
  campaignId?: ObjectId;
  automationId?: ObjectId;
  url?: string;
  eventName?: string;
  properties?: Record<string, PropertyValue>;
}

/** A change of a contact that people ask about: its fields and lists. Segments, which follow from them, are not in it. */
export interface ContactHistory {
  _id: ObjectId;
  projectId: ObjectId;
  contactId: ObjectId;
  at: Date;
  kind: 'created' | 'updated';
  /** Of a change: the first of the fields that changed; a property is named contactProperties.name. Long values are cut. */
  fields?: FieldChange[];
  /** How many fields changed. */
  fieldCount?: number;
  joinedListIds?: ObjectId[];
  leftListIds?: ObjectId[];
  importId?: ObjectId;
  automationId?: ObjectId;
}

export interface FieldChange {
  field: string;
  from: PropertyValue | null;
  to: PropertyValue | null;
}

/** Facts until they are counted: one document for those that came together. */
export interface NotedFacts extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  facts?: ContactFact[];
  /** Facts that are no longer true. */
  untrueIds?: Array<{ factId: ObjectId; contactId: ObjectId; kind: ContactFact['kind'] }>;
  /** Mail that may have been received. */
  messageIds?: ObjectId[];
  /** Deleted contacts, whose facts are to be removed. */
  goneIds?: ObjectId[];
}

export interface StoredList {
  _id: ObjectId;
  projectId: ObjectId;
  name: string;
  description: string;
  /** global: the list of all contacts that each project has; the interface calls it GLOBAL_CONTACT_LIST. */
  type: 'list' | 'segment' | 'global';
  /** Set for lists that people see on their preference page. */
  isPublic?: true;
  /** As the caller gave it, with every fieldType made explicit; null for lists. */
  filterCriteria: Record<string, unknown> | null;
  /** How far the contacts of the project are compared with the filter; null for lists. */
  recompute: SegmentRecompute | null;
  /** Increases with each campaign that is published or started with the list, so that a concurrent removal conflicts. */
  holds?: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface ContactList extends StoredList {
  /** Kept by the transactions that change contacts; never counted on read. */
  contactCount: number;
}

/**
 * A part of the count of a list. Concurrent writers each have a part of their own: two transactions that change one number would conflict.
 * The count is the sum.
 */
interface ListCount {
  /** List and writer. */
  _id: string;
  projectId: ObjectId;
  listId: ObjectId;
  count: number;
}

export interface SegmentRecompute {
  /** Increases with every change of the filter: a recompute for an older filter stops. */
  generation: number;
  /** settling: all contacts were compared, and are compared once more when no change that read the old filter can be running. */
  status: 'running' | 'settling' | 'completed';
  /** The last contact that was compared; null at the beginning of a pass. */
  cursor: ObjectId | null;
  processed: number;
  total: number;
  requestedAt: Date;
  completedAt: Date | null;
}

/** A deleted list or segment that is still named in contacts; `_id` is its own. */
export interface ListRemoval {
  _id: ObjectId;
  projectId: ObjectId;
  type: 'list' | 'segment';
  lastLookAt: Date;
  dueAt?: Date;
}

/** One of the previews that a project may have at a time; `_id` is project and number. */
export interface PreviewSlot {
  _id: string;
  projectId: ObjectId;
  until: Date;
}

export interface CustomField {
  _id: ObjectId;
  projectId: ObjectId;
  fieldName: string;
  fieldType: PropertyType;
  label: string;
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
    contactFacts: Collection<ContactFact>;
    contactHistory: Collection<ContactHistory>;
    notedFacts: Collection<NotedFacts>;
    previewSlots: Collection<PreviewSlot>;
  }
}
