import type { Collection, ObjectId } from 'mongodb';

/** Work on all projects that one process does at a time; `_id` is its name. */
export interface Upkeep {
  _id: string;
  /** Absent for work that is done once. */
  dueAt?: Date;
  doneAt?: Date;
  /** Of the ledger: see core/mail/ledger/version.ts. */
  version?: number;
}

export type StartKind = 'campaign' | 'metrics' | 'import' | 'domain' | 'segment' | 'migration';

/** A run that is to be started, or signalled when it is there already. Removed when the run has it. */
export interface RunStart {
  /** Kind and subject. */
  _id: string;
  projectId: ObjectId;
  kind: StartKind;
  /** The document that the run is for. */
  subjectId: ObjectId;
  /** Of the requests since it was last absent. */
  revision: number;
  dueAt: Date;
}

declare module '../base/collections.ts' {
  interface Collections {
    upkeep: Collection<Upkeep>;
    starts: Collection<RunStart>;
  }
}
