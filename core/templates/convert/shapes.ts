import { backgroundOf, styleOf } from './styles.ts';
import { type Element, isElement, type Node } from './tree.ts';
import { plain } from './words.ts';

/** The kinds of elements, by their looks and by the elements inside. */

export const LEFT_OUT = new Set(
  'applet audio base button canvas embed form frame frameset iframe input link map math meta noscript object script select style svg template textarea video mj-style mj-accordion mj-carousel mj-attributes mj-font mj-preview mj-breakpoint mj-html-attributes'.split(
    ' ',
  ),
);
/** Without anything to show, and without a word about it. */
export const QUIET = new Set(['title', 'col', 'colgroup', 'wbr']);

/** Elements that are side by side because their style says so; behind each other in the source. */
export function inlineBlocksAt(nodes: readonly Node[], from: number): Node[] {
  const row: Node[] = [];
  for (const node of nodes.slice(from, from + 9)) {
    const isSpace = !isElement(node) && node.text.trim() === '';
    const isCell =
      isElement(node) && node.name === 'div' && styleOf(node, 'display') === 'inline-block' && hasContent(node);
    if (!isCell && !(isSpace && row.length > 0)) break;
    row.push(node);
  }
  const cells = row.filter(isElement).length;
  return cells > 1 && cells <= 4 ? row : [];
}

export function hasContent({ name, children }: Element): boolean {
  return (
    name === 'img' ||
    name.startsWith('mj-') ||
    children.some((child) =>
      isElement(child)
        ? hasContent(child) || child.name === 'hr'
        : plain(child.text).replaceAll('\u00a0', ' ').trim() !== '',
    )
  );
}

export function looksLikeButton(element: Element): boolean {
  const { class: names = '' } = element.attributes;
  const isCalled = names
    .toLowerCase()
    .split(' ')
    .some((name) => /^(?:btn|button)(?:-|_|$)/.test(name));
  return (backgroundOf(element) !== undefined && isPadded(element)) || isCalled;
}

export function isPadded(element: Element): boolean {
  const display = styleOf(element, 'display');
  const isBox = display === 'inline-block' || display === 'block';
  return isBox || element.attributes.style?.toLowerCase().includes('padding') === true;
}

export function rowsOf(element: Element): Element[] {
  return element.children
    .filter(isElement)
    .flatMap((child) =>
      child.name === 'tr' ? [child] : /^t(?:body|head|foot)$/.test(child.name) ? rowsOf(child) : [],
    );
}

export function cellsOf({ children }: Element): Element[] {
  return children.filter(isElement).filter(({ name }) => name === 'td' || name === 'th');
}
