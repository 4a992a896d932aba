import { existsSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { makePolite } from '../platform/priority.ts';
import type { RoleName } from './roles.ts';

/**
 * An import makes much garbage. By default V8 lets the heap grow fourfold before it collects; collecting at every quarter costs
 * such a worker nothing that can be measured.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=25');
}

const PATIENT: ReadonlySet<RoleName> = new Set(['workflows', 'background', 'campaign']);

/**
 * People wait for the API and for single mails, and not for a range of a campaign or a step of a run. Those share one priority: at a lower
 * one than the senders, steps of small campaigns waited for a large one.
 */
export function canWait(roles: readonly RoleName[]): boolean {
  return !roles.includes('mail') && roles.some((role) => PATIENT.has(role));
}

/** Called before any other thread begins, since a thread inherits the priority of the one that made it. */
export function lowerPriority(): void {
  makePolite(process.pid, { hasOwnSession: isSessionLeader() });
}

/** The leader of a session was started on its own, so no other process's priority is lowered. False where there is no /proc. */
function isSessionLeader(): boolean {
  if (!existsSync('/proc/self/stat')) return false;
  const [, , , session] = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ') ?? [];
  return Number(session) === process.pid;
}
