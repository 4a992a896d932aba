import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fault, type OutageTally, outage } from './outages.ts';
import { withServers } from './servers.ts';
import type { Mix } from './traffic.ts';
import { until } from './waiting.ts';

const SIZE = '450m';

/** mongod on a disk that fills up; null where nothing can be mounted. */
export async function diskFull(mix: Mix): Promise<OutageTally | null> {
  const disk = mkdtempSync(join(tmpdir(), 'everpost-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', disk]);
  if (status !== 0) {
    rmSync(disk, { recursive: true, force: true });
    return null;
  }
  try {
    return await withServers(
      (servers, env) => {
        const filler = join(disk, 'filler');
        const fault: Fault = {
          lastsMs: 5_000,
          async strike() {
            fillUp(filler);
            await until('mongod gives up', async () => servers.mongodb?.pid() === null, 90_000);
          },
          async mend() {
            rmSync(filler);
            await servers.mongodb?.start();
          },
        };
        return outage(env, { mix, faults: [fault], quietMs: 5_000 });
      },
      { kinds: ['mongodb', 'redis', 'temporal'], dataDir: join(disk, 'data') },
    );
  } finally {
    spawnSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true, force: true });
  }
}

/** Until nothing goes in any more. */
function fillUp(path: string): void {
  const file = openSync(path, 'w');
  const megabyte = Buffer.alloc(1_048_576, 1);
  try {
    for (;;) writeSync(file, megabyte);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}
