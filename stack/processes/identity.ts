import { spawnSync } from 'node:child_process';
import { readIfThere } from './log.ts';

/** When a process began, as the system says it: with the pid it names one process for good, although pids come again. */
export function processIdentity(pid: number): string | null {
  if (process.platform === 'linux') {
    const stat = readIfThere(`/proc/${pid}/stat`);
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields?.[0] && fields[0] !== 'Z' ? (fields[19] ?? null) : null;
  }
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.trim() || null;
}

export interface ProcessNote {
  readonly pid: number;
  readonly identity: string;
}

export function noteOf(pid: number): ProcessNote {
  return { pid, identity: processIdentity(pid) ?? '' };
}

export function isRunning(note: ProcessNote): boolean {
  return processIdentity(note.pid) === note.identity;
}
