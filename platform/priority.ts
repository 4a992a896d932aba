import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/**
 * Lowers the priority of a process. Where Linux shares the processor between sessions (autogroup), the priority of a process counts only
 * within its session, and that of the session decides: it is lowered too when the process has a session of its own.
 */
export function makePolite(pid: number, { hasOwnSession }: { hasOwnSession: boolean }): void {
  attempt(() => setPriority(pid, PRIORITY_BELOW_NORMAL));
  if (hasOwnSession) attempt(() => writeFileSync(`/proc/${pid}/autogroup`, `${PRIORITY_BELOW_NORMAL}`));
}

/** Without permission or support, priorities stay equal. */
function attempt(ask: () => void): void {
  try {
    ask();
  } catch {}
}
