import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { version } from '../../client/index.ts';
import { temporaryFolder } from '../stack/temporary.ts';
import { useEnvironment } from '../support/environment.ts';
import { tsc } from './built-client.ts';

const root = join(import.meta.dirname, '../..');
const BYTES_MAX = 100_000;
const name = 'everpost';

const program = `
import { Everpost, EverpostError, type Campaign, type ErrorCode, webhooks } from '${name}';

const everpost = new Everpost();
const made: { id: string } = await everpost.contacts.create({ email: 'packed@example.com' });
const emails: string[] = [];
for await (const { email } of everpost.contacts.list()) emails.push(email);
const { data, error } = await everpost.safe.contacts.get(made.id);
if (error) throw error;
const firstName: string | null = data.firstName;
let code: ErrorCode | null = null;
try {
  await everpost.mails.send({ from: { email: 'a@nowhere.example' }, to: { email: data.email }, subject: 'x', text: 'x' });
} catch (thrown) {
  if (!(thrown instanceof EverpostError)) throw thrown;
  code = thrown.code;
}
const draft: Campaign = await everpost.campaigns.create({ name: 'x', subject: 'x', htmlTemplate: 'x', from: { email: 'a@example.com' }, publish: false });
let status = '';
for await (const progress of everpost.campaigns.watch(draft.id)) {
  status = progress.status;
  break;
}
const upload = new Blob(['email\\nuploaded@example.com\\n']).stream();
const imported: string = (await everpost.contacts.import(upload, { format: 'csv' })).status;
const exported: string = await (await everpost.contacts.export({ format: 'ndjson' })).text();
const verify: typeof webhooks.verify = everpost.webhooks.verify;
console.log(JSON.stringify({ emails, firstName, code, status, imported, exported: JSON.parse(exported).email, verify: typeof verify }));
`;

/** Each line is a mistake that the compiler must find. */
const mistakes = `
import { Everpost } from '${name}';
const everpost = new Everpost({ apiKey: 'AS_', baseUrl: 'http://localhost' });
// @ts-expect-error a field that there is not
await everpost.contacts.create({ email: 'a@example.com', first: 'Ada' });
// @ts-expect-error a field that is required
await everpost.mails.send({ subject: 'x' });
// @ts-expect-error an id that is missing
await everpost.campaigns.pause();
// @ts-expect-error a verb that there is not
await everpost.campaigns.explode('id');
// @ts-expect-error a list is no array
(await everpost.contacts.list()).map(String);
const { data } = await everpost.safe.contacts.get('id');
// @ts-expect-error data may be null
data.email;
`;

