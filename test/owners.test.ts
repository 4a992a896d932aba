import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sources } from './support/sources.ts';

const root = join(import.meta.dirname, '..');
/** The product. Tests and the lab may write anything. */
const folders = ['core', 'api', 'workflows', 'activities', 'workers', 'platform', 'cli'];
const VERBS =
  'insertOne|insertMany|updateOne|updateMany|deleteOne|deleteMany|bulkWrite|replaceOne|findOneAnd(?:Update|Delete|Replace)|drop';
/** Makes the indexes of every collection, and changes no document. */
const BY_NAME = ['platform/mongo/indexes.ts'];

interface Write {
  collection: string;
  file: string;
  line: number;
}

/** Texts of files by their path. */
type Files = ReadonlyMap<string, string>;

describe('A collection', () => {
  const files = texts();
  const owners = ownersOf(files);

  it('is written by the room that declares it alone', () => {
    expect([...owners.keys()]).to.include.members(['messages', 'campaignBlocks', 'contacts', 'projects', 'upkeep']);
    expect(faults(files)).to.deep.equal([]);
  });

  it('has one owner', () => {
    const declared = [...files].flatMap(([file, text]) => declaredIn(text).map((name) => `${name} ${roomOf(file)}`));
    expect(declared).to.have.length(owners.size);
  });

  it('is written by verbs of the driver, not by stages that name it as a target, nor by a name that is computed', () => {
    const hidden = [...files].filter(([file, text]) => /\$(merge|out)\b/.test(text) || namesCollections(file, text));
    expect(hidden.map(([file]) => file)).to.deep.equal([]);
  });

  describe('is seen to be written elsewhere', () => {
    const model = 'declare module x {\n  interface Collections {\n    cats: Collection<Cat>;\n  }\n}\n';
    const found = (text: string, more: string[] = []) =>
      faults(new Map([['core/cats/model.ts', model], ['core/dogs/chase.ts', text], ...more.map(helper)]));
    const helper = (text: string): [string, string] => ['core/base/helper.ts', text];

    it('directly', () => {
      expect(found('await deps.db.cats.deleteMany({});')).to.have.length(1);
      expect(found('await deps.db.cats.deleteMany({});')[0]).to.contain('core/dogs/chase.ts:1 writes cats');
      expect(found('await deps.db.cats\n  .find({});')).to.deep.equal([]);
      expect(faults(new Map([['core/cats/model.ts', `${model}db.cats.insertOne(cat);`]]))).to.deep.equal([]);
    });

    it('under another name', () => {
      expect(found('const { cats } = deps.db;\nawait cats.updateOne({});')).to.have.length(1);
      expect(found('const { cats: all } = db;\nawait all.bulkWrite([]);')).to.have.length(1);
      expect(found('const all = deps.db.cats;\nawait all.insertMany([]);')).to.have.length(1);
      expect(found('function chase({ db: { cats } }: Deps) {\n  return cats.findOneAndUpdate({});\n}')).to.have.length(
        1,
      );
      expect(found('const { cats } = house;\nawait cats.updateOne({});')).to.deep.equal([]);
    });

    it('by a function that writes what it is given, and by a command that has its name', () => {
      const writer = 'export function put<T>(collection: Collection<T>) {\n  return collection.insertOne({});\n}\n';
      const reader = 'export function get<T>(collection: Collection<T>) {\n  return collection.findOne({});\n}\n';
      expect(found('put(deps.db.cats);', [writer])).to.have.length(1);
      expect(found('get(deps.db.cats);', [reader])).to.deep.equal([]);
      expect(found("insertNew(deps, 'cats', []);")).to.have.length(1);
      expect(found('insertNew(deps, deps.db.cats.collectionName, []);')).to.have.length(1);
    });
  });
});

