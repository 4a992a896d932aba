import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { StackError } from '../output.ts';
import { processIdentity } from '../processes/identity.ts';

const fetching = 'fetching-';

export function cacheDir(env: NodeJS.ProcessEnv): string {
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'everpost');
  return join(env.HOME ?? homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'everpost');
}

/**
 * Fills the folder of `target` in one rename: an interrupted fetch leaves nothing that looks whole, and of two that
 * fetch at once the second keeps the files of the first.
 */
export async function fillAtomically(target: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const folder = dirname(target);
  const cache = dirname(folder);
  mkdirSync(cache, { recursive: true });
  removeAbandoned(cache);
  const temporary = mkdtempSync(join(cache, `${fetching}${process.pid}-`));
  try {
    await fill(temporary);
    if (!existsSync(join(temporary, basename(target))))
      throw new StackError(`${basename(target)} is not in what was fetched`);
    renameSync(temporary, folder);
  } catch (error) {
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function removeAbandoned(cache: string): void {
  for (const name of readdirSync(cache)) {
    const pid = new RegExp(`^${fetching}(\\d+)-`).exec(name)?.[1];
    if (pid && processIdentity(Number(pid)) === null) rmSync(join(cache, name), { recursive: true, force: true });
  }
}
