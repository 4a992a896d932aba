import type { Collection, ObjectId } from 'mongodb';
import type { CountName } from '../outbox/counting/facts.ts';

/** Counts of 15 minutes, which stay when the mails are removed. */

export type Counts = Partial<Record<CountName, number>>;

export interface ProviderCounts extends Counts {
  /** Of the deferrals, by code. */
  replies?: Record<string, { count: number; text?: string }>;
}

/** The counts of 15 minutes UTC, of the mail of one campaign, automation or lane. Keys have "," for each ".". */
export interface ReportCounts {
  /** Derived from project, count, source and quarter. */
  _id: ObjectId;
  projectId: ObjectId;
  /** Which count of the project it belongs to: see ReportState. */
  count: number;
  /** "campaign:<id>", "automation:<id>", or "lane:<lane>" for all other mail. */
  source: string;
  at: Date;
  counts: Counts;
  providers?: Record<string, ProviderCounts>;
  /** By sending domain. */
  domains?: Record<string, Counts>;
}

/** `_id` is the project's. Every transaction that counts changes it, so that a recount can keep others from counting. */
export interface ReportState {
  _id: ObjectId;
  projectId: ObjectId;
  /** The documents with this number are read; a recount writes those of the next number. */
  count: number;
  turns: number;
  /** From when on everything is counted; not set before a recount. */
  since?: Date;
  /** A recount is at work: nothing else is counted until then. */
  pausedUntil?: Date;
  pausedBy?: ObjectId;
  /** The project is deleted, and nothing is counted. */
  deletedAt?: Date;
  /** The job to judge the sending domains. */
  reputationDueAt?: Date;
  standings?: Standing[];
}

/** Which events were published about a sending domain. */
export interface Standing {
  domain: string;
  isWarned: boolean;
  warnedAt?: Date;
  recoveredAt?: Date;
}

declare module '../base/collections.ts' {
  interface Collections {
    reportCounts: Collection<ReportCounts>;
    reportStates: Collection<ReportState>;
  }
}
