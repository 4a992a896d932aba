import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { sources } from './support/sources.ts';

const root = join(import.meta.dirname, '..');
const rooms = ['schemas', 'core', 'api', 'workflows', 'activities', 'workers', 'platform', 'cli', 'client', 'console'];

/** The rooms of core, lowest first. A room imports rooms on lower lines only. */
const lines = [
  ['base'],
  ['jobs'],
  ['consent', 'domains', 'templates'],
  ['events'],
  ['people'],
  ['mail'],
  ['automations', 'campaigns', 'forms', 'inbound', 'migrations'],
  ['figures', 'persons-own'],
  ['accounts', 'retention.ts', 'subscribers.ts'],
];
const outsideFolders = ['core/retention.ts', 'core/subscribers.ts'];
const FOLDER_FILES_MAX = 15;

/** Which rooms a room may import. `workflows/client` starts and signals runs; the rest of `workflows` runs in Temporal's sandbox. */
const arrows: Record<string, string[]> = {
  schemas: ['schemas'],
  core: ['core', 'schemas'],
  api: ['api', 'core', 'schemas', 'platform'],
  activities: ['activities', 'core', 'schemas', 'workflows'],
  'workflows/client': ['workflows', 'workflows/client', 'core', 'schemas', 'platform'],
  workflows: ['workflows', 'core/rules'],
  platform: ['platform', 'core', 'schemas'],
  workers: [...rooms, 'workflows/client'],
  cli: [...rooms, 'workflows/client'],
  client: ['client'],
  console: ['console', 'client'],
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
  const imported = files.flatMap(imports);
  const workshop = ['lab', 'stack', 'scripts'].flatMap((room) => sources(room)).flatMap(imports);

  it('lets each room import only the rooms that it may know', () => {
    const faults = imported.filter((found) => !isAllowed(found));
    expect(faults.map(({ from, to }) => `${from} may not import ${to}`)).to.deep.equal([]);
  });

  it('lets a folder of core import only folders on lower lines, types included', () => {
    expect(imported.flatMap(layerFault)).to.deep.equal([]);
  });

  it('has every file of core in a folder that the list names', () => {
    expect(files.flatMap(placeFault)).to.deep.equal([]);
  });

  it('has no circle between files, types included', () => {
    expect(circles([...imported, ...workshop]).map((circle) => circleFault(circle))).to.deep.equal([]);
  });

  it("has no circle between the folders inside a room; a file at the room's own level counts by itself", () => {
    expect(innerCircles([...imported, ...workshop]).map(circleFault)).to.deep.equal([]);
  });

  it('has no folder with more than 15 files, with or without sub-folders', () => {
    expect(
      fullFolders([...files, ...['lab', 'stack', 'scripts', 'test'].flatMap((room) => sources(room))]),
    ).to.deep.equal([]);
  });

  it('keeps packages of the outside out of core, and everything but Temporal out of workflow code', () => {
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
        .map(({ name }) => `${file} may not import the package ${name}`),
    );
    expect(faults).to.deep.equal([]);
  });

  it('lets the client import nothing but itself, types included; only its command line uses Node', () => {
    const clients = files.filter((file) => roomOf(file) === 'client');
    expect(clients).to.include('client/operations.ts');
    const faults = clients.flatMap((file) =>
      packages(file)
        .filter(({ name }) => !(file.startsWith('client/cli') && name.startsWith('node:')))
        .map(({ name }) => `${file} may not import ${name}`),
    );
    expect(faults).to.deep.equal([]);
  });

  it('lets the console use nothing of the outside but the packages that a browser needs', () => {
    const faults = files
      .filter((file) => roomOf(file) === 'console')
      .flatMap((file) => packages(file).map(({ name }) => ({ file, name })))
      .filter(
        ({ name }) => !/^(preact(\/hooks)?|@preact\/signals|uplot|@codemirror\/|@lezer\/|prosemirror-)/.test(name),
      )
      .map(({ file, name }) => `${file} may not import ${name}`);
    expect(faults).to.deep.equal([]);
  });

  it('loads scripts of the console by loadScript, which asks for them again after an outage', () => {
    const faults = files.filter((file) => roomOf(file) === 'console').filter((file) => loadsAlone(textOf(file)));
    // Pages by name, which their reader loads by loadScript, and loadScript itself.
    expect(faults).to.have.members(['console/api.ts', 'console/routes.ts']);
  });

  it("says in a room's deps.ts what its functions touch, and nothing else: the whole is for wiring", () => {
    const core = files.filter((file) => file.startsWith('core/'));
    const isWhole = (file: string) =>
      withoutAdditions(textOf(file)).some((line) => /(?<!Pick<)\bDeps\b(?!\[|\.ts)|Pick<Deps, [^>]*'db'/.test(line));
    expect(core.filter(isWhole)).to.have.members(['core/base/deps.ts', 'core/subscribers.ts']);
    const unused = core
      .filter((file) => /^core\/[^/]+\/deps\.ts$/.test(file) && file !== 'core/base/deps.ts')
      .flatMap((file) => {
        const own = [`${dirname(file)}/`, 'core/base/', 'core/jobs/'];
        const others = core.filter((other) => own.some((folder) => other.startsWith(folder)) && other !== file);
        const texts = others.map((other) => textOf(other)).join('\n');
        return [...textOf(file).matchAll(/'(\w+)'/g)]
          .filter(([, name]) => !new RegExp(`\\.${name}\\b|[{,]\\s*${name}[,:\\s}]|'${name}'`).test(texts))
          .map(([, name]) => `${file}: nothing in this room, nor below all rooms, touches ${name}`);
      });
    expect(unused).to.deep.equal([]);
  });

  it('reads the environment in platform/config.ts alone', () => {
    const readers = files.filter((file) => !/^(cli|client)\//.test(file));
    expect(readers.filter((file) => processEnv.test(textOf(file)))).to.deep.equal(['platform/config.ts']);
  });

  it('starts threads in platform/threads alone, where each kind of work has its limits', () => {
    const starting = files.filter((file) => packages(file).some(({ name }) => name === 'node:worker_threads'));
    expect(starting.filter((file) => !file.startsWith('platform/threads/'))).to.deep.equal([]);
    expect(starting).to.include('platform/threads/pool.ts');
  });

  it('reads stored files with their bytes taken from the budget of answers, but for work that is no answer', () => {
    const naming = (pattern: RegExp) => files.filter((file) => pattern.test(textOf(file)));
    // Each reader asks for `held`; these three alone give one that counts nothing.
    expect(naming(/import .*\bheldElsewhere\b/)).to.have.members([
      'core/mail/deliver/stored/attachments.ts',
      'core/templates/media/copy.ts',
      'core/templates/media/inline.ts',
    ]);
    expect(naming(/new GridFSBucket|\battachmentChunks\.(find|aggregate)/)).to.deep.equal([
      'core/mail/messages/contents.ts',
    ]);
    expect(naming(/\bmediaFiles\.(find|aggregate)/)).to.deep.equal(['platform/media/documents.ts']);
    expect(naming(/: HeldBytes = \{/)).to.deep.equal(['core/base/held-bytes.ts']);
    expect(naming(/\bimportChunks\.(find|aggregate)/)).to.deep.equal(['core/people/imports/files.ts']);
  });

  describe('finds', () => {
    it('a script that is loaded without loadScript', () => {
      expect(loadsAlone("const { default: Slider } = await import('./slider.tsx');")).to.equal(true);
      expect(loadsAlone("await loadScript(() => import('./slider.tsx'))")).to.equal(false);
      expect(
        loadsAlone("const open = ({ Editor }: typeof import('./editor.ts')) => Editor; api.contacts.import(file)"),
      ).to.equal(false);
    });

    const type = (from: string, to: string): Import => ({ from, to, typesOnly: true });
    const value = (from: string, to: string): Import => ({ from, to, typesOnly: false });

    it('an import of a room that may not be known', () => {
      expect(isAllowed(value('core/people/contacts/contacts.ts', 'api/app.ts'))).to.equal(false);
      expect(isAllowed(value('workflows/domains.ts', 'core/domains/domains.ts'))).to.equal(false);
      expect(isAllowed(type('workflows/domains.ts', 'core/domains/domains.ts'))).to.equal(true);
      expect(isAllowed(type('console/pages/domains.tsx', 'schemas/domains/domains.ts'))).to.equal(true);
      expect(isAllowed(value('console/pages/domains.tsx', 'schemas/domains/domains.ts'))).to.equal(false);
      expect(isAllowed(type('console/pages/domains.tsx', 'core/domains/model.ts'))).to.equal(false);
    });

    it('an import up or sideways, with a sentence that says what to do', () => {
      const up = layerFault(type('core/people/contacts/contacts.ts', 'core/campaigns/definition/campaigns.ts'));
      expect(up).to.have.length(1);
      expect(up[0]).to.contain('register it in core/subscribers.ts');
      expect(layerFault(value('core/consent/suppressions/search.ts', 'core/domains/keys.ts'))).to.have.length(1);
      expect(layerFault(value('core/people/contacts/contacts.ts', 'core/events/events.ts'))).to.deep.equal([]);
      expect(layerFault(value('core/people/contacts/contacts.ts', 'core/people/model.ts'))).to.deep.equal([]);
    });

    it('a file of core outside a folder, and a folder that the list does not name', () => {
      expect(placeFault('core/helpers.ts')).to.have.length(1);
      expect(placeFault('core/helpers/text.ts')).to.have.length(1);
      expect(placeFault('core/subscribers.ts')).to.deep.equal([]);
      expect(placeFault('core/base/text/urls.ts')).to.deep.equal([]);
    });

    it('a circle, also of types, and names its files', () => {
      const circle = circles([
        type('a.ts', 'b.ts'),
        type('b.ts', 'c.ts'),
        value('c.ts', 'a.ts'),
        value('d.ts', 'a.ts'),
      ]);
      expect(circle.map((names) => names.toSorted())).to.deep.equal([['a.ts', 'b.ts', 'c.ts']]);
    });

    it('a circle of folders inside a room', () => {
      const up = value('core/people/lists/a.ts', 'core/people/contacts/a.ts');
      const down = value('core/people/contacts/b.ts', 'core/people/lists/b.ts');
      expect(innerCircles([up, down])).to.deep.equal([['core/people/contacts', 'core/people/lists']]);
      expect(innerCircles([up, value('core/people/contacts/b.ts', 'core/people/b.ts')])).to.deep.equal([]);
    });

    it('a full folder', () => {
      const full = Array.from({ length: FOLDER_FILES_MAX + 1 }, (_, index) => `core/base/f${index}.ts`);
      expect(fullFolders(full)).to.have.length(1);
      expect(fullFolders([...full, 'core/base/text/a.ts'])).to.have.length(1);
      expect(fullFolders(full.slice(1))).to.deep.equal([]);
    });
  });
});

function isAllowed({ from, to, typesOnly }: Import): boolean {
  if (wires.includes(from)) return true;
  const room = roomOf(from);
  const target = roomOf(to);
  if (typesOnly && (room === 'workflows' || (room === 'console' && target === 'schemas'))) return true;
  if (arrows[room === 'core/rules' ? 'core' : room]?.includes(target)) return true;
  return target === 'core/rules' && (arrows[room]?.includes('core') ?? room === 'core/rules');
}

/** Pure functions, which workflow code may run. */
function roomOf(file: string): string {
  if (/^core\/.*\/rules\/|^core\/.*\/rules\.ts$/.test(file)) return 'core/rules';
  if (file === 'workflows/client.ts') return 'workflows/client';
  return file.split('/')[0] as string;
}

function lineOf(file: string): number {
  const [room, folder = ''] = file.split('/');
  return room === 'core' ? lines.findIndex((line) => line.includes(folder)) : -1;
}

function layerFault({ from, to }: Import): string[] {
  const [own, other] = [lineOf(from), lineOf(to)];
  const isInside = from.split('/')[1] === to.split('/')[1];
  if (own === -1 || other === -1 || isInside || other < own) return [];
  return [
    `${from} imports ${to}, which is not on a lower line. Move what both need into a lower folder; ` +
      'or, when the upper one must hear of something that happens below, declare an interface below and register it in core/subscribers.ts.',
  ];
}

function placeFault(file: string): string[] {
  if (!file.startsWith('core/') || outsideFolders.includes(file)) return [];
  const isNamed = file.split('/').length > 2 && lineOf(file) !== -1;
  return isNamed
    ? []
    : [`${file} is in no folder of the list in test/architecture.test.ts: move it to the folder of its noun.`];
}

function circleFault(circle: string[]): string {
  return `${circle.join(' -> ')} import each other. Declare what they share in a file below all of them.`;
}

function fullFolders(all: string[]): string[] {
  return [...Map.groupBy(all, dirname)].flatMap(([folder, inside]) =>
    inside.length <= FOLDER_FILES_MAX
      ? []
      : [`${folder} has ${inside.length} files: group those that belong together in a sub-folder.`],
  );
}

/** Groups of files that reach each other, by Tarjan's algorithm. */
function circles(all: Import[]): string[][] {
  const targets = Map.groupBy(all, ({ from }) => from);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    stack.push(file);
    for (const { to } of targets.get(file) ?? []) {
      if (!order.has(to)) visit(to);
      if (stack.includes(to)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(to)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group);
  };
  for (const file of targets.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** Circles of the folders of one room; a file at the room's own level counts by itself. */
function innerCircles(all: Import[]): string[][] {
  const between = all.flatMap(({ from, to, typesOnly }) => {
    const [own, other] = [insideOf(from), insideOf(to)];
    return own && other && own.room === other.room && own.name !== other.name
      ? [{ from: own.name, to: other.name, typesOnly }]
      : [];
  });
  return circles(between).map((circle) => circle.toSorted());
}

function insideOf(file: string): { room: string; name: string } | null {
  const parts = file.split('/');
  const depth = parts[0] === 'core' ? 2 : 1;
  if (!/^(core|lab|stack|scripts)$/.test(parts[0] as string) || parts.length <= depth) return null;
  return { room: parts.slice(0, depth).join('/'), name: parts.slice(0, depth + 1).join('/') };
}

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Lines of code but for imports and for what a file adds to the whole by declaration merging. */
function withoutAdditions(text: string): string[] {
  const own = text.replace(/^declare module [^\n]*\n[\s\S]*?^\}/gm, '');
  return own.split('\n').filter((line) => !/^import |^\s*(\/?\*|\/\/)/.test(line));
}

function statements(file: string): Array<{ target: string; typesOnly: boolean }> {
  // isIP reads a text; nothing else of node:net is pure.
  const text = textOf(file).replace("import { isIP } from 'node:net';\n", '');
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

function loadsAlone(text: string): boolean {
  return /(?<!loadScript\(\(\) => |typeof |\.)\bimport\(/.test(text);
}
