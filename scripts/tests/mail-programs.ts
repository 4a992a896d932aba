import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StackError, say } from '../../stack/output.ts';
import { cacheDir, fillAtomically } from '../../stack/servers/cache.ts';

/** exim4-base is what the other one of Exim needs; neither is installed, so their conflicts do not count. */
const packages = ['postfix', 'exim4-daemon-light', 'exim4-base'];
const tools = ['apt-get', 'apt-cache', 'dpkg', 'unshare', 'setpriv'];

/** Why this machine cannot run mail programs out of packages that are not installed; null: it can. */
export function missingForMailPrograms(): string | null {
  if (process.platform !== 'linux') return 'this machine is not Linux';
  const missing = tools.find((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0);
  if (missing) return `there is no ${missing}`;
  if (process.getuid?.() !== 0) return 'Postfix and Exim need root to start';
  return spawnSync('unshare', ['--mount', 'true']).status === 0 ? null : 'mounting in a namespace is not allowed';
}

/** A folder with the files of Postfix, Exim and the libraries of theirs that this machine lacks, as they would lie in /. */
export async function fetchMailPrograms(env: NodeJS.ProcessEnv): Promise<string> {
  const folder = join(cacheDir(env), `mail-programs-${systemName()}`);
  const target = join(folder, 'usr');
  if (existsSync(target)) return folder;
  await fillAtomically(target, async (temporary) => {
    const wanted = [...packages, ...missingLibraries(packages)];
    say(`Fetching the packages ${wanted.join(', ')}.`);
    const archives = join(temporary, 'archives');
    mkdirSync(archives);
    run('apt-get', ['download', ...wanted], archives);
    for (const archive of globSync('*.deb', { cwd: archives })) run('dpkg', ['-x', archive, temporary], archives);
    // A setuid program of root has no business in a cache.
    run('chmod', ['-R', 'u-s,g-s', join(temporary, 'usr')]);
  });
  return folder;
}

/** Debian and Ubuntu, with their version: "debian-12". */
function systemName(): string {
  const release = readFileSync('/etc/os-release', 'utf8');
  const value = (name: string) => new RegExp(`^${name}="?([\\w.]+)`, 'm').exec(release)?.[1] ?? 'unknown';
  return `${value('ID')}-${value('VERSION_ID')}`;
}

function missingLibraries(names: readonly string[], known = new Set<string>()): string[] {
  const depends = run('apt-cache', ['depends', ...names]);
  const libraries = [...depends.matchAll(/^ *\|?(?:Pre)?Depends: (lib\S+)$/gm)].map(([, name]) => name as string);
  const missing = [...new Set(libraries)].filter((name) => !known.has(name) && !isInstalled(name));
  for (const name of missing) known.add(name);
  return missing.length > 0 ? [...missing, ...missingLibraries(missing, known)] : [];
}

function isInstalled(name: string): boolean {
  const { stdout } = spawnSync('dpkg', ['-s', name], { encoding: 'utf8' });
  return stdout.includes('Status: install ok installed');
}

function run(command: string, args: string[], cwd?: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new StackError(`${command} ${args.join(' ')} failed: ${stderr.trim().slice(-500)}`);
  return stdout;
}
