import { type MarkSpec, type Node, type NodeSpec, Schema, type TagParseRule } from 'prosemirror-model';
import type { BlockType } from '../../../schemas/templates/block-types.ts';
import { freshBlock } from './fresh.ts';

/**
 * A mail as a document of the editor. A block is a node; `props` has the fields of its JSON in their order. Its words and the blocks
 * inside it are in the document; `props` has the words as they were read, so that words without a change are written as they came.
 */

type Copied = Parameters<NonNullable<TagParseRule['getAttrs']>>[0];

/** ProseMirror keeps the name "text" for itself. */
export const nodeNames = { text: 'words' } as const;

export function nodeName(type: BlockType): string {
  return type === 'text' ? nodeNames.text : type;
}

const ANYWHERE = 'block nested inner';
/** No columns inside columns, and a footer at the top level alone. */
const groups: Partial<Record<BlockType, string>> = { columns: 'block nested', footer: 'block', content: 'block' };

const contents: Record<BlockType, string> = {
  ...{ text: '(paragraph | list)*', heading: 'inline*', quote: 'inline*', button: 'inline*', footer: 'inline*' },
  ...{ table: 'row*', signature: 'line*', columns: 'column+', when: 'blocks otherwise?', each: 'blocks otherwise?' },
  ...{ image: '', divider: '', space: '', social: '', menu: '', video: '', header: '', html: '' },
  ...{ snippet: '', content: '' },
};

function blockSpec(type: BlockType): NodeSpec {
  const content = contents[type];
  const { id: _, ...fresh } = freshBlock(type, '');
  return {
    group: groups[type] ?? ANYWHERE,
    attrs: { props: { default: fresh } },
    ...(content === '' ? { atom: true } : { content }),
    ...(type === 'button' && { marks: 'bold italic colour' }),
    ...{ isolating: true, selectable: true, defining: true },
    toDOM: (node) => {
      const attributes = { 'data-block': type, 'data-props': JSON.stringify(node.attrs.props) };
      return content === '' ? ['div', attributes] : ['div', attributes, 0];
    },
    parseDOM: [
      { tag: `div[data-block="${type}"]`, getAttrs: (element) => copiedProps(element, type) },
      ...strange(type),
    ],
  };
}

/** Fields of a copied block. false: it is none of ours. */
function copiedProps(element: Copied, type: BlockType): { props: object } | false {
  try {
    const props = JSON.parse(element.dataset.props ?? '');
    return props?.type === type ? { props: { ...freshBlock(type, ''), ...props } } : false;
  } catch {
    return false;
  }
}

type Rules = NonNullable<NodeSpec['parseDOM']>;

/** HTML of other programs. */
function strange(type: BlockType): Rules {
  if (type === 'heading')
    return [1, 2, 3, 4, 5, 6].map((level) => ({
      tag: `h${level}`,
      attrs: { props: { type, level: Math.min(3, level), spans: [] } },
    }));
  if (type === 'quote') return [{ tag: 'blockquote' }];
  if (type === 'divider') return [{ tag: 'hr' }];
  if (type === 'image') return [{ tag: 'img[src]', getAttrs: pictureProps }];
  return [];
}

function pictureProps(element: Copied): { props: object } | false {
  const [src, alt] = ['src', 'alt'].map((name) => element.getAttribute(name) ?? '');
  return /^https?:/i.test(src ?? '') ? { props: { type: 'image', src, alt } } : false;
}

/** Of a node inside a block, which has no id. */
function innerSpec(tag: string, content: string, given: object = {}, rules: Rules = []): NodeSpec {
  return {
    content,
    attrs: { props: { default: given } },
    selectable: false,
    toDOM: ({ attrs }) => [tag, { 'data-props': JSON.stringify(attrs.props) }, 0],
    parseDOM: rules,
  };
}

/** A container of words alone: `spans` is what it was read from. */
function wordsSpec(tag: string, rules: Rules = []): NodeSpec {
  return {
    content: 'inline*',
    attrs: { spans: { default: null } },
    selectable: false,
    toDOM: () => [tag, 0],
    parseDOM: rules,
  };
}

const paragraph = { type: 'paragraph', spans: [] };
const bullets = { type: 'list', items: [] };

