import type { Collection } from 'mongodb';

/** Work on all projects that one process does at a time; `_id` is its name. */
export interface Upkeep {
  _id: string;
  /** Absent for work that is done once. */
  dueAt?: Date;
  doneAt?: Date;
  /** Of the ledger: see core/mail/ledger/version.ts. */
  version?: number;
}

declare module '../base/collections.ts' {
  interface Collections {
    upkeep: Collection<Upkeep>;
  }
}
