import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Say, StackError } from './output.ts';
import { killIfThere } from './processes/child.ts';
import { isRunning, noteOf, type ProcessNote } from './processes/identity.ts';
import { readIfThere } from './processes/log.ts';

const stoppingStartMs = 12_000;
const leftoverMs = 7_000;

/**
 * One start at a time works on a data folder. A start that is just stopping is waited for; servers left by one that was
 * killed end on their leash within six seconds, and what is still there then is killed.
 */
export async function takeDataDir(dataDir: string, say: Say): Promise<void> {
  mkdirSync(join(dataDir, 'run'), { recursive: true });
  await waitForOwner(dataDir, say);
  rmSync(stackFile(dataDir), { force: true }); // of a start that was killed
  writeFileSync(ownerFile(dataDir), JSON.stringify(noteOf(process.pid)));
  const leftovers = readdirSync(join(dataDir, 'run')).map((file) => join(dataDir, 'run', file));
  await Promise.all(leftovers.map((file) => endLeftover(file)));
}

export function leaveDataDir(dataDir: string): void {
  if (readNote(ownerFile(dataDir))?.pid === process.pid) rmSync(ownerFile(dataDir), { force: true });
}

/** Notes a process of this data folder, so that the next start can check whether it still runs. */
export function noteProcess(dataDir: string, name: string, pid: number): void {
  mkdirSync(join(dataDir, 'run'), { recursive: true });
  writeFileSync(join(dataDir, 'run', `${name}.json`), JSON.stringify(noteOf(pid)));
}

async function waitForOwner(dataDir: string, say: Say): Promise<void> {
  const began = Date.now();
  for (let told = false; ; ) {
    const owner = readNote(ownerFile(dataDir));
    if (!owner || !isRunning(owner)) return;
    // It removes stack.json first when it stops; two seconds for one that has not noticed yet.
    const serving = readIfThere(stackFile(dataDir)) !== null;
    if (Date.now() - began > (serving ? 2_000 : stoppingStartMs))
      throw new StackError(
        `Everpost already runs with the data in ${dataDir} (process ${owner.pid}); stop it first, or give another DATA_DIR.`,
      );
    if (!told) say(`An earlier start (process ${owner.pid}) still uses ${dataDir}; waiting for it to stop.`);
    told = true;
    await sleep(200);
  }
}

async function endLeftover(file: string): Promise<void> {
  const note = readNote(file);
  const until = Date.now() + leftoverMs;
  while (note && isRunning(note) && Date.now() < until) await sleep(100);
  if (note && isRunning(note)) killIfThere(note.pid, 'SIGKILL');
  rmSync(file, { force: true });
}

function readNote(file: string): ProcessNote | null {
  try {
    return JSON.parse(readIfThere(file) ?? 'null') as ProcessNote | null;
  } catch {
    return null;
  }
}

/** Where the rest of the world reads what runs: written last, removed first. */
export function stackFile(dataDir: string): string {
  return join(dataDir, 'stack.json');
}

function ownerFile(dataDir: string): string {
  return join(dataDir, 'owner.json');
}
