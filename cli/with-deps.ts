import type { Deps, Log } from '../core/base/deps.ts';
import { openPlatform } from '../platform/connect.ts';
import type { Config } from '../schemas/config.ts';
import { createWorkflows } from '../workflows/client.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** The core, wired for a short piece of work while the other processes run. */
export async function withDeps<T>(config: Config, work: (deps: Deps) => Promise<T>): Promise<T> {
  const { parts, temporal, close } = openPlatform(config, silent);
  try {
    return await work({ ...parts, workflows: createWorkflows(config, temporal) });
  } finally {
    await close();
  }
}
