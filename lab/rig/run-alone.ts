import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lifetime } from '../../stack/lifetime.ts';
import { say } from '../../stack/output.ts';
import { startServers } from '../../stack/servers/all.ts';

/**
 * One bench on servers of its own, which are gone when it is over: the next finds an empty machine. A bench that breaks down says
 * so and takes nothing with it.
 */
export async function runAlone(file: string, args: readonly string[], lifetime: Lifetime): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'everpost-bench-'));
  const removeFolder = async () => rmSync(dataDir, { recursive: true, force: true });
  lifetime.add({ stop: removeFolder });
  const kinds = ['mongodb', 'redis', 'temporal'] as const;
  try {
    const servers = await startServers({ dataDir, kinds, say, onStarted: (server) => lifetime.add(server) });
    try {
      const env = { ...process.env, ...servers.environment, DATA_DIR: dataDir };
      const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit', env });
      lifetime.add({ stop: async () => void child.kill() });
      return (await ended(child)) === 0;
    } finally {
      await servers.stop();
    }
  } catch (error) {
    say((error as Error).message);
    return false;
  } finally {
    await removeFolder();
  }
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('exit', resolve);
    child.on('error', reject);
  });
}
