import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processIdentity } from '../../stack/processes/identity.ts';

const prefix = 'everpost-test-';
/** Files in memory. A write that waits for the journal of MongoDB takes a third of the time that it takes on a disk. */
const memoryFolder = '/dev/shm';
/** Several times as much as the suite writes. */
const memoryBytesMin = 8 * 2 ** 30;

/** For the data of one run. */
export function makeTestFolder(): string {
  const bytes = memoryFree();
  for (const folder of bytes > 0 ? [tmpdir(), memoryFolder] : [tmpdir()]) removeAbandoned(folder);
  return mkdtempSync(join(bytes >= memoryBytesMin ? memoryFolder : tmpdir(), `${prefix}${process.pid}-`));
}

/** 0 where there is no such folder. */
function memoryFree(): number {
  try {
    accessSync(memoryFolder, constants.W_OK);
    const { bavail, bsize } = statfsSync(memoryFolder);
    return Math.min(bavail * bsize, process.availableMemory());
  } catch {
    return 0;
  }
}

/** A killed run leaves its folder behind; the next one removes it. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid && processIdentity(Number(pid)) === null) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
