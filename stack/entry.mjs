// Runs before any dependency exists, so: plain JavaScript, Node 20, node builtins only.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scripts = {
  start: 'stack/main.ts',
  servers: 'stack/main.ts',
  test: 'stack/main.ts',
  admin: 'stack/admin.ts',
  bench: 'bench/main.ts',
  drill: 'drills/main.ts',
};
const ownStackCommands = ['start', 'servers', 'test'];
const installLock = join(root, '.install-lock');
const installLockStaleMs = 600_000;

const [command, ...args] = process.argv.slice(2);
if (!Object.hasOwn(scripts, command)) fail(`Say what to do: ${Object.keys(scripts).join(', ')}.`);
await installWhatIsMissing();
run(chooseNode());

async function installWhatIsMissing() {
  let reason = staleReason();
  if (!reason) return;
  await takeInstallLock();
  try {
    reason = staleReason();
    if (reason) install(reason);
  } finally {
    rmdirSync(installLock);
  }
}

function install(reason) {
  const began = Date.now();
  console.log(`Installing dependencies (${reason}); about 150 MB, a minute on a slow line.`);
  const options = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] };
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], options);
  if (error) fail(`npm could not be run (${error.message}). Install npm 10 or later beside Node.`);
  if (status !== 0) fail('npm ci did not succeed; its message above says why. Mend that and start again.');
  console.log(`Dependencies installed in ${((Date.now() - began) / 1000).toFixed(1)} s.`);
}

/** npm writes node_modules/.package-lock.json last, so it is the stamp of a finished installation. */
function staleReason() {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (!installed) return 'first start';
  const wanted = readPackages(join(root, 'package-lock.json')) ?? {};
  for (const [path, { version, optional, dev }] of Object.entries(wanted)) {
    if (path === '' || (dev && command !== 'test' && !installed[path])) continue;
    if (installed[path] ? installed[path].version !== version : !optional) return 'package-lock.json has changed';
  }
  return null;
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return null;
  }
}

/** Two starts at once in one folder must not both run npm ci. */
async function takeInstallLock() {
  for (let waited = 0; ; waited++) {
    try {
      return mkdirSync(installLock);
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`Dependencies cannot be installed here: ${error.message}.`);
    }
    if (waited === 0) console.log('Another start is installing the dependencies; waiting for it.');
    const heldMs = Date.now() - (statSync(installLock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (heldMs > installLockStaleMs) rmdirSync(installLock);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function chooseNode() {
  const bundled = join(root, 'node_modules', '.bin', 'node');
  if (runsTypeScript(process.versions.node)) {
    if (ownStackCommands.includes(command)) {
      const origin = process.execPath.startsWith(join(root, 'node_modules'))
        ? 'the one in node_modules'
        : "this machine's own";
      console.log(`Node ${process.versions.node} (${origin}).`);
    }
    return process.execPath;
  }
  const version = existsSync(bundled)
    ? spawnSync(bundled, ['--version'], { encoding: 'utf8' }).stdout?.trim().slice(1)
    : '';
  if (version && runsTypeScript(version)) {
    if (ownStackCommands.includes(command))
      console.log(`Node ${version} (the one in node_modules; this machine's own ${process.versions.node} is too old).`);
    return bundled;
  }
  const apple = process.platform === 'darwin' && process.arch === 'arm64';
  fail(
    apple
      ? `Everpost needs Node 24 and this is ${process.versions.node}: on Apple silicon install it (brew install node@24) and start again.`
      : `Everpost needs Node 22.18 or later and this is ${process.versions.node}: install Node 24 and start again.`,
  );
}

function runsTypeScript(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

function run(node) {
  const script = join(root, scripts[command]);
  if (!existsSync(script)) fail(`${scripts[command]} is missing from this checkout.`);
  const childArgs = scripts[command] === 'stack/main.ts' ? [script, command, ...args] : [script, ...args];
  // The child sees the channel close when this process is killed, and stops what it started.
  const child = spawn(node, childArgs, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  stopWhenNpmIsGone(child);
  child.on('error', (error) => fail(`Node could not be started: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}

/** npm passes signals on, but a killed npm cannot; it is our parent, or the parent of the shell that it runs scripts with. */
function stopWhenNpmIsGone(child) {
  if (!process.env.npm_lifecycle_event) return;
  const shell = process.ppid;
  const watched = () => `${process.ppid} ${parentIfShell(shell)}`;
  const atFirst = watched();
  setInterval(() => watched() === atFirst || child.kill('SIGTERM'), 1_000).unref();
}

function parentIfShell(pid) {
  const [, command, parent] = /\((.*)\) \S (\d+)/.exec(statusLine(pid)) ?? [];
  return /sh$/.test(command ?? '') ? parent : null;
}

/** "(sh) S 4711": name, state and parent, as Linux keeps them; elsewhere ps says them. */
function statusLine(pid) {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/stat`, 'utf8');
    const { stdout } = spawnSync('ps', ['-o', 'comm=,ppid=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout.trim().replace(/^(.*\S)\s+(\d+)$/, '($1) S $2');
  } catch {
    return '';
  }
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
