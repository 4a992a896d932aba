import type { Block, Content } from '../../../schemas/templates/block-types.ts';
import { branded } from '../blocks/brand.ts';
import { checkContent, refusedBlocks } from '../blocks/check.ts';
import type { Fault } from '../blocks/kit/kind.ts';
import type { PartKind } from './keys.ts';
import { nameFault, type Part, type Parts } from './parts.ts';

type Blocks = readonly Block[];
/** `place` is the one of the block in what was written; undefined inside a part, whose blocks have none. */
type Replace = (block: Block, place: string | undefined) => Block;

/** The snippets that content names, checked or not. Read without recursion. */
export function snippetsInBlocks(content: unknown): string[] {
  const names: string[] = [];
  const pending: unknown[] = [content];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    const { type, name } = value as { type?: unknown; name?: unknown };
    if (type === 'snippet' && typeof name === 'string') names.push(name);
    for (const inner of Object.values(value)) pending.push(inner);
  }
  return names;
}

/** Throws 400 with the block unless a layout, and nothing else, has one place for the content of mails, at its top level. */
export function checkSlots({ blocks }: Content, kind: PartKind | undefined, path: string): void {
  const slots: string[] = [];
  replaced(blocks, `${path}/blocks`, (block, place) => {
    if (block.type === 'content') slots.push(`${place} ${block.id}`);
    if ('blocks' in block && (block.type === 'content' || block.type === 'snippet') && block.blocks)
      throw refusedBlocks(place!, { field: 'blocks', sentence: 'must be left out' }, block.id);
    return block;
  });
  const tops = blocks.flatMap(({ type, id }, index) => (type === 'content' ? [`${path}/blocks/${index} ${id}`] : []));
  const wrong = kind === 'layout' ? (slots.find((slot) => !tops.includes(slot)) ?? slots[1]) : slots[0];
  if (wrong) {
    const [place = '', id = ''] = wrong.split(' ');
    const sentence =
      kind === 'layout' ? 'must stand once, at the top level' : 'stands in layouts, where the blocks of mails go';
    throw refusedBlocks(place, { field: '', sentence }, id);
  }
  if (kind === 'layout' && slots.length === 0)
    throw refusedBlocks(path, { field: 'blocks', sentence: 'must have one of type content, where the mail stands' });
}

/** Checked content with the blocks of its snippets, inside its layout. `self`: the snippet that the content belongs to. */
export function togetherInBlocks(
  own: Content,
  parts: Parts,
  path: string,
  self?: string,
): { content: Content; usesBrand: boolean } {
  const reader = new Reader(parts);
  const blocks = reader.read(own.blocks, `${path}/blocks`, self ? [self] : []);
  const layout = parts.layout && reader.partOf(parts.layout);
  if (!layout) return { content: { ...own, blocks }, usesBrand: reader.usesBrand };
  const around = reader.read(layout.blocks, undefined, []);
  const filled = around.map((block) => (block.type === 'content' ? { ...block, blocks } : block));
  return {
    content: { v: 1, look: lookOf(own.look, layout.look), blocks: filled },
    usesBrand: reader.usesBrand,
  };
}

/** A mail looks like its layout; its language is its own. */
function lookOf(own: Content['look'] = {}, layout: Content['look'] = {}): NonNullable<Content['look']> {
  return { ...own, ...layout, ...(own.language && { language: own.language }) };
}

class Reader {
  usesBrand = false;
  readonly #parts: Parts;
  /** Each is read once, however often it is named. */
  readonly #read = new Map<string, Block[]>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  partOf({ content }: Part): Content {
    const part = branded(content, this.#parts.brand);
    this.usesBrand ||= part.usesBrand;
    return part.content as Content;
  }

  read(blocks: Blocks, path: string | undefined, trail: readonly string[]): Block[] {
    return replaced(blocks, path, (block, place) =>
      block.type === 'snippet' ? { ...block, blocks: this.#snippet(block, place, trail) } : block,
    );
  }

  #snippet({ id, name }: Block<'snippet'>, place: string | undefined, trail: readonly string[]): Block[] {
    const part = this.#parts.snippets.get(name);
    const sentence = nameFault(name, part, { trail, isCode: false });
    if (sentence) throw new Inside({ place, id, sentence });
    const known = this.#read.get(name);
    if (known) return known;
    try {
      const read = this.read(this.partOf(part!).blocks, undefined, [...trail, name]);
      this.#read.set(name, read);
      return read;
    } catch (error) {
      if (!(error instanceof Inside) || place === undefined) throw error;
      throw new Inside({ place, id, sentence: `in the snippet "${name}": ${error.fault.sentence}` });
    }
  }
}

/** A fault inside a snippet, until it is known which block of what was written names the snippet. */
class Inside extends Error {
  readonly fault: { place: string | undefined; id: string; sentence: string };

  constructor(fault: Inside['fault']) {
    super(fault.sentence);
    this.fault = fault;
  }
}

/** Throws 400 instead, with the block; of a layout, with the field that names it. */
export function namedFaults<T>(make: () => T, layoutField: string): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Inside)) throw error;
    const { place, id, sentence } = error.fault;
    throw place === undefined
      ? refusedBlocks(layoutField, { field: '', sentence: `in the layout: ${sentence}` })
      : refusedBlocks(place, nameOf(sentence), id);
  }
}

function nameOf(sentence: string): Fault {
  return { field: 'name', sentence };
}

function replaced(blocks: Blocks, path: string | undefined, replace: Replace): Block[] {
  const inside = (all: Blocks, field: string) => replaced(all, path && field, replace);
  return blocks.map((block, index) => {
    const place = path && `${path}/${index}`;
    const own = replace(block, place);
    if (own !== block || own.type === 'snippet' || own.type === 'content') return own;
    if (own.type === 'columns') {
      const columns = own.columns.map((column, at) => ({
        ...column,
        blocks: inside(column.blocks, `${place}/columns/${at}/blocks`),
      }));
      return { ...own, columns };
    }
    if (own.type !== 'when' && own.type !== 'each') return own;
    const { otherwise } = own;
    return {
      ...own,
      blocks: inside(own.blocks, `${place}/blocks`),
      ...(otherwise && { otherwise: inside(otherwise, `${place}/otherwise`) }),
    };
  });
}

/** The content as it is written, with the brand, and free of faults of its own. */
export function checkedBlocks(given: unknown, { brand, path }: { brand: Parts['brand']; path: string }) {
  const { content, usesBrand } = branded(given, brand);
  return { content: checkContent(content, path), usesBrand };
}
