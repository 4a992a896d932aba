import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { KINDS, type Kind } from '../../platform/threads/kinds.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const rows = rowsUnder('How it is tested');
const readers = rowsUnder('Files that read bytes of strangers');
const PARSERS =
  /(?:^(?:import|export)\s(?!type\b)(?:[^'";]*?\sfrom\s)?|\bimport\()'(?:postal-mime|mailauth|htmlparser2|html-to-text|entities|csv-parse|@handlebars\/parser|busboy|smtp-server)(?:\/[^']*)?'/m;
const ROOMS = ['schemas', 'core', 'api', 'workflows', 'activities', 'workers', 'platform', 'cli'];

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
    const files = [...page.matchAll(/`((?:test|core|stack|docs|api|platform)\/[\w./-]+\.\w+)`|\]\(([\w.-]+\.md)\)/g)];
    const paths = files.map(([, path, link]) => path ?? join('docs', link ?? ''));
    expect(paths.filter((path) => !existsSync(join(root, path)))).to.deep.equal([]);
  });
});

describe('Bytes of strangers', () => {
  it('are parsed in the files that docs/security.md lists, and in no other', () => {
    const parsing = ROOMS.flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)),
    ).filter((file) => file.endsWith('.ts') && PARSERS.test(readFileSync(join(root, file), 'utf8')));
    expect(parsing.length).to.be.above(8);
    expect(parsing.filter((file) => !readers.some((row) => row.includes(`\`${file}\``)))).to.deep.equal([]);
  });

  it('are worked on in threads with the limits that docs/security.md names', () => {
    for (const [name, kind] of Object.entries<Kind>(KINDS)) {
      const { module, cpuMs, cpuMsPerMegabyte, heapMb, bytesMax, largeBytes } = kind;
      const large = largeBytes === undefined ? '' : `, one of over ${largeBytes / 2 ** 20} MiB at a time`;
      const limits = `\`${name}\`: ${cpuMs} ms and ${cpuMsPerMegabyte} ms a MiB, ${heapMb} MiB of heap, ${bytesMax / 2 ** 20} MiB waiting${large} |`;
      const file = relative(root, fileURLToPath(module));
      expect(
        readers.filter((row) => row.includes(limits) && row.includes(`\`${file}\``)),
        name,
      ).to.have.length(1);
    }
  });
});

function rowsUnder(heading: string): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
}

/** A quoted title may end where the title in the source has a value. */
function hasTitle(file: string, title: string): boolean {
  if (!existsSync(join(root, file))) return false;
  const titles = readFileSync(join(root, file), 'utf8').matchAll(/\b(?:it|describe)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g);
  return [...titles].some(([, , text = '']) => text.replace(/\\(['"`])/g, '$1').startsWith(title));
}
