import { constants, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/**
 * An import makes much that is let go at once. By itself V8 lets the heap grow fourfold before it looks for what can go; looking at every
 * quarter costs such a worker nothing that can be measured.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=25');
}

/**
 * Nobody waits for what such a process does; people wait for the API on the same machine. Before any other thread begins, since each
 * has the priority of the one that made it.
 */
export function letOthersFirst(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Where it is not allowed, everybody is equal.
  }
}
