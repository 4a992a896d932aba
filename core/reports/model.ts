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
  /** The number of the project's count that it belongs to: see ReportState. */
  count: number;
  /** "campaign:<id>", "automation:<id>", or "lane:<lane>" for all other mail. */
  source: string;
  at: Date;
  counts: Counts;
  providers?: Record<string, ProviderCounts>;
  /** By sending domain. */
  domains?: Record<string, Counts>;
}

/** The clicks on one link of one campaign, step of an automation, or template. */
export interface LinkCounts {
  /** Derived from the fields before the counts. */
  _id: ObjectId;
  projectId: ObjectId;
  /** As in ReportCounts. */
  count: number;
  /** "campaign:<id>", "automation:<id>" or "template:<id>". */
  source: string;
  /** The step of an automation. */
  step: string | null;
  /** The number of the link in the content; null for links grouped by URL. */
  link: number | null;
  /** As it is written in the content, or as it was clicked; null for the row of all others. */
  url: string | null;
  clicks: number;
  /** Mails in which it was clicked. */
  people: number;
  /** Mails in which a person clicked it. */
  humanPeople: number;
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

/** The last events that were published about a sending domain. */
export interface Standing {
  domain: string;
  isWarned: boolean;
  warnedAt?: Date;
  recoveredAt?: Date;
}

/** A campaign, a step of an automation or a template, with the links of its content as they are written. */
export interface LinkSource {
  source: string;
  step: string | null;
  written: readonly string[];
}

declare module '../base/collections.ts' {
  interface Collections {
    reportCounts: Collection<ReportCounts>;
    linkCounts: Collection<LinkCounts>;
    reportStates: Collection<ReportState>;
  }
}
