import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Servers, startServers } from '../../stack/servers/all.ts';
import type { ServerName } from '../../stack/settings.ts';

/** Servers that may be killed: no other drill uses them. */
export async function withServers<T>(
  work: (servers: Servers, env: NodeJS.ProcessEnv & { DATA_DIR: string }) => Promise<T>,
  {
    kinds = ['mongodb', 'redis', 'temporal'],
    dataDir = mkdtempSync(join(tmpdir(), 'everpost-servers-')),
    ...special
  }: {
    kinds?: readonly ServerName[];
    dataDir?: string;
    temporalSettings?: Record<string, boolean | number>;
    mongodbCacheGb?: number;
  } = {},
): Promise<T> {
  const servers = await startServers({ dataDir, kinds, ...special });
  try {
    return await work(servers, { ...process.env, ...servers.environment, DATA_DIR: dataDir });
  } finally {
    await servers.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
