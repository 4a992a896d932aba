import type { Block, Content } from '../../../schemas/templates/block-types.ts';
import {
  BLOCK_DEPTH_MAX,
  BLOCKS_MAX,
  blockSchemas,
  blockTypes,
  CONTENT_LENGTH_MAX,
  contentFrame,
} from '../../../schemas/templates/blocks.ts';
import { invalid } from '../../base/errors.ts';
import { tagToWriteIn } from '../../base/text/languages/tags.ts';
import { kindNamed } from './kinds.ts';
import type { Fault } from './kit/kind.ts';
import { shapeFault } from './kit/shape.ts';

const FAULTS_MAX = 20;
const SHOWN_MAX = 64;

/** Throws 400 with the path and the id of each block at fault, the first twenty of them. */
export function checkContent(content: unknown, path = 'content'): Content {
  const fault = sizeFault(content) ?? shapeFault(contentFrame, content) ?? languageFault(content as Content);
  if (fault) throw refused([faultLine([path, fault.field], fault)]);
  const lines = new Checker().check((content as Content).blocks, `${path}/blocks`);
  if (lines.length > 0) throw refused(lines);
  return content as Content;
}

/** A fault that is found outside the check of one block. */
export function refusedBlocks(path: string, fault: Fault, id?: string) {
  return refused([faultLine([path, fault.field], fault, id)]);
}

function refused(lines: readonly string[]) {
  const details = lines.join('; ');
  return invalid(`The content is not valid: ${details}`, details);
}

class Checker {
  readonly #lines: string[] = [];
  #ids = new Set<string>();
  #blocks = 0;

  check(blocks: readonly Block[], path: string): string[] {
    this.#checkEach(blocks, path, 1);
    return this.#lines;
  }

  #checkEach(blocks: readonly Block[], path: string, depth: number): void {
    for (const [index, block] of blocks.entries()) {
      if (this.#lines.length >= FAULTS_MAX) return;
      this.#blocks += 1;
      this.#checkOne(block, `${path}/${index}`, depth);
    }
  }

  #checkOne(block: Block, path: string, depth: number): void {
    const faults = this.#placeFaults(block, depth);
    const kind = kindNamed(block.type);
    const unknown = kind ? shapeFault(blockSchemas[block.type], block) : typeFault();
    if (unknown) faults.push(unknown);
    else faults.push(...kind!.check(block));
    for (const fault of faults) this.#add(path, block.id, fault);
    this.#ids.add(block.id);
    if (unknown || faults.length > 0) return;
    for (const [field, inside] of kind!.inside?.(block) ?? []) {
      if (kind!.isPart) this.#checkPart(inside, `${path}/${field}`, depth);
      else this.#checkEach(inside, `${path}/${field}`, depth + 1);
    }
  }

  /** Blocks that were written elsewhere: their ids are their own, and their place is the one of the block. */
  #checkPart(blocks: readonly Block[], path: string, depth: number): void {
    const ids = this.#ids;
    this.#ids = new Set();
    this.#checkEach(blocks, path, depth);
    this.#ids = ids;
  }

  #placeFaults({ id, type }: Block, depth: number): Fault[] {
    const faults: Fault[] = [];
    if (this.#blocks > BLOCKS_MAX) faults.push({ field: '', sentence: `is one of more than ${BLOCKS_MAX} blocks` });
    if (depth > BLOCK_DEPTH_MAX) faults.push({ field: '', sentence: `is more than ${BLOCK_DEPTH_MAX} blocks deep` });
    if (this.#ids.has(id)) faults.push({ field: 'id', sentence: 'is the id of another block too' });
    if (type === 'footer' && depth > 1)
      faults.push({ field: '', sentence: 'must be at the top level, since every mail needs its link' });
    return faults;
  }

  #add(path: string, id: unknown, fault: Fault): void {
    if (this.#lines.length < FAULTS_MAX) this.#lines.push(faultLine([path, fault.field], fault, id));
  }
}

function typeFault(): Fault {
  return { field: 'type', sentence: `must be one of ${blockTypes.join(', ')}` };
}

/** `content/blocks/2/href (block "offer"): must be ...` */
function faultLine(path: readonly string[], { sentence }: Fault, id?: unknown): string {
  const named = typeof id === 'string' ? ` (block "${id.replace(/[^\w-]/g, '?').slice(0, SHOWN_MAX)}")` : '';
  return `${path.filter(Boolean).join('/')}${named}: ${sentence}`;
}

/** The same languages as those of translations. */
function languageFault({ look }: Content): Fault | undefined {
  if (look?.language === undefined || tagToWriteIn(look.language) !== null) return undefined;
  return { field: 'look/language', sentence: 'must be a language tag such as fr or pt-BR' };
}

/** Read without recursion and no further than the limit. */
function sizeFault(content: unknown): Fault | undefined {
  let length = 0;
  const pending: unknown[] = [content];
  while (pending.length > 0) {
    const value = pending.pop();
    length += typeof value === 'string' ? value.length : 8;
    if (length > CONTENT_LENGTH_MAX) return { field: '', sentence: `must be at most ${CONTENT_LENGTH_MAX / 1024} kB` };
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) pending.push(inner);
  }
  return undefined;
}
