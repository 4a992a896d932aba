import type { Collection } from 'mongodb';

/** Work on all projects. */

/** Work on all projects that one process does at a time; `_id` is its name. */
export interface Upkeep {
  _id: string;
  dueAt: Date;
}

declare module './collections.ts' {
  interface Collections {
    upkeep: Collection<Upkeep>;
  }
}
