import type { Collection, ObjectId } from 'mongodb';
import type { Due } from '../../base/model.ts';

/**
 * The date of a contact that an automation waits for. `dueAt`: its next occurrence, or when that is to be looked for again; absent: there is
 * none for now. `_id` is made of automation and contact.
 */
export interface AwaitedDate extends Due {
  _id: string;
  projectId: ObjectId;
  automationId: ObjectId;
  contactId: ObjectId;
  /** Occurrences from here on have not been looked at. */
  from: Date;
  /** The one that was looked at last, so that a date which comes again by another zone or time of day is none. */
  last?: string;
}

/**
 * How far the dates of the contacts were looked for. settling: all were looked at, and are once more when no change that does not know the
 * automation can be running.
 */
export interface DateSearch {
  status: 'running' | 'settling' | 'completed';
  /** The last contact that was looked at; null at the beginning of a pass. */
  cursor: ObjectId | null;
  looked: number;
  total: number;
  begunAt: Date;
  /** When the automation began to wait for this date: earlier occurrences are no entries. */
  since: Date;
}

declare module '../model/automation.ts' {
  interface Automation {
    /** Of one that has let people in by a date. */
    dates?: DateSearch;
  }
}

declare module '../../base/collections.ts' {
  interface Collections {
    awaitedDates: Collection<AwaitedDate>;
  }
}
