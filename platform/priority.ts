import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/**
 * Lets a process wait for the others. Where Linux shares the processor between sessions (autogroup), the priority of a process counts among
 * its own only, and that of the session decides: it is lowered too where the process has a session of its own.
 */
export function makePolite(pid: number, { hasOwnSession }: { hasOwnSession: boolean }): void {
  attempt(() => setPriority(pid, PRIORITY_BELOW_NORMAL));
  if (hasOwnSession) attempt(() => writeFileSync(`/proc/${pid}/autogroup`, `${PRIORITY_BELOW_NORMAL}`));
}

/** Where it is not allowed, or not known, everybody is equal. */
function attempt(ask: () => void): void {
  try {
    ask();
  } catch {}
}
