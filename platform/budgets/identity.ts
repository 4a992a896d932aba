import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/** Processes of one machine, or of one container, which see each other. */
const MACHINE = machine();

/** A new name for each start. */
export function processName(): string {
  return `${MACHINE ?? ''}:${process.pid}:${randomBytes(6).toString('hex')}`;
}

/** A process of this machine that no longer runs: nothing of it is open. False also where that cannot be known. */
export function hasDied(name: string): boolean {
  const [machineName, pid] = name.split(':');
  if (MACHINE === null || machineName !== MACHINE) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** A boot, and the namespace in which process ids are counted. */
function machine(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    return boot && namespace ? `${boot}/${namespace}` : null;
  } catch {
    return null;
  }
}
