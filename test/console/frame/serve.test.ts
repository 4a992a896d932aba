import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { openConsole } from '../../../api/console/files.ts';
import { readConfig } from '../../../platform/config.ts';
import { consoleDir } from '../../support/browser/console.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';

const root = join(import.meta.dirname, '../../..');
const FIRST_LOAD_BYTES_MAX = 120_000;
const EDITOR_BYTES_MAX = 140_000;

describe('The API serves the console', () => {
  let environment: Environment;
  before(async function () {
    this.timeout(120_000);
    environment = await startEnvironment({}, { consoleDir });
    await fetch(`${environment.url}/console`);
  });
  after(() => environment.stop());

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${environment.url}${path}`, { headers, redirect: 'manual' });
  const assetsIn = (html: string) =>
    [...html.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path as string);

  it('leads a browser from the root to it, and answers programs there with the paths of everything else', async () => {
    const browser = await get('/', { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([browser.status, browser.headers.get('location')]).to.deep.equal([302, '/console']);
    for (const headers of [{}, { Accept: 'application/json' }, { Accept: '*/*' }]) {
      const program = await get('/', headers as Record<string, string>);
      expect([program.status, program.headers.get('vary')]).to.deep.equal([200, 'Accept']);
      const { data } = (await program.json()) as { data: Record<string, string> };
      expect(data).to.deep.equal({ api: '/v1', docs: '/docs', console: '/console' });
      for (const path of ['/docs', '/console']) expect((await get(path)).status, path).to.equal(200);
    }
  });

  it('answers every address under /console with the page, whose policy lets nothing strange run', async () => {
    const pages = await Promise.all(
      ['/console', '/console/', '/console/campaigns/5f0000000000000000000000'].map((path) => get(path)),
    );
    const nonces = new Set<string>();
    for (const page of pages) {
      expect(page.status).to.equal(200);
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(page.headers.get('cache-control')).to.equal('no-store');
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).to.contain("default-src 'self'");
      expect(policy).to.contain("frame-ancestors 'none'");
      expect(policy).not.to.contain('unsafe');
      const html = await page.text();
      expect(html).not.to.match(/ style=|<style|<script>/);
      const nonce = /nonce-([\w-]{22})'/.exec(policy)?.[1];
      expect(html).to.contain(`<meta name="style-nonce" content="${nonce}">`);
      nonces.add(nonce as string);
    }
    expect(nonces.size).to.equal(pages.length);
    expect((await fetch(`${environment.url}/console`, { method: 'POST' })).status).to.equal(404);
  });

  it('serves its files compressed and for ever, and no other file', async () => {
    const assets = assetsIn(await (await get('/console')).text());
    expect(assets.length).to.be.at.least(3);
    for (const path of assets) {
      const plain = await rawGet(environment.url + path, {});
      expect(plain.headers['cache-control']).to.equal('public, max-age=31536000, immutable');
      expect(plain.headers['content-encoding']).to.equal(undefined);
      const brotli = await rawGet(environment.url + path, { 'Accept-Encoding': 'gzip, deflate, br' });
      const gzip = await rawGet(environment.url + path, { 'Accept-Encoding': 'gzip' });
      expect([brotli.headers['content-encoding'], gzip.headers['content-encoding']]).to.deep.equal(['br', 'gzip']);
      expect(brotliDecompressSync(brotli.body).equals(plain.body)).to.equal(true);
      expect(gunzipSync(gzip.body).equals(plain.body)).to.equal(true);
      expect(brotli.body.length).to.be.below(plain.body.length);
    }
    for (const path of ['manifest.json', 'nothing.js', '..%2fmanifest.json', '%2e%2e/%2e%2e/package.json', ''])
      expect((await get(`/console/assets/${path}`)).status, path).to.equal(404);
  });

  it('has a first load of at most 120 kB, whichever page is opened first', async () => {
    const html = await (await get('/console')).text();
    const first = await sizesOf(environment.url, assetsIn(html));
    const config = readConfig({ ...process.env, DATA_DIR: consoleDir });
    const opened = await openConsole({ ...environment.deps, config });
    const pages = opened?.manifest.pages;
    expect(Object.keys(pages ?? {}))
      .to.include('suppressions/suppressions')
      .and.not.include('kit');
    for (const [page, files] of Object.entries(pages ?? {})) {
      const own = files.map((name) => `/console/assets/${name}`).filter((path) => !html.includes(path));
      const bytes = first + (await sizesOf(environment.url, own));
      expect(bytes, `first load of ${page}`).to.be.at.most(FIRST_LOAD_BYTES_MAX);
    }
  });

  it('has an editor of mails of at most 140 kB, which no page loads before a mail is opened', async () => {
    const config = readConfig({ ...process.env, DATA_DIR: consoleDir });
    const {
      files = [],
      pages = {},
      chunks = [],
    } = (await openConsole({ ...environment.deps, config }))?.manifest ?? {};
    const editor = files.filter((name) => /^mail-editor-\w+\.js$/.test(name));
    expect(editor).to.have.length(1);
    // The versions of a mail are drawn by the same parts, which are files of their own.
    const loaded = await importsOf(editor[0] ?? '', chunks);
    const bytes = await sizesOf(
      environment.url,
      [...loaded.keys()].map((name) => `/console/assets/${name}`),
    );
    expect(bytes).to.be.above(40_000).and.at.most(EDITOR_BYTES_MAX);
    const surface = [...loaded].filter(([, text]) => text.includes('ProseMirror')).map(([name]) => name);
    expect(surface).not.to.deep.equal([]);
    for (const name of [editor[0], ...surface])
      expect([...chunks, ...Object.values(pages).flat()]).not.to.include(name);
  });

  /** The file and all that it imports at once, but for `without`, with their texts. */
  async function importsOf(name: string, without: readonly string[], found = new Map<string, string>()) {
    const text = await (await get(`/console/assets/${name}`)).text();
    found.set(name, text);
    for (const [, next = ''] of text.matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g))
      if (!found.has(next) && !without.includes(next)) await importsOf(next, without, found);
    return found;
  }

  it('keeps a bundle for its sources, and takes the one that CONSOLE_BUNDLE names', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'everpost-console-'));
    const said: unknown[] = [];
    const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => said.push(fields) };
    const settings = (env: Record<string, string>) => ({ config: readConfig({ DATA_DIR: folder, ...env }), log });
    try {
      const kept = await openConsole({ config: readConfig({ DATA_DIR: consoleDir }), log });
      cpSync(kept?.folder as string, join(folder, 'made'), { recursive: true });
      const named = await openConsole(settings({ CONSOLE_BUNDLE: join(folder, 'made') }));
      expect(named?.manifest).to.deep.equal(kept?.manifest);
      expect(said).to.deep.equal([]);
      expect(await openConsole(settings({ CONSOLE_BUNDLE: join(folder, 'nowhere') }))).to.equal(null);
      expect(said).to.have.length(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('the script of the image says what it needs', async () => {
    const script = join(root, 'api/console/bundle.ts');
    const failed = await promisify(execFile)(process.execPath, [script]).catch((error) => error);
    expect([failed.code, failed.stderr]).to.deep.equal([
      1,
      'Give the folder that is to hold the console: node api/console/bundle.ts FOLDER\n',
    ]);
  });
});

async function sizesOf(url: string, paths: string[]): Promise<number> {
  const found = await Promise.all(paths.map((path) => rawGet(url + path, { 'Accept-Encoding': 'br' })));
  return found.reduce((sum, { body }) => sum + body.length, 0);
}

/** fetch would decompress the body. */
function rawGet(url: string, headers: Record<string, string>) {
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
    request(url, { headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }));
    })
      .on('error', reject)
      .end();
  });
}
