import type { Block, BlockType, Content, Span } from '../../../schemas/templates/block-types.ts';

interface Label {
  label: string;
  hint: string;
  /** Other words that one may look for. */
  words?: string;
}

/** In the order of the menu. */
export const labels: Record<BlockType, Label> = {
  text: { label: 'Text', hint: 'Paragraphs and lists', words: 'paragraph list' },
  heading: { label: 'Heading', hint: 'A line in large letters', words: 'title' },
  image: { label: 'Picture', hint: 'From this machine, or by its address', words: 'image photo' },
  button: { label: 'Button', hint: 'A link that stands out', words: 'link call' },
  columns: { label: 'Columns', hint: 'Two to four, next to each other', words: 'grid side' },
  divider: { label: 'Line', hint: 'Divides parts of the mail', words: 'divider rule' },
  space: { label: 'Space', hint: 'Some room', words: 'gap spacer' },
  quote: { label: 'Quote', hint: 'Words of another person', words: 'testimonial' },
  table: { label: 'Table', hint: 'Items and prices', words: 'rows order' },
  signature: { label: 'Signature', hint: 'Who writes, with a portrait', words: 'name person' },
  header: { label: 'Header', hint: 'Logo or name, at the top', words: 'logo brand' },
  footer: { label: 'Footer', hint: 'Your address and the link to unsubscribe', words: 'unsubscribe legal' },
  menu: { label: 'Links in a row', hint: 'A menu of your site', words: 'menu navigation' },
  social: { label: 'Profiles', hint: 'Links to your profiles elsewhere', words: 'social' },
  video: { label: 'Video', hint: 'A picture that leads to it', words: 'film play' },
  when: { label: 'Only for some', hint: 'Blocks for people with a value', words: 'when if condition' },
  each: { label: 'For each item', hint: 'Blocks once for each item of a list', words: 'each repeat loop' },
  snippet: { label: 'Snippet', hint: 'Blocks that many mails share', words: 'partial shared part' },
  content: { label: 'The mail', hint: 'Where the blocks of a mail stand in this layout', words: 'content slot place' },
  html: { label: 'HTML', hint: 'Code of your own', words: 'code' },
};

const SHOWN_MAX = 40;

/** 'Heading “Fresh bread”', as a person calls it. */
export function nameOf(block: Block): string {
  const words = wordsIn(block).replace(/\s+/g, ' ').trim();
  const cut = words.length > SHOWN_MAX ? `${words.slice(0, SHOWN_MAX)}…` : words;
  return cut ? `${labels[block.type].label} “${cut}”` : labels[block.type].label;
}

type Words = ReadonlyArray<{ text?: string; variable?: string }>;

function wordsIn(block: Block): string {
  const joined = (spans: Words = []) => spans.map(({ text, variable }) => text ?? variable ?? ' ').join('');
  switch (block.type) {
    case 'text':
      return block.nodes.map(({ spans, items = [] }) => [spans, ...items].map(joined).join(' ')).join(' ');
    case 'heading':
    case 'button':
    case 'quote':
    case 'footer':
      return joined(block.spans);
    case 'image':
    case 'video':
      return block.alt;
    case 'header':
    case 'snippet':
    case 'signature':
      return block.name ?? '';
    default:
      return '';
  }
}

/** All of a mail as text. */
export function wordsOf({ look = {}, blocks }: Content): string {
  const looks = Object.entries(look).map(([name, value]) => `${name}: ${value}`);
  return [...looks, ...blocks.flatMap((block) => linesOf(block))].join('\n');
}

/** All of a block as text, for two versions next to each other. */
export function linesOf(block: Block, margin = ''): string[] {
  const { id: _, type, ...fields } = block;
  const lines = Object.entries(fields).flatMap(([name, value]) => linesIn(name, value, `${margin}  `));
  return [`${margin}${labels[type].label}`, ...lines];
}

function linesIn(name: string, value: unknown, margin: string): string[] {
  if (value === 'paragraph') return [];
  if (typeof value !== 'object' || value === null) return [`${margin}${name}: ${value}`];
  if (!Array.isArray(value)) return Object.entries(value).flatMap(([inner, one]) => linesIn(inner, one, margin));
  if (value.length > 0 && value.every(isSpan)) return [`${margin}${value.map(spanText).join('')}`];
  return value.flatMap((one) => (isBlock(one) ? linesOf(one, margin) : linesIn(name, one, margin)));
}

function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && 'id' in value;
}

function isSpan(value: unknown): value is Span {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['text', 'variable', 'break'].some((name) => name in value) &&
    !('type' in value) &&
    !('is' in value)
  );
}

/** As people write it in plain text: **bold**, _italic_, [words](address). */
function spanText({ text, variable, fallback, bold, italic, href, colour }: Span): string {
  let words = variable === undefined ? (text ?? '\n') : `{{${variable}${fallback ? `, or ${fallback}` : ''}}}`;
  if (italic) words = `_${words}_`;
  if (bold) words = `**${words}**`;
  if (colour) words = `${words}(${colour})`;
  return href === undefined ? words : `[${words}](${href})`;
}
