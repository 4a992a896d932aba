import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from './temporary.ts';

const root = join(import.meta.dirname, '../..');
const lockfile = JSON.stringify({ packages: { 'node_modules/one': { version: '1.0.0' } } });

/** `npm ci` as far as the entry sees it: takes a while, notes each run and who holds the lock, and leaves the stamp. */
const npm = `#!/bin/sh
echo "lock $(cat .install-lock)" >> npm-runs
echo "$1 $2" >> npm-calls
sleep 0.5
mkdir -p node_modules
cp package-lock.json node_modules/.package-lock.json
`;

describe('Installing dependencies at the first start', () => {
  const folder = temporaryFolder();
  let checkout: string;
  let count = 0;
  beforeEach(() => {
    checkout = join(folder(), `checkout-${++count}`);
    mkdirSync(join(checkout, 'stack'), { recursive: true });
    mkdirSync(join(checkout, 'bin'));
    mkdirSync(join(checkout, 'cli'));
    copyFileSync(join(root, 'stack/entry.mjs'), join(checkout, 'stack/entry.mjs'));
    writeFileSync(join(checkout, 'cli/admin.ts'), "console.log('started');\n");
    writeFileSync(join(checkout, 'package-lock.json'), lockfile);
    writeFileSync(join(checkout, 'bin/npm'), npm);
    chmodSync(join(checkout, 'bin/npm'), 0o755);
  });

  function start(command = 'admin'): Promise<string> {
    const env = { ...process.env, PATH: `${join(checkout, 'bin')}${delimiter}${process.env.PATH}` };
    return new Promise((resolve) => {
      const entry = [join(checkout, 'stack/entry.mjs'), command];
      execFile(process.execPath, entry, { env, timeout: 60_000 }, (_error, stdout, stderr) => resolve(stdout + stderr));
    });
  }

  it('Two starts at once run npm once, under a lock inside the checkout that is gone afterwards.', async () => {
    const said = await Promise.all([start(), start()]);
    for (const text of said) expect(text).to.match(/started\n$/);
    expect(readFileSync(join(checkout, 'npm-runs'), 'utf8')).to.match(/^lock \d+\n$/);
    expect(existsSync(join(checkout, '.install-lock'))).to.equal(false);
  });

  it('Packages that only developers use are left out until a command of theirs adds them to what is there.', async () => {
    const packages = { 'node_modules/one': { version: '1.0.0' }, 'node_modules/two': { version: '1.0.0', dev: true } };
    const calls = () => readFileSync(join(checkout, 'npm-calls'), 'utf8').trim().split('\n');
    const stamp = (known: object) =>
      writeFileSync(join(checkout, 'node_modules/.package-lock.json'), JSON.stringify({ packages: known }));
    writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify({ packages }));
    await start();
    stamp({ 'node_modules/one': { version: '1.0.0' } });
    await start();
    expect(calls()).to.deep.equal(['ci --omit=dev']);
    await start('bench');
    expect(calls().slice(1)).to.deep.equal(['install --no-save']);
    await start('bench');
    stamp({ ...packages, 'node_modules/one': { version: '0.9.0' } });
    await start('bench');
    expect(calls().slice(2)).to.deep.equal(['ci --no-audit']);
  });

  it('A file in the shared temporary folder holds nothing up, whatever its name.', async () => {
    const hash = createHash('sha256').update(checkout).digest('hex').slice(0, 16);
    const foreign = join(tmpdir(), `everpost-install-${hash}`);
    writeFileSync(foreign, String(process.pid));
    try {
      expect(await start()).to.match(/started\n$/);
    } finally {
      rmSync(foreign, { force: true });
    }
  });

  it('A lock whose holder is gone is taken over.', async () => {
    writeFileSync(join(checkout, '.install-lock'), '999999999');
    expect(await start()).to.match(/started\n$/);
  });

  it('git ignores the lock, and the image leaves it out.', () => {
    for (const file of ['.gitignore', '.dockerignore'])
      expect(readFileSync(join(root, file), 'utf8').split('\n'), file).to.include('.install-lock');
  });
});
