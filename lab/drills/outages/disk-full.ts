import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFolder } from '../../../platform/media/folder.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { withServers } from '../../rig/servers.ts';
import type { Mix } from '../../rig/traffic/requests.ts';
import { until } from '../../rig/waiting.ts';
import { type Fault, type OutageTally, outage } from './outages.ts';

/** mongod on a disk that fills up; null where nothing can be mounted. */
export function diskFull(mix: Mix): Promise<OutageTally | null> {
  return onDisk('450m', (disk) =>
    withServers(
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
      { kinds: ['mongodb', 'redis'], dataDir: join(disk, 'data') },
    ),
  );
}

interface FullMedia {
  saved: number;
  refused: number;
  /** Files that are incomplete, or that no request asked for. */
  halves: number;
}

/** Images that are kept until there is no room: each is there whole, or refused. */
export function mediaFull(): Promise<FullMedia | null> {
  return onDisk('2m', async (mediaDir) => {
    const media = openFolder(mediaDir);
    const bytes = Buffer.alloc(150_000, 7);
    const nameOf = (index: number) => `${index.toString(16).padStart(64, '0')}.png`;
    const tries = Array.from({ length: 40 }, (_, index) => media.save(nameOf(index), bytes));
    const ends = await Promise.allSettled(tries);
    const saved = ends.flatMap(({ status }, index) => (status === 'fulfilled' ? [nameOf(index)] : []));
    const whole = saved.filter((name) => readFileSync(join(mediaDir, name)).equals(bytes));
    return {
      saved: saved.length,
      refused: ends.length - saved.length,
      halves: readdirSync(mediaDir).length - whole.length,
    };
  });
}

export function judgeMedia({ saved, refused, halves }: FullMedia): Verdict {
  return {
    kept: saved > 0 && refused > 0 && halves === 0,
    says: `media folder full: ${saved} images kept whole, ${refused} refused, ${halves} in part`,
  };
}

async function onDisk<T>(size: string, work: (folder: string) => Promise<T>): Promise<T | null> {
  const disk = mkdtempSync(join(tmpdir(), 'everpost-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]);
  try {
    return status === 0 ? await work(disk) : null;
  } finally {
    if (status === 0) spawnSync('umount', ['-l', disk]);
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
