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
  /** Each project has one global and one default group, made with it. */
  isGlobal: boolean;
  isDefault: boolean;
  /** Entries by reason, kept by the transaction that writes them. */
  counts: Record<SuppressionReason, number>;
  /** Moves with every change of its entries. */
  version?: number;
  /** Moves with each campaign and automation that comes to name it. */
  holds?: number;
  createdAt: Date;
  updatedAt: Date;
  /** Set while its entries are being removed; for every caller the group is gone. */
  deletedAt: Date | null;
}

export interface Suppression {
  _id: ObjectId;
  projectId: ObjectId;
  /** Normal form of core/base/text/addresses.ts. */
  email: string;
  groupId: string;
  /** Of its group, which never change there. */
  isGlobal: boolean;
  isDefault: boolean;
  reason: SuppressionReason;
  /** What proves it: the reply of a relay, the address of a page. */
  evidence: string | null;
  /** Beside an unsubscribe: what stands against the address when the person takes it back. */
  beside?: Pick<Suppression, 'reason' | 'evidence'> | undefined;
  createdAt: Date;
  updatedAt: Date;
}

declare module '../base/collections.ts' {
  interface Collections {
    suppressionGroups: Collection<SuppressionGroup>;
    suppressions: Collection<Suppression>;
  }
}
