import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '..');
const rooms = ['schemas', 'core', 'api', 'workflows', 'activities', 'workers', 'platform'];

/** Which rooms a room may import. `workflows/client` starts runs and belongs to the outside; the rest of the room runs in the sandbox. */
const arrows: Record<string, string[]> = {
  schemas: ['schemas'],
  'core/rules': ['core/rules', 'schemas'],
  core: ['core', 'core/rules', 'schemas'],
  api: ['api', 'core', 'core/rules', 'schemas', 'platform'],
  activities: ['activities', 'core', 'core/rules', 'schemas', 'workflows'],
  'workflows/client': ['workflows', 'workflows/client', 'core', 'core/rules', 'schemas', 'platform'],
  workflows: ['workflows', 'core/rules'],
  platform: ['platform', 'core', 'core/rules', 'schemas'],
  workers: [...rooms, 'core/rules', 'workflows/client'],
};
const wires = ['api/main.ts', 'workers/main.ts'];
const processEnv = /\bprocess\.env\b/;

interface Import {
  from: string;
  to: string;
  typesOnly: boolean;
}

describe('The architecture', () => {
  const files = rooms.flatMap((room) => sources(room));

  it('has no import against the arrows', () => {
    const faults = files.flatMap(imports).filter((found) => !isAllowed(found));
    expect(faults.map(({ from, to }) => `${from} -> ${to}`)).to.deep.equal([]);
  });

  it('keeps packages of the outside out of the core, and everything but Temporal out of workflow code', () => {
    const forbidden: Record<string, RegExp> = {
      core: /^(koa|@koa\/|@temporalio\/|ioredis|nodemailer|smtp-server|node:http|node:https|node:net|undici)/,
      'core/rules':
        /^(koa|@koa\/|@temporalio\/|ioredis|mongodb|node:(fs|http|https|net|timers|child_process|worker_threads)|undici)/,
      schemas: /^(?!json-schema-to-ts)/,
      workflows: /^(?!@temporalio\/(workflow|common)|\.)/,
    };
    const faults = files.flatMap((file) =>
      packages(file)
        .filter(({ name, typesOnly }) => !typesOnly && forbidden[roomOf(file)]?.test(name))
        .map(({ name }) => `${file} -> ${name}`),
    );
    expect(faults).to.deep.equal([]);
  });

  it('reads the environment in platform/config.ts alone', () => {
    const readers = files.filter((file) => processEnv.test(readFileSync(join(root, file), 'utf8')));
    expect(readers).to.deep.equal(['platform/config.ts']);
  });

  it('would notice an import against the arrows', () => {
    expect(isAllowed({ from: 'core/contacts/contacts.ts', to: 'api/app.ts', typesOnly: false })).to.equal(false);
    expect(isAllowed({ from: 'workflows/domains.ts', to: 'core/domains/domains.ts', typesOnly: false })).to.equal(
      false,
    );
    expect(isAllowed({ from: 'workflows/domains.ts', to: 'core/domains/domains.ts', typesOnly: true })).to.equal(true);
  });
});

function isAllowed({ from, to, typesOnly }: Import): boolean {
  if (wires.includes(from)) return true;
  const room = roomOf(from);
  if (typesOnly && room === 'workflows') return true;
  if (typesOnly && room === 'core/rules' && roomOf(to) === 'core') return true;
  return arrows[room]?.includes(roomOf(to)) ?? false;
}

function roomOf(file: string): string {
  if (file.startsWith('core/rules/')) return 'core/rules';
  if (file === 'workflows/client.ts') return 'workflows/client';
  return file.split('/')[0] as string;
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

function statements(file: string): Array<{ target: string; typesOnly: boolean }> {
  // isIP reads a text; nothing else of node:net is pure.
  const text = readFileSync(join(root, file), 'utf8').replace("import { isIP } from 'node:net';\n", '');
  const found = text.matchAll(/^(?:import|export)\s(type\s)?(?:[^'";]*?\sfrom\s)?'([^']+)'/gm);
  return [...found].map(([, type, target]) => ({ target: target as string, typesOnly: Boolean(type) }));
}

function imports(file: string): Import[] {
  return statements(file)
    .filter(({ target }) => target.startsWith('.'))
    .map(({ target, typesOnly }) => ({ from: file, to: relative(root, join(root, dirname(file), target)), typesOnly }));
}

function packages(file: string): Array<{ name: string; typesOnly: boolean }> {
  return statements(file)
    .filter(({ target }) => !target.startsWith('.'))
    .map(({ target, typesOnly }) => ({ name: target, typesOnly }));
}
