import type { Binary, Collection, ObjectId } from 'mongodb';
import type { CountName } from '../../mail/ledger/counting/facts.ts';

/** Counts of 15 minutes, which stay when the mails are removed. */

export type Counts = Partial<Record<CountName, number>>;

/** The counts of a UTC day by quarter of an hour, of a part of a project's mail. */
export interface ReportCounts {
  /** Derived from project, count, part and day. */
  _id: ObjectId;
  projectId: ObjectId;
  /** The number of the project's count that it belongs to: see ReportState. */
  count: number;
  /** See core/figures/reports/parts.ts. */
  part: string;
  /** Its first moment. */
  day: Date;
  /** See core/figures/reports/rules/day-counts.ts. */
  quarters: Binary;
  /** Of a campaign: the sending domain and the tags, for what is counted after it was deleted. */
  domain?: string;
  tags?: string[];
  /** Of a tag that is counted on its own, its "name:value". */
  tag?: string;
  /** Of the deferrals with one reply: a text of such a reply, without addresses and numbers. */
  text?: string;
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
  /** As it is written in the content, or as it was clicked; '' when those who clicked it are erased; null for the row of all others. */
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
  /** The documents with this number are read. */
  count: number;
  /** The number of the last recount, whose documents have it; of a recount that did not end, they are not read. */
  lastCount?: number;
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

declare module '../../base/collections.ts' {
  interface Collections {
    reportCounts: Collection<ReportCounts>;
    linkCounts: Collection<LinkCounts>;
    reportStates: Collection<ReportState>;
  }
}