function faults(files: Files): string[] {
  const owners = ownersOf(files);
  const writers = writersOf(files);
  return [...files]
    .flatMap(([file, text]) => writes(file, text, owners, writers))
    .filter(({ collection, file }) => owners.get(collection) !== roomOf(file))
    .map(
      ({ collection, file, line }) =>
        `${file}:${line} writes ${collection}, which ${owners.get(collection)} owns: export a verb there and call it ` +
        '(from below, through core/subscribers.ts).',
    );
}

/** The room of each collection: the one whose file declares it. */
function ownersOf(files: Files): Map<string, string> {
  return new Map([...files].flatMap(([file, text]) => declaredIn(text).map((name) => [name, roomOf(file)] as const)));
}

function declaredIn(text: string): string[] {
  const blocks = [...text.matchAll(/interface Collections \{([\s\S]*?)\n {2}\}/g)].map(([, block]) => block as string);
  return blocks.flatMap((block) => [...block.matchAll(/^\s+(\w+): Collection/gm)].map(([, name]) => name as string));
}

function roomOf(file: string): string {
  const [top, room = '', ...rest] = file.split('/');
  return top === 'core' && rest.length > 0 ? room : file;
}

/** Functions that write a collection that they are given: who calls one writes. */
function writersOf(files: Files): Set<string> {
  const own = new RegExp(`\\bcollection\\s*\\.\\s*(?:${VERBS})\\(`);
  return new Set(
    [...files.values()].flatMap((text) =>
      [...text.matchAll(/function (\w+)[^;]*?\(\s*collection: Collection</g)].flatMap(({ index, 1: name }) =>
        own.test(text.slice(index, text.indexOf('\n}', index))) ? [name as string] : [],
      ),
    ),
  );
}

function writes(file: string, text: string, owners: Map<string, string>, writers: Set<string>): Write[] {
  const found = (pattern: string, nameOf = (name: string): string | undefined => name): Write[] =>
    [...text.matchAll(new RegExp(pattern, 'g'))].flatMap(({ index, 1: name }) => {
      const collection = nameOf(name as string);
      if (collection === undefined || !owners.has(collection)) return [];
      return [{ collection, file, line: text.slice(0, index).split('\n').length }];
    });
  const others = otherNames(text);
  return [
    ...found(`\\bdb\\s*\\.\\s*(\\w+)\\s*\\.\\s*(?:${VERBS})\\(`),
    ...found(`(?<![.\\w])(\\w+)\\s*\\.\\s*(?:${VERBS})\\(`, (name) => others.get(name)),
    ...[...writers].flatMap((writer) => found(`\\b${writer}(?:<[^>]*>)?\\(\\s*(?:\\w+\\.)*db\\.(\\w+)`)),
    ...found(`insert(?:New|Documents)\\([\\w.]+,\\s*'(\\w+)'`),
    ...found(`insert(?:New|Documents)\\([\\w.]+,\\s*(?:\\w+\\.)*db\\.(\\w+)\\.collectionName`),
    ...found(`insert(?:New|Documents)\\([\\w.]+,\\s*(\\w+)\\.collectionName`, (name) => others.get(name)),
  ];
}

/** The collections that a file has under names of its own. */
function otherNames(text: string): Map<string, string> {
  const taken = [...text.matchAll(/\{([^{}]*)\}\s*=\s*(?:[\w.]+\.)?db\b(?!\.)|\bdb: \{([^{}]*)\}/g)]
    .flatMap(([, local, parameter]) => (local ?? parameter ?? '').split(','))
    .map((pair) => pair.split(':').map((name) => name.trim()))
    .map(([name = '', other = name]) => [other, name] as const);
  const named = [...text.matchAll(/const (\w+) = (?:[\w.]+\.)?db\.(\w+);/g)].map(
    ([, other, name]) => [other as string, name as string] as const,
  );
  return new Map([...taken, ...named]);
}

function namesCollections(file: string, text: string): boolean {
  return /\bdb\[/.test(text) && !BY_NAME.includes(file);
}

function texts(): Files {
  const paths = folders.flatMap((folder) => sources(folder));
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}
