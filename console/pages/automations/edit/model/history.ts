/** The states of an editor: undo takes the last act back, redo does it again. */
export interface History<T> {
  past: readonly T[];
  now: T;
  future: readonly T[];
  /** The field that the last act wrote: what is typed into one field is one act. */
  field: string | null;
}

const ACTS_MAX = 200;

export function begin<T>(now: T): History<T> {
  return { past: [], now, future: [], field: null };
}

export function act<T>({ past, now, field }: History<T>, next: T, written: string | null = null): History<T> {
  if (written !== null && written === field) return { past, now: next, future: [], field };
  return { past: [...past, now].slice(-ACTS_MAX), now: next, future: [], field: written };
}

export function undo<T>(history: History<T>): History<T> {
  const { past, now, future } = history;
  const before = past.at(-1);
  if (before === undefined) return history;
  return { past: past.slice(0, -1), now: before, future: [now, ...future], field: null };
}

export function redo<T>(history: History<T>): History<T> {
  const { past, now, future } = history;
  const [after, ...rest] = future;
  if (after === undefined) return history;
  return { past: [...past, now], now: after, future: rest, field: null };
}
