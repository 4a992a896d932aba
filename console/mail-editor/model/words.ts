import { Fragment, type Node } from 'prosemirror-model';
import { type Command, type EditorState, Selection } from 'prosemirror-state';
import { schema } from './schema.ts';

/** Acts on words: variables, links, lists, and the side of a line. */

export function insertVariable(variable: string): Command {
  return (state, dispatch) => {
    if (!state.selection.$from.parent.inlineContent) return false;
    const made = schema.nodes.variable!.create({ variable }, null, state.storedMarks ?? state.selection.$from.marks());
    dispatch?.(state.tr.replaceSelectionWith(made, false).scrollIntoView());
    return true;
  };
}

/** Over the selected words, or over the address itself where none are selected. null takes the link away. */
export function setLink(href: string | null): Command {
  return ({ tr, selection, doc }, dispatch) => {
    const { $from, from, to, empty } = selection;
    const mark = schema.marks.href!;
    if (!$from.parent.type.allowsMarkType(mark)) return false;
    const link = empty ? linkAround(doc, from) : { from, to };
    if (href === null) tr.removeMark(link?.from ?? from, link?.to ?? to, mark);
    else if (link) tr.addMark(link.from, link.to, mark.create({ href }));
    else tr.insert(from, schema.text(href, [mark.create({ href })]));
    dispatch?.(tr);
    return true;
  };
}

/** The neighbours with the same address; null: there is no link at the cursor. */
function linkAround(doc: Node, at: number): { from: number; to: number } | null {
  const $at = doc.resolve(at);
  const mark = linkAt(doc, at);
  if (!mark) return null;
  const start = $at.start();
  let [from, to] = [at, at];
  $at.parent.forEach((node, offset) => {
    if (!mark.isInSet(node.marks)) return;
    const [begin, end] = [start + offset, start + offset + node.nodeSize];
    if (end >= from && begin <= to) [from, to] = [Math.min(from, begin), Math.max(to, end)];
  });
  return { from, to };
}

export function linkAt(doc: Node, at: number) {
  const { nodeBefore, nodeAfter } = doc.resolve(at);
  const all = [...(nodeAfter?.marks ?? []), ...(nodeBefore?.marks ?? [])];
  return all.find(({ type }) => type === schema.marks.href) ?? null;
}

/** Of the selected words, or of those that are typed next. */
export function hasMark({ selection, storedMarks, doc }: EditorState, name: string): boolean {
  const type = schema.marks[name]!;
  const { from, to, empty, $from } = selection;
  if (empty) return Boolean(type.isInSet(storedMarks ?? $from.marks()));
  return doc.rangeHasMark(from, to, type);
}

/** Of the selected words. null takes their colour away. */
export function setColour(colour: string | null): Command {
  return ({ tr, selection: { from, to, empty } }, dispatch) => {
    if (empty) return false;
    const type = schema.marks.colour!;
    tr.removeMark(from, to, type);
    if (colour !== null) tr.addMark(from, to, type.create({ colour }));
    dispatch?.(tr);
    return true;
  };
}

/** The first one of the selected words. */
export function colourAt({ doc, selection: { from, to } }: EditorState): string | null {
  let found: string | null = null;
  doc.nodesBetween(from, to, ({ marks }) => {
    found ??= marks.find(({ type }) => type === schema.marks.colour)?.attrs.colour ?? null;
  });
  return found;
}

/** A paragraph becomes items of a list, and the items paragraphs again. */
export function setList(ordered: boolean): Command {
  return (state, dispatch) => {
    const { $from } = state.selection;
    const name = $from.parent.type.name;
    if (name !== 'paragraph' && name !== 'item') return false;
    const depth = name === 'item' ? $from.depth - 1 : $from.depth;
    const [node, at] = [$from.node(depth), $from.before(depth)];
    const isBack = name === 'item' && Boolean(node.attrs.props.ordered) === ordered;
    const made = isBack ? paragraphsOf(node) : [listOf(node, ordered)];
    if (dispatch) {
      const offset = $from.pos - at;
      const tr = state.tr.replaceWith(at, at + node.nodeSize, made);
      const inside = name === 'paragraph' ? offset + 1 : isBack ? offset - 1 : offset;
      dispatch(tr.setSelection(Selection.near(tr.doc.resolve(at + inside))));
    }
    return true;
  };
}

function listOf(node: Node, ordered: boolean): Node {
  const props = { type: 'list', ...(ordered && { ordered }), items: [] };
  const { item, list } = schema.nodes;
  const items = node.type === list ? node.content : Fragment.from(item!.create(null, node.content));
  return list!.create({ props }, items);
}

function paragraphsOf({ children }: Node): Node[] {
  return children.map((item) => schema.nodes.paragraph!.create(null, item.content));
}

/** Of the paragraph, or of the block that is one line. */
export function setAlign(align: 'left' | 'center' | 'right'): Command {
  return (state, dispatch) => {
    const { $from } = state.selection;
    const own = $from.depth > 0 ? ['paragraph', 'list'].map((name) => depthOf(state, name)).find(Boolean) : undefined;
    if (!own) return false;
    const { props } = $from.node(own).attrs;
    const { align: _, ...others } = props;
    dispatch?.(state.tr.setNodeAttribute($from.before(own), 'props', align === 'left' ? others : { ...props, align }));
    return true;
  };
}

function depthOf({ selection: { $from } }: EditorState, name: string): number | undefined {
  for (let depth = $from.depth; depth > 0; depth -= 1) if ($from.node(depth).type.name === name) return depth;
  return undefined;
}
