import type { Block, Span } from '../../../schemas/templates/block-types.ts';
import { kindOf } from '../blocks/kinds.ts';
import { MarkupFault, markupOf, spansOf } from './markup.ts';

/** A text of a block that may be written in another language. */
export interface Part {
  blockId: string;
  /** The path inside the block: spans, alt, links/0/label. */
  field: string;
  /** Spans are written as markup. */
  isSpans: boolean;
  base: string;
  /** Addresses, and words that are variables alone, may stay as they are. */
  isOptional: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const WORDS: ReadonlySet<string> = new Set('alt title label by name unsubscribe preferences html'.split(' '));
const ADDRESSES: ReadonlySet<string> = new Set(['href', 'src']);
/** How many lists are around the spans, or the words, of a field. */
const SPANS: Readonly<Record<string, number>> = { spans: 0, items: 1, lines: 1, rows: 2 };
const LISTS: ReadonlySet<string> = new Set(['nodes', 'links']);

/** The texts of blocks, and of blocks inside them, in their order. */
export function partsOf(blocks: readonly Block[]): Part[] {
  return blocks.flatMap((block) => [
    ...fieldParts(block as unknown as Fields, block.id, ''),
    ...(kindOf(block).inside?.(block) ?? []).flatMap(([, inside]) => partsOf(inside)),
  ]);
}

function fieldParts(fields: Fields, blockId: string, path: string): Part[] {
  // The name of a snippet is no text.
  if (fields.type === 'snippet') return [];
  return Object.entries(fields).flatMap(([name, value]) => {
    const field = `${path}${name}`;
    const depth = Object.hasOwn(SPANS, name) ? SPANS[name] : undefined;
    if (depth !== undefined) return spansParts(value, { blockId, field, depth });
    if (LISTS.has(name) && Array.isArray(value))
      return value.flatMap((one, index) => fieldParts(one as Fields, blockId, `${field}/${index}/`));
    if (name === 'head' && Array.isArray(value))
      return value.flatMap((one, index) => wordsPart(one, blockId, `${field}/${index}`));
    return WORDS.has(name) || ADDRESSES.has(name) ? wordsPart(value, blockId, field, ADDRESSES.has(name)) : [];
  });
}

function spansParts(value: unknown, at: { blockId: string; field: string; depth: number }): Part[] {
  if (!Array.isArray(value)) return [];
  const { blockId, field, depth } = at;
  if (depth > 0)
    return value.flatMap((one, index) => spansParts(one, { blockId, field: `${field}/${index}`, depth: depth - 1 }));
  const spans = value as Span[];
  if (spans.length === 0) return [];
  const isOptional = !spans.some(({ text = '', fallback = '' }) => /\p{L}/u.test(text + fallback));
  return [{ blockId, field, isSpans: true, base: markupOf(spans), isOptional }];
}

function wordsPart(value: unknown, blockId: string, field: string, isAddress = false): Part[] {
  if (typeof value !== 'string' || value === '') return [];
  return [{ blockId, field, isSpans: false, base: value, isOptional: isAddress || !/\p{L}/u.test(value) }];
}

/** A text in the place of the one of the base, by the id of the block and the path inside it. */
export type TextAt = (blockId: string, field: string) => string | undefined;

/** Blocks with other texts. `parts` are those of the blocks, the brand's words among them. Throws MarkupFault with the part before it. */
export function withTexts(blocks: readonly Block[], parts: readonly Part[], textAt: TextAt): Block[] {
  const copy = structuredClone(blocks) as Block[];
  const byId = new Map(everyBlock(copy).map((block) => [block.id, block]));
  for (const part of parts) {
    const text = textAt(part.blockId, part.field);
    const block = byId.get(part.blockId);
    if (text !== undefined && block) put(block as unknown as Record<string, unknown>, part, text);
  }
  return copy;
}

export function everyBlock(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) => [
    block,
    ...(kindOf(block).inside?.(block) ?? []).flatMap(([, inside]) => everyBlock(inside)),
  ]);
}

/** A list that the block has from the brand alone has no place for a text. */
export function hasPlace(block: Block, field: string): boolean {
  return placeOf(block as unknown as Record<string, unknown>, field) !== undefined;
}

function put(block: Record<string, unknown>, { blockId, field, isSpans }: Part, text: string): void {
  const place = placeOf(block, field);
  if (!place) return;
  try {
    place.inside[place.name] = isSpans ? spansOf(text) : text;
  } catch (error) {
    if (error instanceof MarkupFault) throw new MarkupFault(`${blockId}/${field}: ${error.message}`);
    throw error;
  }
}

function placeOf(block: Record<string, unknown>, field: string) {
  const names = field.split('/');
  const name = names.pop() as string;
  let inside: unknown = block;
  for (const one of names) inside = isInside(inside) ? inside[one] : undefined;
  return isInside(inside) ? { inside, name } : undefined;
}

function isInside(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
