import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../core/base/deps.ts';
import type { DotJournals } from '../../core/mail/ledger/dot-journal.ts';
import { readNotes } from './format.ts';
import { DotFile } from './writer.ts';

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
const OWNER = /^[0-9a-f]{24}@[0-9a-f]{8}$/;
/** A process that runs touches its journal more often than this, and the claims of one that is gone are settled by then. */
const GONE_MS = 3_600_000;

interface Given {
  dataDir: string;
  log: Log;
  bootId?: string | null;
}

/** Dot journals in DATA_DIR/dots. Where the system does not name its boot there are none. */
export function createDotJournals({ dataDir, log, bootId = readBootId() }: Given): DotJournals & { sweep(): void } {
  const folder = join(dataDir, 'dots');
  return {
    machine: bootId && createHash('sha256').update(bootId).digest('hex').slice(0, 8),
    open(owner, unwritten) {
      if (bootId === null) return null;
      try {
        mkdirSync(folder, { recursive: true });
        return new DotFile({ file: join(folder, owner), bootId, log, unwritten, sweep: () => removeGone(folder) });
      } catch (error) {
        log.warn({ err: error, folder }, 'no dot journal can be kept; a crash leaves more mail of unknown outcome');
        return null;
      }
    },
    sweep: () => removeGone(folder),
    async read(owner) {
      if (bootId === null || !OWNER.test(owner)) return null;
      const bytes = await readFile(join(folder, owner)).catch(() => null);
      return bytes && readNotes(bytes, bootId);
    },
  };
}

function readBootId(): string | null {
  try {
    return readFileSync(BOOT_ID_FILE, 'latin1').trim() || null;
  } catch {
    return null;
  }
}

/** By age, since a folder may be shared with other machines. */
function removeGone(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    try {
      if (Date.now() - statSync(file).mtimeMs > GONE_MS) rmSync(file, { force: true });
    } catch {
      // Another process has removed it.
    }
  }
}
