import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { withVariables } from '../../scripts/readme.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

describe('The README', () => {
  it('has the table of environment variables as the config schema says; npm run readme writes it', () => {
    expect(withVariables(readme)).to.equal(readme);
  });

  it('links only to files that exist, and names only scripts that exist', () => {
    const links = [...readme.matchAll(/\]\((?!http)([^)#]+)\)/g)].map(([, path]) => path as string);
    expect(links.filter((path) => !existsSync(join(root, path)))).to.deep.equal([]);
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name as string);
    expect(named.filter((name) => !(name in scripts))).to.deep.equal([]);
  });
});
