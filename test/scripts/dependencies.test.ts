import { existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const manifest = JSON.parse(read('package.json'));
const kinds: Record<string, string[]> = {
  Production: Object.keys(manifest.dependencies),
  Optional: Object.keys(manifest.optionalDependencies),
  Development: Object.keys(manifest.devDependencies),
};
const named = Object.values(kinds).flat();

/** The folders of the image; the rest of the tree may use development packages too. */
const shipped = ['schemas', 'core', 'platform', 'workflows', 'activities', 'workers', 'api', 'console'];
const sources = globSync('**/*.{ts,tsx,mjs}', {
  cwd: root,
  exclude: (name) => name === 'node_modules' || name.startsWith('.'),
});

describe('The dependencies', () => {
  const uses = sources.flatMap((file) => packagesOf(file).map((name) => ({ file, name })));
  const imported = new Set(uses.map(({ name }) => name));

  it('each have a line in docs/dependencies.md that says why, and no other package has one', () => {
    const page = read('docs/dependencies.md');
    for (const [kind, names] of Object.entries(kinds)) {
      const [, section = ''] = page.split(`## ${kind}\n`);
      const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \| (\S.*) \|$/gm)].map(
        ([, name]) => name,
      );
      expect(rows, kind).to.deep.equal(names.toSorted());
    }
  });

  it('are each used: imported, the types of something imported, or a program that package.json or the entry runs', () => {
    const types = JSON.parse(read('tsconfig.json')).compilerOptions.types as string[];
    const isUsed = (name: string) =>
      imported.has(name) ||
      (name.startsWith('@types/') && (imported.has(name.slice(7)) || types.includes(name.slice(7)))) ||
      (/^node-(linux|darwin)-/.test(name) && read('stack/entry.mjs').includes("'.bin', 'node'")) ||
      programsOf(name).some((program) => runs(program));
    expect(named.filter((name) => !isUsed(name))).to.deep.equal([]);
  });

  it('have every package that is imported, and those of production every package that the image needs', () => {
    expect(uses.filter(({ name }) => !named.includes(name))).to.deep.equal([]);
    const production = kinds.Production ?? [];
    const isShipped = (file: string) => shipped.includes(file.split('/')[0] ?? '');
    expect(uses.filter(({ file, name }) => isShipped(file) && !production.includes(name))).to.deep.equal([]);
  });

  it('have exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }))
      expect(version, name).to.match(/^\d+\.\d+\.\d+$/);
  });
});

function packagesOf(file: string): string[] {
  const found = read(file).matchAll(
    /(?:\bfrom|\bimport|\bimport\(|import\.meta(?:\.url\))?\.resolve\(|\brequire(?:<[^>]*>)?\()\s*'([^'.#/][^']*)'/g,
  );
  const names = [...found].map(([, path = '']) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set(names)].filter((name) => !isBuiltin(name) && /^(@[\w-]+\/)?[\w.-]+$/.test(name));
}

function programsOf(name: string): string[] {
  const file = join('node_modules', name, 'package.json');
  const { bin } = existsSync(join(root, file)) ? JSON.parse(read(file)) : { bin: {} };
  return typeof bin === 'string' ? [name.split('/').at(-1) as string] : Object.keys(bin ?? {});
}

function runs(program: string): boolean {
  return Object.values(manifest.scripts as Record<string, string>).some((script) =>
    script.split(/\s/).includes(program),
  );
}
