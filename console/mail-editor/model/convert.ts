import type { Node } from 'prosemirror-model';
import type { Block, Content, Span, TextNode } from '../../../schemas/templates/block-types.ts';
import { blockType, nodeName, schema } from './schema.ts';
import { spansOf, wordsOf } from './spans.ts';

/** Content blocks as the document of the editor, and back. Content without a change comes back byte for byte. */

/** The other texts of a mail: its subject, the name of its template. */
export type About = Readonly<Record<string, string>>;

type Props = Record<string, unknown>;

export function docOf(content: Content, about: About = {}): Node {
  const { blocks } = content;
  return schema.nodes.doc!.create({ props: { ...content, blocks: [] }, about }, blocks.map(nodeOf));
}

export function contentOf(doc: Node): Content {
  return { ...doc.attrs.props, blocks: blocksOf(doc) };
}

export function nodeOf(block: Block): Node {
  const { props, inside } = opened(block);
  return schema.nodes[nodeName(block.type)]!.create({ props }, inside);
}

/** A node of a document never changes, so that each is written once. */
const written = new WeakMap<Node, Block>();

export function blockOf(node: Node): Block {
  const known = written.get(node);
  if (known) return known;
  const block = closed(node);
  written.set(node, block);
  return block;
}

function opened(block: Block): { props: object; inside: Node[] | ReturnType<typeof wordsOf> } {
  switch (block.type) {
    case 'text':
      return { props: { ...block, nodes: [] }, inside: block.nodes.map(textNode) };
    case 'heading':
    case 'button':
    case 'quote':
    case 'footer':
      return { props: block, inside: wordsOf(block.spans) };
    case 'table':
      return { props: { ...block, rows: [] }, inside: block.rows.map(rowNode) };
    case 'signature':
      return { props: block, inside: (block.lines ?? []).map((spans) => wordsNode('line', spans)) };
    case 'columns':
      return { props: { ...block, columns: [] }, inside: block.columns.map(columnNode) };
    case 'when':
    case 'each': {
      const { otherwise } = block;
      const inside = [partNode('blocks', block.blocks), ...(otherwise ? [partNode('otherwise', otherwise)] : [])];
      return { props: { ...block, blocks: [], ...(otherwise && { otherwise: [] }) }, inside };
    }
    default:
      return { props: block, inside: [] };
  }
}

function closed(node: Node): Block {
  const { props } = node.attrs;
  switch (blockType(node)) {
    case 'text':
      return { ...props, nodes: mapped(node, textOf) };
    case 'heading':
    case 'button':
    case 'quote':
    case 'footer':
      return withWords(node, props);
    case 'table':
      return { ...props, rows: mapped(node, (row) => mapped(row, ownSpans)) };
    case 'signature': {
      const lines = mapped(node, ownSpans);
      return { ...props, ...((props.lines || lines.length > 0) && { lines }) };
    }
    case 'columns':
      return { ...props, columns: mapped(node, (column) => ({ ...column.attrs.props, blocks: blocksOf(column) })) };
    case 'when':
    case 'each':
      return branched(node, props);
    default:
      return props;
  }
}

function branched(node: Node, { otherwise: _, ...others }: Props): Block {
  const [inside, otherwise] = [node.child(0), node.maybeChild(1)];
  const base = otherwise ? (node.attrs.props as Props) : others;
  return { ...base, blocks: blocksOf(inside), ...(otherwise && { otherwise: blocksOf(otherwise) }) } as Block;
}

function withWords(node: Node, props: Props): Block {
  const spans = spansOf(node.content, props.spans as Span[] | undefined);
  return { ...props, ...(spans && { spans }) } as Block;
}

function textNode(node: TextNode): Node {
  if (node.type === 'paragraph') return schema.nodes.paragraph!.create({ props: node }, wordsOf(node.spans));
  const items = (node.items ?? []).map((spans) => wordsNode('item', spans));
  return schema.nodes.list!.create({ props: { ...node, items: [] } }, items);
}

function textOf(node: Node): TextNode {
  const { props } = node.attrs;
  if (node.type === schema.nodes.list) return { ...props, items: mapped(node, ownSpans) };
  return { ...props, spans: spansOf(node.content, props.spans) };
}

function rowNode(cells: readonly Span[][]): Node {
  return schema.nodes.row!.create(
    null,
    cells.map((spans) => wordsNode('cell', spans)),
  );
}

function columnNode(column: { share: number; blocks: readonly Block[] }): Node {
  return schema.nodes.column!.create({ props: { ...column, blocks: [] } }, column.blocks.map(nodeOf));
}

function partNode(name: 'blocks' | 'otherwise', blocks: readonly Block[]): Node {
  return schema.nodes[name]!.create(null, blocks.map(nodeOf));
}

function wordsNode(name: 'item' | 'cell' | 'line', spans: Span[]): Node {
  return schema.nodes[name]!.create({ spans }, wordsOf(spans));
}

function ownSpans({ content, attrs }: Node): Span[] {
  return spansOf(content, attrs.spans as Span[] | null) ?? [];
}

function blocksOf(parent: Node): Block[] {
  return mapped(parent, blockOf);
}

function mapped<T>(parent: Node, map: (node: Node) => T): T[] {
  return parent.children.map(map);
}
