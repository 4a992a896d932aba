import { existsSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { makePolite } from '../platform/priority.ts';

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
  makePolite(process.pid, { hasOwnSession: leadsSession() });
}

/** Whoever leads one was started on its own: nobody else's priority is lowered. false where there is no /proc. */
function leadsSession(): boolean {
  if (!existsSync('/proc/self/stat')) return false;
  const [, , , session] = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ') ?? [];
  return Number(session) === process.pid;
}
