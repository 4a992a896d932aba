/** Work that has its time. */

/** Work on all projects that one process does at a time; `_id` is its name. */
export interface Upkeep {
  _id: string;
  dueAt: Date;
}

/** The one thing that every collection of due documents shares (core/due.ts): the time of its next turn, absent when there is nothing to do. */
export interface Due {
  dueAt?: Date;
}
