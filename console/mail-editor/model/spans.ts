import { Fragment, type Mark, type Node } from 'prosemirror-model';
import type { Span } from '../../../schemas/templates/block-types.ts';
import { schema } from './schema.ts';

/** Words between their JSON and the document. */

export function wordsOf(spans: readonly Span[] | null | undefined): Fragment {
  return Fragment.fromArray((spans ?? []).flatMap(nodeOf));
}

/** `given` when the words are those that were read from it, byte for byte. */
export function spansOf<Given extends Span[] | null | undefined>(content: Fragment, given: Given): Given | Span[] {
  if (wordsOf(given).eq(content)) return given;
  const spans: Span[] = [];
  content.forEach((node) => {
    spans.push(spanOf(node));
  });
  return spans;
}

function nodeOf(span: Span): Node[] {
  const marks = marksOf(span);
  if (span.break) return [schema.nodes.break!.create(null, null, marks)];
  if (span.variable !== undefined) {
    const { variable, fallback = null } = span;
    return [schema.nodes.variable!.create({ variable, fallback }, null, marks)];
  }
  return span.text ? [schema.text(span.text, marks)] : [];
}

function marksOf({ bold, italic, href, colour }: Span): Mark[] {
  const { marks } = schema;
  const all = [
    href !== undefined && marks.href!.create({ href }),
    bold && marks.bold!.create(),
    italic && marks.italic!.create(),
    colour !== undefined && marks.colour!.create({ colour }),
  ];
  return all.filter((mark) => typeof mark === 'object');
}

function spanOf(node: Node): Span {
  const look = Object.assign({}, ...node.marks.map(lookOf));
  if (node.isText) return { text: node.text ?? '', ...look };
  if (node.type === schema.nodes.break) return { break: true, ...look };
  const { variable, fallback } = node.attrs;
  return { variable, ...(fallback !== null && { fallback }), ...look };
}

function lookOf({ type, attrs }: Mark): Partial<Span> {
  return type.name === 'bold' || type.name === 'italic' ? { [type.name]: true } : attrs;
}
