import type { Collection, ObjectId } from 'mongodb';

/** Addresses that must not be mailed. */

export type SuppressionReason = 'UNSUBSCRIBE' | 'BOUNCE' | 'COMPLAINT' | 'MANUAL';

export interface SuppressionGroup {
  _id: ObjectId;
  projectId: ObjectId;
  /** Six upper-case letters or digits: the id that callers know. */
  groupId: string;
  name: string;
  description: string;
  /** Each project has one global, one default and one marketing group, made with it. */
  isGlobal: boolean;
  isDefault: boolean;
  /** Its entries stop all marketing mail, whichever group the mail names. No mail names it. */
  isMarketing?: true;
  /** Set for groups that people see on their preference page; never for the global and the marketing one. */
  isPublic?: true;
  /** Entries by reason, updated by the transaction that writes them. */
  counts: Record<SuppressionReason, number>;
  /** Incremented with every change of its entries. */
  version?: number;
  /** Incremented with each campaign and automation that names it. */
  holds?: number;
  /** Of the marketing group: until when the unsubscribes of earlier versions were carried over to it. */
  widenedAt?: Date;
  createdAt: Date;
  updatedAt: Date;
  /** Set while its entries are being removed; for every caller the group no longer exists. */
  deletedAt: Date | null;
}

export interface Suppression {
  _id: ObjectId;
  projectId: ObjectId;
  /** Normal form of core/base/text/addresses.ts. */
  email: string;
  groupId: string;
  /** Copied from its group, where they never change. */
  isGlobal: boolean;
  isDefault: boolean;
  isMarketing?: true | undefined;
  reason: SuppressionReason;
  /** The proof: the reply of a relay, the address of a page. */
  evidence: string | null;
  /** The weaker reason: it remains when the contact takes an unsubscribe back, or gets another address than the one that bounced. */
  beside?: Layer | undefined;
  /** Set with an unsubscribe in the marketing group: codes of groups that the person has turned on since. */
  exceptGroupIds?: string[] | undefined;
  createdAt: Date;
  updatedAt: Date;
}

/** A reason with the weaker ones beneath it. */
export interface Layer extends Pick<Suppression, 'reason' | 'evidence'> {
  beside?: Layer | undefined;
}

declare module '../../base/collections.ts' {
  interface Collections {
    suppressionGroups: Collection<SuppressionGroup>;
    suppressions: Collection<Suppression>;
  }
}
