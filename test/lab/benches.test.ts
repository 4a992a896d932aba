import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { runAlone } from '../../lab/rig/run-alone.ts';
import { newLifetime } from '../../stack/lifetime.ts';
import { temporaryFolder } from '../stack/temporary.ts';

describe('Benches', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();

  it('They run one after the other, each on servers of its own, and one that breaks down takes no other with it.', async () => {
    const lifetime = newLifetime();
    const seen = join(folder(), 'seen');
    const note = `require('fs').appendFileSync(${JSON.stringify(seen)}, process.env.MONGODB_URL + '\\n')`;
    const good = script('good.cjs', note);
    const broken = script('broken.cjs', `${note}; process.exit(3)`);
    const ended: boolean[] = [];
    for (const file of [good, broken, good]) ended.push(await runAlone(file, [], lifetime));
    expect(ended).to.deep.equal([true, false, true]);
    const urls = readFileSync(seen, 'utf8').trim().split('\n');
    expect(urls).to.have.length(3);
    expect(new Set(urls).size).to.equal(3);
  });

  function script(name: string, text: string): string {
    const file = join(folder(), name);
    writeFileSync(file, text);
    return file;
  }
});
