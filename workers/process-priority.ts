import { existsSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { makePolite } from '../platform/priority.ts';

/**
 * An import makes much garbage. By default V8 lets the heap grow fourfold before it collects; collecting at every quarter costs
 * such a worker nothing that can be measured.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=25');
}

/**
 * Nothing waits for the work of such a process; people wait for the API on the same machine. Called before any other thread
 * begins, since a thread inherits the priority of the one that made it.
 */
export function lowerPriority(): void {
  makePolite(process.pid, { hasOwnSession: isSessionLeader() });
}

/** The leader of a session was started on its own, so no other process's priority is lowered. False where there is no /proc. */
function isSessionLeader(): boolean {
  if (!existsSync('/proc/self/stat')) return false;
  const [, , , session] = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ') ?? [];
  return Number(session) === process.pid;
}
