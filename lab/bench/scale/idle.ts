import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stackOnceItRuns, startStack, stop } from '../../../test/stack/started.ts';
import { memoryOf, privateMemoryOf } from '../../rig/memory-of.ts';
import { type Figure, figure } from '../../rig/results/report.ts';
import { pause } from '../../rig/waiting.ts';
import { keep, sizeOr } from '../run.ts';

/**
 * All that `npm start` runs but npm, which is 50 MB more where it has a Node of its own. The second start counts: the first compiles, and
 * keeps the compiler's memory.
 */
const seconds = sizeOr(300);
const folder = mkdtempSync(join(tmpdir(), 'everpost-idle-'));
try {
  const first = startStack(folder);
  await stackOnceItRuns(folder, first);
  await stop(first.entry);
  keep('idle', await idle());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function idle(): Promise<Figure[]> {
  const started = startStack(folder);
  try {
    const { processes } = await stackOnceItRuns(folder, started);
    await pause(seconds * 1_000);
    const unit = 'MB';
    const all = [megabytes(memoryOf(started.entry.pid!))];
    return [
      figure(`Memory of all that npm start runs, npm left out, idle for ${seconds} s, each file once`, unit, all, {
        asked: { atMost: 850, aim: 700 },
      }),
      ...processes.map(({ name, pid }) =>
        figure(`Private memory of ${name}, idle for ${seconds} s`, unit, [megabytes(privateMemoryOf(pid))]),
      ),
    ];
  } finally {
    await stop(started.entry);
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
