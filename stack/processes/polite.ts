import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/**
 * Lets a process that was started in a session of its own wait for the others. Where Linux shares the processor between sessions (autogroup),
 * the priority of a process counts among its own only, and that of the session decides.
 */
export function makePolite(pid: number): void {
  for (const ask of [
    () => setPriority(pid, PRIORITY_BELOW_NORMAL),
    () => writeFileSync(`/proc/${pid}/autogroup`, `${PRIORITY_BELOW_NORMAL}`),
  ]) {
    try {
      ask();
    } catch {
      // Where it is not allowed, or not known, everybody is equal.
    }
  }
}
