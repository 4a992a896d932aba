import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lifetime } from '../stack/lifetime.ts';
import { say } from '../stack/say.ts';
import { startServers } from '../stack/servers/all.ts';

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
      return (await run(file, args, { ...process.env, ...servers.environment, DATA_DIR: dataDir })) === 0;
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

function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number | null> {
  const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit', env });
  return new Promise((resolve, reject) => {
    child.on('exit', resolve);
    child.on('error', reject);
  });
}
