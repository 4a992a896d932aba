import type { TextNode } from '../../../../schemas/templates/block-types.ts';
import { alignStyle } from '../kit/html.ts';
import type { Fault, Kind, Place } from '../kit/kind.ts';
import { fault, spansFaults, spansHtml, spansText } from '../kit/spans.ts';

/** Paragraphs and lists. */
export const text: Kind<'text'> = {
  toHtml({ nodes }, place) {
    return nodes.map((node, index) => nodeHtml(node, place, index === nodes.length - 1)).join('');
  },
  toText({ nodes }) {
    return nodes.map(nodeText).join('\n\n');
  },
  check({ nodes }) {
    return nodes.flatMap((node, index) => nodeFaults(node, `nodes/${index}`));
  },
};

function nodeHtml({ type, spans = [], align, ordered, items = [] }: TextNode, place: Place, isLast: boolean): string {
  const margin = isLast ? '0' : '0 0 16px';
  if (type === 'paragraph') return `<p style="margin:${margin}${alignStyle(align)}">${spansHtml(spans, place)}</p>`;
  const tag = ordered ? 'ol' : 'ul';
  const entries = items.map((item) => `<li style="margin:0 0 6px">${spansHtml(item, place)}</li>`).join('');
  return `<${tag} style="margin:${margin};padding:0 0 0 24px${alignStyle(align)}">${entries}</${tag}>`;
}

function nodeText({ type, spans = [], ordered, items = [] }: TextNode): string {
  if (type === 'paragraph') return spansText(spans);
  return items.map((item, index) => `${ordered ? `${index + 1}.` : '-'} ${spansText(item)}`).join('\n');
}

function nodeFaults({ type, spans, items, ordered }: TextNode, at: string): Fault[] {
  const [own, other] = type === 'paragraph' ? ['spans', items ?? ordered] : ['items', spans];
  const isWhole = (type === 'paragraph' ? spans : items) !== undefined;
  return [
    ...fault(at, isWhole && other === undefined ? undefined : `must have ${own}, and only what a ${type} has`),
    ...spansFaults(spans ?? [], `${at}/spans`),
    ...(items ?? []).flatMap((item, index) => spansFaults(item, `${at}/items/${index}`)),
  ];
}
