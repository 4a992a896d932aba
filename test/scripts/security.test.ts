import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2);

describe('docs/security.md', () => {
  it('names at least one test for every threat, and only tests that exist', () => {
    expect(rows.length).to.be.at.least(12);
    const missing: string[] = [];
    for (const row of rows) {
      const [who = '', , , named = ''] = row.split(' | ');
      const tests = [...row.matchAll(/`(test\/[\w./-]+)`: "([^"]+)"/g)];
      expect(tests.length, row).to.be.at.least(1);
      expect(named, who).to.not.equal('');
      for (const [, file = '', title = ''] of tests) if (!hasTitle(file, title)) missing.push(`${file}: ${title}`);
    }
    expect(missing).to.deep.equal([]);
  });

  it('names only files that exist', () => {
    const files = [...page.matchAll(/`((?:test|core|stack|docs)\/[\w./-]+\.\w+)`|\]\(([\w.-]+\.md)\)/g)];
    const paths = files.map(([, path, link]) => path ?? join('docs', link ?? ''));
    expect(paths.filter((path) => !existsSync(join(root, path)))).to.deep.equal([]);
  });
});

/** A quoted title may end where the title in the source has a value. */
function hasTitle(file: string, title: string): boolean {
  if (!existsSync(join(root, file))) return false;
  const titles = readFileSync(join(root, file), 'utf8').matchAll(/\b(?:it|describe)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g);
  return [...titles].some(([, , text = '']) => text.replace(/\\(['"`])/g, '$1').startsWith(title));
}
