import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import type { Manifest } from './page.ts';

const root = join(import.meta.dirname, '../..');
const sources = join(root, 'console');
/** Earlier builds, which a process that is being replaced may still serve. */
const KEPT_MAX = 5;
const KEPT_MS = 24 * 3_600_000;

const shared: BuildOptions = {
  bundle: true,
  minify: true,
  write: false,
  legalComments: 'none',
  logLevel: 'silent',
  absWorkingDir: root,
  // Nothing of a tsconfig.json, which an image does not have.
  tsconfigRaw: {},
  outdir: root,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  target: ['chrome120', 'firefox128', 'safari17.4'],
};

/** Writes the files of the console to a folder, which is there at once or not at all. Throws with what esbuild complains about. */
export async function buildConsole(folder: string, plugins: Plugin[] = []): Promise<void> {
  const [pages, first, style] = await Promise.all([
    build({
      ...shared,
      entryPoints: { main: join(sources, 'main.tsx') },
      format: 'esm',
      splitting: true,
      metafile: true,
      plugins,
      jsx: 'automatic',
      jsxImportSource: 'preact',
    }),
    build({ ...shared, entryPoints: { first: join(sources, 'theme-first.ts') }, format: 'iife' }),
    build({ ...shared, stdin: { contents: styleEntry(), resolveDir: join(sources, 'styles'), loader: 'css' } }),
  ]);
  const scripts = named(pages.outputFiles ?? []);
  const [firstFile] = named(first.outputFiles ?? []);
  const [styleFile] = named(style.outputFiles ?? []).map((file) => ({
    ...file,
    name: hashedName('style', file, 'css'),
  }));
  const main = scripts.find(({ name }) => name.startsWith('main-'));
  if (!main || !firstFile || !styleFile || !pages.metafile) throw new Error('esbuild wrote no entry.');
  const all = [...scripts, firstFile, styleFile];
  const manifest: Manifest = {
    files: all.map(({ name }) => name),
    script: main.name,
    style: styleFile.name,
    first: firstFile.name,
    chunks: importsOf(pages.metafile, main.name),
    pages: pagesOf(pages.metafile),
  };
  const unfinished = `${folder}.${process.pid}.part`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  await Promise.all(all.map((file) => writeCompressed(unfinished, file)));
  writeFileSync(join(unfinished, 'manifest.json'), JSON.stringify(manifest));
  putInPlace(unfinished, folder);
}

/** The rules of each page are in a file of its own. */
function styleEntry(): string {
  const pages = globSync('pages/*.css', { cwd: join(sources, 'styles') }).sort();
  return ['tokens.css', 'parts.css', ...pages].map((file) => `@import "./${file}";`).join('\n');
}

interface Output {
  name: string;
  bytes: Uint8Array;
}

function named(files: readonly OutputFile[]): Output[] {
  return files.map(({ path, contents }) => ({ name: basename(path), bytes: contents }));
}

function hashedName(name: string, { bytes }: Output, ending: string): string {
  return `${name}-${createHash('sha256').update(bytes).digest('hex').slice(0, 8).toUpperCase()}.${ending}`;
}

/** The chunks that a browser would find out about one after the other. */
function importsOf({ outputs }: Metafile, main: string): string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    for (const { path, kind } of outputs[name]?.imports ?? []) {
      if (kind !== 'import-statement' || found.has(path)) continue;
      found.add(path);
      visit(path);
    }
  };
  visit(main);
  return [...found].map((path) => basename(path));
}

function pagesOf(metafile: Metafile): Record<string, string[]> {
  const found = Object.entries(metafile.outputs).flatMap(([name, { entryPoint }]) => {
    const page = /^console\/pages\/(.+)\.tsx$/.exec(entryPoint ?? '')?.[1];
    const files: [string, string[]] = [page ?? '', [name, ...importsOf(metafile, name)]];
    return page ? [files] : [];
  });
  return Object.fromEntries(found);
}

async function writeCompressed(folder: string, { name, bytes }: Output): Promise<void> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  const [brotli, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { ...params, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, `${name}.br`), brotli);
  writeFileSync(join(folder, `${name}.gz`), zipped);
}

/** Another process may have made the same in the meantime: one of both is enough. */
function putInPlace(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(join(folder, 'manifest.json'))) throw error;
  }
}

/** Removes builds that are a day old, but for the newest. */
export function removeOldBuilds(folder: string): void {
  const builds = globSync('*/manifest.json', { cwd: folder }).map((file) => join(folder, dirname(file)));
  const byAge = builds.map((path) => ({ path, at: statSync(path).mtimeMs })).sort((a, b) => b.at - a.at);
  for (const { path, at } of byAge.slice(KEPT_MAX))
    if (Date.now() - at > KEPT_MS) rmSync(path, { recursive: true, force: true });
}
