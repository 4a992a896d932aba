import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { withVariables } from '../../scripts/readme.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const pages = globSync(['*.md', '{docs,core,lab,deploy}/**/*.md'], { cwd: root });

describe('The pages of documentation', () => {
  it('have the table of environment variables as the config schema says; npm run readme writes it', () => {
    const page = read('docs/variables.md');
    expect(withVariables(page)).to.equal(page);
  });

  it('link only to files that exist', () => {
    expect(pages).to.include.members(['README.md', 'docs/operators/README.md', 'docs/decisions/README.md']);
    const links = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, path = '']) => ({ page, path })),
    );
    const broken = links.filter(({ page, path }) => !existsSync(join(root, dirname(page), path)));
    expect(broken.map(({ page, path }) => `${page}: ${path}`)).to.deep.equal([]);
  });

  it('name only files that are there, in the pages of rooms: under the room, or by their path in core or the tree', () => {
    const rooms = pages.filter((page) => page.startsWith('core/'));
    const named = rooms.flatMap((page) =>
      [...read(page).matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/g)].map(([, file = '']) => ({ page, file })),
    );
    expect(named.length).to.be.above(200);
    const isThere = ({ page, file }: (typeof named)[number]) =>
      ['', 'core'].some((folder) => existsSync(join(root, folder, file))) ||
      globSync(`**/${file}`, { cwd: join(root, dirname(page)) }).length > 0;
    expect(named.filter((one) => !isThere(one)).map(({ page, file }) => `${page}: ${file}`)).to.deep.equal([]);
  });

  it('name only scripts of package.json', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => ({ page, name })),
    );
    expect(named.filter(({ name }) => !(name in scripts))).to.deep.equal([]);
  });
});
