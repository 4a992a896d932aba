import type { Brand } from '../../../client/index.ts';
import type { Block, Content, Span } from '../../../schemas/templates/block-types.ts';
import { CONTRAST_MIN, contrast } from '../../parts/data/colours.ts';
import { colourIn, coloursOfLook } from '../colours/of-brand.ts';
import { NO_PICTURE, PLACEHOLDER } from './fresh.ts';
import { nameOf } from './labels.ts';

/** A thing to look at before the mail is sent. */
export interface Finding {
  /** null: of the mail as a whole. */
  blockId: string | null;
  title: string;
  text: string;
  /** The interface refuses it. */
  isBad?: boolean;
}

interface Known {
  isMarketing: boolean;
  /** Names of variables that the mail has values for; null: they come with the call. */
  variables: ReadonlySet<string> | null;
  /** Of the HTML, compiled; null: not yet. */
  bytes: number | null;
  brand: Brand | null;
}

/** Gmail cuts longer mails off. */
const BYTES_MAX = 102 * 1024;

export function findingsIn({ look = {}, blocks }: Content, { isMarketing, variables, bytes, brand }: Known): Finding[] {
  const colours = coloursOfLook(brand, look);
  const all = every(blocks, false);
  const found = all.flatMap(({ block, isRepeated }) => [
    ...thingFindings(block),
    ...colourFindings(block, colours, brand),
    ...variableFindings(block, isRepeated ? null : variables),
  ]);
  return [...found, ...wholeFindings({ all, colours, isMarketing, bytes })];
}

type Colours = ReturnType<typeof coloursOfLook>;
type Every = ReadonlyArray<{ block: Block; isRepeated: boolean }>;

/** Inside `each` a name is one of the item. */
function every(blocks: readonly Block[], isRepeated: boolean): Every {
  return blocks.flatMap((block) => [
    { block, isRepeated },
    ...insideOf(block).flatMap((inside) => every(inside, isRepeated || block.type === 'each')),
  ]);
}

function insideOf(block: Block): Block[][] {
  if (block.type === 'columns') return block.columns.map(({ blocks }) => blocks);
  if (block.type === 'when' || block.type === 'each') return [block.blocks, block.otherwise ?? []];
  return [];
}

function at(block: Block, text: string): Finding[] {
  return [{ blockId: block.id, title: nameOf(block), text }];
}

function thingFindings(block: Block): Finding[] {
  const found: Finding[] = [];
  if ((block.type === 'image' || block.type === 'video') && block.src === NO_PICTURE)
    found.push(...at(block, 'has no picture yet.'));
  else if (block.type === 'image' && block.alt === '')
    found.push(...at(block, 'has no words for people who do not see it. Leave them out for decoration alone.'));
  if (addressesOf(block).some((address) => address.startsWith(PLACEHOLDER)))
    found.push(...at(block, 'leads to example.com. Give it its address.'));
  if ((block.type === 'heading' || block.type === 'button') && isEmpty(block.spans))
    found.push(...at(block, 'is empty.'));
  return found;
}

function addressesOf(block: Block): string[] {
  if (block.type === 'menu' || block.type === 'social') return (block.links ?? []).map(({ href }) => href);
  return 'href' in block && block.href ? [block.href] : [];
}

function isEmpty(spans: readonly Span[]): boolean {
  return spans.every(({ text = '', variable }) => variable === undefined && text.trim() === '');
}

function colourFindings(block: Block, { paper, accent }: Colours, brand: Brand | null): Finding[] {
  const isPale = (words: string | undefined, ground: string) => {
    const colour = colourIn(brand, words);
    return colour !== undefined && contrast(colour, ground) < CONTRAST_MIN;
  };
  if (block.type === 'button' && isPale(block.colour, colourIn(brand, block.background) ?? accent))
    return at(block, 'is hard to read: its words and its colour are too much alike.');
  return spansIn(block).some(({ colour }) => isPale(colour, paper))
    ? at(block, 'has words that are hard to read on this paper.')
    : [];
}

/** Of the item, the brand and the campaign. */
const OF_OTHERS = /^(@|brand\.|campaign\.)/;

function variableFindings(block: Block, known: Known['variables']): Finding[] {
  if (!known) return [];
  const names = spansIn(block).flatMap(({ variable, fallback }) => (variable && !fallback ? [variable] : []));
  const unknown = [...new Set(names)].filter((name) => !known.has(name) && !OF_OTHERS.test(name));
  return unknown.flatMap((name) =>
    at(block, `names “${name}”, which no person has. Give it words instead, or another name.`),
  );
}

function spansIn(block: Block): Span[] {
  switch (block.type) {
    case 'text':
      return block.nodes.flatMap(({ spans = [], items = [] }) => [...spans, ...items.flat()]);
    case 'table':
      return block.rows.flat(2);
    case 'signature':
      return (block.lines ?? []).flat();
    default:
      return 'spans' in block ? (block.spans ?? []) : [];
  }
}

function wholeFindings({
  all,
  colours: { paper, colour, accent },
  isMarketing,
  bytes,
}: { all: Every; colours: Colours } & Omit<Known, 'variables' | 'brand'>): Finding[] {
  const found: Finding[] = [];
  const add = (text: string) => found.push({ blockId: null, title: 'The mail', text });
  if (all.length === 0) add('is empty.');
  if (isMarketing && !all.some(({ block }) => block.type === 'footer'))
    add('has no footer, and so no link to unsubscribe. Campaigns need one.');
  if (contrast(colour, paper) < CONTRAST_MIN) add('has text that is hard to read on its paper.');
  if (contrast(accent, paper) < CONTRAST_MIN) add('has links that are hard to read on its paper.');
  if (bytes !== null && bytes > BYTES_MAX) add('is longer than 102 kB: Gmail cuts off what is below that.');
  return found;
}

/** The lines of a refusal: `content/blocks/2/href (block "offer"): must be ...` */
const LINE =
  /^content\/blocks\/\d+(?:\/(?:columns\/\d+\/blocks|blocks|otherwise)\/\d+)*\/?(.*?) \(block "([^"]*)"\): (.+)$/s;
/** Of fields whose names say little to a person. */
const FIELDS: Readonly<Record<string, string>> = {
  href: 'Leads to',
  src: 'Picture',
  alt: 'Description',
  name: '',
  spans: 'Words',
  html: 'Code',
};

export interface Refusal {
  blockId: string;
  field: string;
  text: string;
}

/** 'Address: must be ...', as a row below the name of the block. */
export function wordsOfRefusal({ field, text }: Refusal): string {
  const last = field.split('/').findLast((name) => !/^\d*$/.test(name)) ?? '';
  return [FIELDS[last] ?? last, text].filter(Boolean).join(': ');
}

/** The block as a person calls it. */
export function nameIn(content: unknown, id: string): string {
  const block = blockIn(content, id);
  return block ? nameOf(block) : 'A block';
}

/** However deep it is. */
function blockIn(value: unknown, id: string): Block | null {
  if (typeof value !== 'object' || value === null) return null;
  if ('id' in value && value.id === id && 'type' in value) return value as Block;
  for (const inner of Object.values(value)) {
    const found = blockIn(inner, id);
    if (found) return found;
  }
  return null;
}

export function refusalsIn(details: string): Refusal[] {
  return details.split('; ').flatMap((line) => {
    const [, field = '', blockId, text] = LINE.exec(line) ?? [];
    return blockId !== undefined && text !== undefined ? [{ blockId, field, text }] : [];
  });
}
