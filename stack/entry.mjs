// Runs before any dependency exists, so: plain JavaScript, Node 20, node builtins only.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scripts = {
  start: 'stack/main.ts',
  servers: 'stack/main.ts',
  test: 'stack/main.ts',
  'test:mta': 'stack/main.ts',
  admin: 'cli/admin.ts',
  bench: 'lab/bench/main.ts',
  drill: 'lab/drills/main.ts',
  'demo:migration': 'stack/demo/demo-migration.ts',
};
/** What they use besides what runs: mocha, a browser, clients of others. */
const developerCommands = ['test', 'test:mta', 'bench', 'drill'];
const ownStackCommands = ['start', 'servers', 'test', 'test:mta'];
/** Inside the checkout: in the shared temporary folder any user of the machine could make it first and hold up a start. */
const installLock = join(root, '.install-lock');

const [command, ...args] = process.argv.slice(2);
const isDeveloper = developerCommands.includes(command);
if (!Object.hasOwn(scripts, command)) fail(`Say what to do: ${Object.keys(scripts).join(', ')}.`);
await installWhatIsMissing();
run(chooseNode());

async function installWhatIsMissing() {
  if (!staleReason()) return;
  await takeInstallLock();
  try {
    const stale = staleReason();
    if (stale) await install(stale);
  } finally {
    rmSync(installLock, { force: true });
  }
}

async function install({ reason, isAddition }) {
  const began = Date.now();
  const seconds = () => `${((Date.now() - began) / 1000).toFixed(0)} s`;
  console.log(`Installing dependencies (${reason}), about half a minute.`);
  // Started processes may use what is there, so additions leave it in place.
  const how = isAddition ? ['install', '--no-save'] : ['ci', ...(isDeveloper ? [] : ['--omit=dev'])];
  const options = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] };
  const npm = spawn('npm', [...how, '--no-audit', '--no-fund', '--loglevel=error'], options);
  process.once('SIGTERM', () => npm.kill() && process.exit(1));
  const progress = setInterval(() => console.log(`npm is at work, ${seconds()}.`), 10_000);
  const code = await new Promise((resolve) => {
    npm.on('exit', resolve);
    npm.on('error', (error) => resolve(error.message));
  });
  clearInterval(progress);
  if (typeof code === 'string') fail(`npm could not be run (${code}). Install npm 10 or later beside Node.`);
  if (code !== 0) fail('npm did not succeed; its message above says why. Mend that and start again.');
  removeForeignBridges();
  console.log(`Dependencies installed in ${seconds()}.`);
}

/** Temporal's package has its native part for five kinds of machine, 25 MB each. */
function removeForeignBridges() {
  const folder = join(root, 'node_modules/@temporalio/core-bridge/releases');
  const releases = existsSync(folder) ? readdirSync(folder) : [];
  const arch = { x64: 'x86_64', arm64: 'aarch64' }[process.arch];
  const own = releases.find((name) => name.startsWith(`${arch}-`) && name.includes(`-${process.platform}`));
  if (!own) return;
  for (const name of releases) if (name !== own) rmSync(join(folder, name), { recursive: true });
}

/** npm writes node_modules/.package-lock.json last, so it is the stamp of a finished installation. */
function staleReason() {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (!installed) return { reason: 'first start', isAddition: false };
  const wanted = readPackages(join(root, 'package-lock.json')) ?? {};
  let isIncomplete = false;
  for (const [path, { version, optional, devOptional, dev }] of Object.entries(wanted)) {
    if (path === '') continue;
    if (installed[path] && installed[path].version !== version)
      return { reason: 'package-lock.json has changed', isAddition: false };
    if (installed[path] || optional || devOptional) continue;
    if (!dev) return { reason: 'package-lock.json has changed', isAddition: false };
    isIncomplete = true;
  }
  return isIncomplete && isDeveloper ? { reason: `for npm run ${command}`, isAddition: true } : null;
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return null;
  }
}

/** Two starts at once in one folder must not both run npm ci. A lock whose holder is gone is taken over. */
async function takeInstallLock() {
  for (let waited = 0; ; waited++) {
    try {
      return writeFileSync(installLock, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`Dependencies cannot be installed here: ${error.message}.`);
    }
    if (!isRunning(installLock)) rmSync(installLock, { force: true });
    else if (waited === 0) console.log('Another start is installing the dependencies; waiting for it.');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function isRunning(pidFile) {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')) || -1, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
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
  const child = spawn(node, childArgs, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: withCompileCache() });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  stopWhenNpmIsGone(child);
  child.on('error', (error) => fail(`Node could not be started: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}

/** Compiled code is kept for the next start, which takes a quarter less for it. */
function withCompileCache() {
  return { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'), ...process.env };
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