describe('The package everpost', function () {
  this.timeout(120_000);
  const environment = useEnvironment();
  const folder = temporaryFolder();
  let tarball: string;
  before(() => {
    const packed = npm(
      ['pack', join(root, 'client'), '--pack-destination', folder(), '--json', '--loglevel=error'],
      folder(),
    );
    tarball = join(folder(), JSON.parse(packed.slice(packed.indexOf('[')))[0].filename);
    writeFileSync(join(folder(), 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
    npm(['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', tarball], folder());
  });

  function npm(args: string[], cwd: string): string {
    return execFileSync('npm', args, { cwd, encoding: 'utf8' });
  }

  function compile(name: string, text: string, options: object): string {
    const at = join(folder(), name);
    mkdirSync(at);
    writeFileSync(join(at, 'program.ts'), text);
    const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, outDir: 'out', ...options };
    writeFileSync(join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const { status, stdout } = spawnSync(tsc, ['-p', at], { encoding: 'utf8' });
    expect(status, stdout).to.equal(0);
    return join(at, 'out/program.js');
  }

  /** Not synchronously: the API runs in this process. */
  async function run(command: string, script: string): Promise<unknown> {
    const { PATH } = process.env;
    const env = { PATH, EVERPOST_API_KEY: environment.own.projectKey, EVERPOST_BASE_URL: environment.url };
    const args = command.endsWith('deno') ? ['run', '--allow-all', script] : [script];
    const { stdout } = await promisify(execFile)(command, args, { cwd: folder(), env });
    await environment.deps.db.contacts.deleteMany({ projectId: environment.own.project._id });
    return JSON.parse(stdout);
  }

  it('installs offline and without dependencies, and holds plain JavaScript, declarations, README and licence alone', () => {
    const at = join(folder(), 'node_modules/everpost');
    const manifest = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
    expect(manifest)
      .to.include({ name: 'everpost', version })
      .and.to.not.have.any.keys('dependencies', 'peerDependencies');
    const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
    const strange = files.filter(
      (file) => !/^package\/(package\.json|README\.md|LICENSE|dist\/.*\.(js|d\.ts))$/.test(file),
    );
    expect(strange).to.deep.equal([]);
    expect(files).to.include.members(['package/README.md', 'package/dist/index.js', 'package/dist/index.d.ts']);
    expect(readFileSync(tarball).length).to.be.below(BYTES_MAX);
  });

  it('a program type-checks with `strict` and the declarations checked, and runs', async () => {
    const script = compile('plain', program, { types: [] });
    const said = await run(process.execPath, script);
    expect(said).to.deep.equal({
      emails: ['packed@example.com'],
      firstName: null,
      code: 'DOMAIN_NOT_VERIFIED',
      status: 'draft',
      imported: 'queued',
      exported: 'packed@example.com',
      verify: 'function',
    });
  });

  it('it type-checks with the types of Node in place of those of browsers, and under the strictest options', () => {
    mkdirSync(join(folder(), 'node_modules/@types'), { recursive: true });
    for (const name of ['@types/node', 'undici-types'])
      symlinkSync(join(root, 'node_modules', name), join(folder(), 'node_modules', name));
    compile('node', program, { types: ['node'], lib: ['es2022'] });
    const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true };
    compile('strictest', program, { types: [], ...strictest, noPropertyAccessFromIndexSignature: true });
    compile('bundler', program, { types: [], module: 'esnext', moduleResolution: 'bundler' });
  });

  it('mistakes are found by the compiler', () => {
    compile('mistakes', mistakes, { types: [] });
  });

  it('its command is installed, and prints its version', () => {
    const command = join(folder(), 'node_modules/.bin/everpost');
    expect(execFileSync(command, ['--version'], { encoding: 'utf8' })).to.equal(`${version}\n`);
  });

  it('outside its command it uses nothing of Node', () => {
    compile('edge', `export * from '${name}';\n`, { types: [] });
    const options = {
      noEmit: true,
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      types: [],
      lib: ['es2023', 'dom', 'dom.asynciterable'],
    };
    const compilerOptions = { ...options, allowImportingTsExtensions: true };
    const config = join(folder(), 'tsconfig.edge.json');
    writeFileSync(config, JSON.stringify({ compilerOptions, files: [join(root, 'client/index.ts')] }));
    const { status, stdout } = spawnSync(tsc, ['-p', config], { encoding: 'utf8' });
    expect(status, stdout).to.equal(0);
  });

  /** On this machine, or named by a variable: EVERPOST_TEST_BUN=/path/to/bun. */
  const others: [string, string[], (version: string) => boolean][] = [
    ['node', ['--version'], (found) => found.startsWith('v20.')],
    ['bun', ['--version'], () => true],
    ['deno', ['--version'], () => true],
  ];
  for (const [name, args, isWanted] of others)
    it(`the same program runs on ${name === 'node' ? 'Node 20' : name}`, async function () {
      const found = findProgram(name, args, isWanted);
      if (found === null) return this.skip();
      const script = join(folder(), 'plain/out/program.js');
      if (!existsSync(script)) compile('plain', program, { types: [] });
      expect(await run(found, script)).to.include({ code: 'DOMAIN_NOT_VERIFIED', status: 'draft', imported: 'queued' });
    });

  function findProgram(name: string, args: string[], isWanted: (version: string) => boolean): string | null {
    const named = process.env[`EVERPOST_TEST_${name.toUpperCase()}`];
    const onPath = (process.env.PATH ?? '').split(delimiter).map((at) => join(at, name));
    return (
      [...(named ? [named] : []), ...onPath].find((file) => {
        return existsSync(file) && isWanted(spawnSync(file, args, { encoding: 'utf8' }).stdout ?? '');
      }) ?? null
    );
  }
});