const inner: Record<string, NodeSpec> = {
  paragraph: innerSpec('p', 'inline*', paragraph, [{ tag: 'p', getAttrs: (element) => partProps(element, paragraph) }]),
  list: innerSpec('ul', 'item+', bullets, [
    { tag: 'ul', getAttrs: (element) => partProps(element, bullets) },
    { tag: 'ol', getAttrs: (element) => partProps(element, { ...bullets, ordered: true }) },
  ]),
  item: wordsSpec('li', [{ tag: 'li' }]),
  row: { ...innerSpec('tr', 'cell+', {}, [{ tag: 'tr' }]), attrs: {} },
  cell: { ...wordsSpec('td', [{ tag: 'td, th' }]), isolating: true },
  line: wordsSpec('address', [{ tag: 'address' }]),
  column: { ...innerSpec('section', 'inner*', { share: 1, blocks: [] }), isolating: true },
  blocks: { ...innerSpec('section', 'nested*'), attrs: {}, isolating: true },
  otherwise: { ...innerSpec('section', 'nested*'), attrs: {}, isolating: true },
};
inner.column!.parseDOM = [
  { tag: 'section[data-part="column"]', getAttrs: (element) => partProps(element, { share: 1, blocks: [] }) },
];
inner.column!.toDOM = ({ attrs }) => [
  'section',
  { 'data-part': 'column', 'data-props': JSON.stringify(attrs.props) },
  0,
];
for (const part of ['blocks', 'otherwise']) {
  inner[part]!.toDOM = () => ['section', { 'data-part': part }, 0];
  inner[part]!.parseDOM = [{ tag: `section[data-part="${part}"]` }];
}

function partProps(element: Copied, otherwise: object): { props: object } {
  try {
    return { props: { ...otherwise, ...JSON.parse(element.dataset.props ?? '{}') } };
  } catch {
    return { props: otherwise };
  }
}

const inline: Record<string, NodeSpec> = {
  text: { group: 'inline' },
  variable: {
    ...{ group: 'inline', inline: true, atom: true, selectable: true, draggable: true },
    attrs: { variable: {}, fallback: { default: null } },
    toDOM: ({ attrs: { variable, fallback } }) => [
      'span',
      { 'data-variable': variable, ...(fallback !== null && { 'data-fallback': fallback }) },
      `{{${variable}}}`,
    ],
    parseDOM: [
      {
        tag: 'span[data-variable]',
        getAttrs: ({ dataset: { variable, fallback = null } }) => ({ variable, fallback }),
      },
    ],
    leafText: ({ attrs }) => `{{${attrs.variable}}}`,
  },
  break: {
    ...{ group: 'inline', inline: true, selectable: false },
    toDOM: () => ['br'],
    parseDOM: [{ tag: 'br' }],
    leafText: () => '\n',
  },
};

const marks: Record<string, MarkSpec> = {
  href: {
    attrs: { href: {} },
    inclusive: false,
    toDOM: ({ attrs }) => ['a', { 'data-href': attrs.href, class: 'm-link' }, 0],
    parseDOM: [
      { tag: 'a[data-href]', getAttrs: (element) => ({ href: element.dataset.href }) },
      {
        tag: 'a[href]',
        getAttrs: (element) => {
          const href = element.getAttribute('href') ?? '';
          return /^(https?|mailto|tel|sms):/i.test(href) && { href };
        },
      },
    ],
  },
  bold: {
    toDOM: () => ['strong', 0],
    parseDOM: [
      { tag: 'strong' },
      { tag: 'b', getAttrs: (element) => element.style.fontWeight !== 'normal' && null },
      { style: 'font-weight', getAttrs: (value) => /^(bold(er)?|[6-9]\d\d)$/.test(value) && null },
    ],
  },
  italic: {
    toDOM: () => ['em', 0],
    parseDOM: [{ tag: 'em' }, { tag: 'i' }, { style: 'font-style=italic' }],
  },
  colour: {
    attrs: { colour: {} },
    toDOM: ({ attrs: { colour } }) => [
      'span',
      {
        'data-colour': colour,
        style: `color: ${colour.startsWith('#') ? colour : `var(--${colour.replace('.', '-')})`}`,
      },
      0,
    ],
    parseDOM: [
      {
        tag: 'span[data-colour]',
        getAttrs: ({ dataset: { colour = '' } }) => /^(#[0-9a-f]{6}|brand\.[a-z]+)$/i.test(colour) && { colour },
      },
    ],
  },
};

const types = Object.keys(contents) as BlockType[];

/** The first block of a group is what a document makes by itself. */
const blocks = Object.fromEntries(types.map((type) => [nodeName(type), blockSpec(type)]));

export const schema = new Schema({
  nodes: {
    doc: {
      content: 'block*',
      // `about` has the other texts of a mail: its subject, the name of its template.
      attrs: { props: { default: { v: 1, blocks: [] } }, about: { default: {} } },
    },
    ...blocks,
    ...inner,
    ...inline,
  },
  marks,
});

/** null: the node is part of a block. */
export function blockType(node: Node): BlockType | null {
  const name = node.type.name === nodeNames.text ? 'text' : node.type.name;
  return node.type !== schema.nodes.text && name in contents ? (name as BlockType) : null;
}

export const KINDS = types;
