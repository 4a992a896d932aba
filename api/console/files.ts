import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Deps } from '../../core/base/deps.ts';
import { makePolite } from '../../platform/priority.ts';
import type { Manifest } from './page.ts';
import { sourceHash } from './source-hash.ts';

export interface ConsoleFiles {
  folder: string;
  manifest: Manifest;
  names: ReadonlySet<string>;
}

/** Resolves when the console can be served; null when it could not be bundled. */
export type OpenedConsole = Promise<ConsoleFiles | null>;

const script = fileURLToPath(new URL('./bundle.ts', import.meta.url));

/**
 * The files that CONSOLE_BUNDLE names, or those of DATA_DIR that were bundled from the same sources, or bundled now. Nothing waits
 * for it but a request for the console.
 */
export async function openConsole({ config, log }: Pick<Deps, 'config' | 'log'>): OpenedConsole {
  const { consoleBundle, dataDir } = config;
  try {
    if (consoleBundle) return read(consoleBundle);
    const folder = join(dataDir, 'console', await sourceHash());
    if (!existsSync(join(folder, 'manifest.json'))) await bundle(folder);
    return read(folder);
  } catch (error) {
    log.error(
      { said: (error as { stderr?: string }).stderr || (error as Error).message },
      'the console could not be bundled',
    );
    return null;
  }
}

async function bundle(folder: string): Promise<void> {
  const running = promisify(execFile)(process.execPath, [script, folder, '--tidy']);
  if (running.child.pid) makePolite(running.child.pid, { hasOwnSession: false });
  await running;
}

function read(folder: string): ConsoleFiles {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  return { folder, manifest, names: new Set(manifest.files) };
}
