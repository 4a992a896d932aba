import { readFileSync, writeFileSync } from 'node:fs';
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
 * has the priority of the one that made it. Where Linux shares the processor between sessions (autogroup) the priority of the session
 * decides, which is this process's to lower only if it is alone there.
 */
export function letOthersFirst(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  for (const ask of [
    () => setPriority(PRIORITY_BELOW_NORMAL),
    () => hasOwnSession() && writeFileSync('/proc/self/autogroup', `${PRIORITY_BELOW_NORMAL}`),
  ]) {
    try {
      ask();
    } catch {
      // Where it is not allowed, or not known, everybody is equal.
    }
  }
}

function hasOwnSession(): boolean {
  const [, , , session] = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ') ?? [];
  return Number(session) === process.pid;
}
