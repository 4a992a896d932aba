import type { Collection, ObjectId } from 'mongodb';
import type { Due } from '../../base/model.ts';
import type { StoredList } from '../../people/model.ts';
import type { TriggerOutcome } from '../model/enrollment.ts';

export type SkipReason = NonNullable<TriggerOutcome['reason']>;

/** Contacts that a caller enters into an automation. Due until all were looked at, and once more to forget who was named. */
export interface EnrollmentJob extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  automationId: ObjectId;
  status: 'queued' | 'running' | 'completed';
  /** As the history of each enrollment says it. */
  enteredBy: string;
  /** Each once; absent with a list, and when the job is over. */
  contactIds?: ObjectId[];
  list?: Pick<StoredList, '_id' | 'type'>;
  /** How many of them were looked at, and the last address of a list. Moves in the write that counts them. */
  cursor: { done: number; email: string | null };
  total: number;
  entered: number;
  skipped: Partial<Record<SkipReason, number>>;
  /** Ids and addresses of no contact. */
  missing: number;
  /** The first of them; empty a day after the end. */
  missingNamed: string[];
  createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null;
}

declare module '../../base/collections.ts' {
  interface Collections {
    enrollmentJobs: Collection<EnrollmentJob>;
  }
}
