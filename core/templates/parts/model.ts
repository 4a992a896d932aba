import type { Collection, ObjectId } from 'mongodb';
import type { Due } from '../../base/model.ts';

/** Templates that are published again, each as a new version of the same content with its parts and the brand as they are then. */
export interface Republication extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  status: 'queued' | 'running' | 'completed';
  /** Each once. */
  templateIds: string[];
  /** How many of them were looked at. Moves in the transaction that publishes. */
  done: number;
  published: number;
  /** Those whose mail is the same. */
  unchanged: number;
  failed: number;
  /** The first of them. */
  failures: Array<{ templateId: string; message: string }>;
  /** The id of a member; null: a key. */
  startedBy: ObjectId | null;
  createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null;
}

declare module '../../base/collections.ts' {
  interface Collections {
    republications: Collection<Republication>;
  }
}
