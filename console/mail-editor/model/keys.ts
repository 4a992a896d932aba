import { chainCommands, joinBackward, selectNodeBackward, splitBlock } from 'prosemirror-commands';
import { type Command, NodeSelection, Selection, TextSelection } from 'prosemirror-state';
import { addBlock, chosenBlock, isEmptyText, removeBlock } from './acts.ts';
import { nodeName, schema } from './schema.ts';

/** The keys of a text, for blocks: whatever they do stays in the block, or makes another one. */

export const breakLine: Command = (state, dispatch) => {
  if (!state.selection.$from.parent.inlineContent) return false;
  dispatch?.(state.tr.replaceSelectionWith(schema.nodes.break!.create(), true).scrollIntoView());
  return true;
};

export const enter: Command = (state, dispatch) => {
  const { selection } = state;
  if (selection instanceof NodeSelection && selection.node.isBlock) return false;
  const { $from } = selection;
  switch ($from.parent.type.name) {
    case 'item':
      return $from.parent.content.size === 0 ? leaveList(state, dispatch) : splitBlock(state, dispatch);
    case 'paragraph':
    case 'line':
      return splitBlock(state, dispatch);
    case 'heading':
      return continueBelow(state, dispatch);
    case 'button':
      // It keeps its words: the interface takes no button without.
      return addBlock('text')(state, dispatch);
    default:
      return breakLine(state, dispatch);
  }
};

/** The rest of the line goes into a text below. */
const continueBelow: Command = (state, dispatch) => {
  const { $from, $to } = state.selection;
  const rest = $to.parent.content.cut($to.parentOffset);
  const below = schema.nodes[nodeName('text')]!.create(null, schema.nodes.paragraph!.create(null, rest));
  if (dispatch) {
    const tr = state.tr.delete($from.pos, $to.end());
    const at = tr.mapping.map($to.after());
    tr.insert(at, below);
    dispatch(tr.setSelection(TextSelection.create(tr.doc, at + 2)).scrollIntoView());
  }
  return true;
};

/** From an empty item: the items before it stay a list, those below are another one. */
const leaveList: Command = (state, dispatch) => {
  const { $from } = state.selection;
  const list = $from.node($from.depth - 1);
  const index = $from.index($from.depth - 1);
  const at = $from.before($from.depth - 1);
  const paragraph = schema.nodes.paragraph!.create();
  const [before, after] = [list.children.slice(0, index), list.children.slice(index + 1)];
  const part = (items: typeof before) => (items.length > 0 ? [list.type.create(list.attrs, items)] : []);
  if (dispatch) {
    const first = part(before);
    const tr = state.tr.replaceWith(at, at + list.nodeSize, [...first, paragraph, ...part(after)]);
    dispatch(tr.setSelection(TextSelection.create(tr.doc, at + (first[0]?.nodeSize ?? 0) + 1)).scrollIntoView());
  }
  return true;
};

/** At the beginning of a block: an empty one goes, a text is joined to the text above, and the cursor moves up otherwise. */
const backAtStart: Command = (state, dispatch, view) => {
  const { $from, empty } = state.selection;
  if (!empty || $from.parentOffset > 0) return false;
  if ($from.parent.type.name === 'item' && $from.index($from.depth - 1) === 0)
    return $from.parent.content.size === 0 ? leaveList(state, dispatch) : false;
  const chosen = chosenBlock(state);
  if (!chosen || $from.pos > chosen.at + ($from.depth - state.doc.resolve(chosen.at).depth)) return false;
  const { nodeBefore } = state.doc.resolve(chosen.at);
  const isEmpty = chosen.node.textContent === '' && chosen.node.content.size <= 2;
  if (isEmpty && (isEmptyText(chosen.node) || chosen.node.inlineContent)) return removeBlock(state, dispatch, view);
  if (!nodeBefore) return true;
  if (nodeBefore.type === chosen.node.type && chosen.type === 'text') {
    dispatch?.(state.tr.join(chosen.at).scrollIntoView());
    return true;
  }
  const to = Selection.findFrom(state.doc.resolve(chosen.at), -1);
  if (to) dispatch?.(state.tr.setSelection(to).scrollIntoView());
  return true;
};

export const backspace = chainCommands(backAtStart, joinBackward, selectNodeBackward);

/** From cell to cell; the last one leads out. */
export function nextCell(direction: 1 | -1): Command {
  return (state, dispatch) => {
    const { $from } = state.selection;
    if ($from.parent.type.name !== 'cell') return false;
    const $edge = state.doc.resolve(direction === 1 ? $from.after() : $from.before());
    const to = Selection.findFrom($edge, direction, true);
    const table = chosenBlock(state);
    if (!to || !table || to.from < table.at || to.from > table.at + table.node.nodeSize) return false;
    dispatch?.(state.tr.setSelection(to).scrollIntoView());
    return true;
  };
}

/** A line to write in, below the block. */
export const lineBelow: Command = (state, dispatch, view) => {
  const chosen = chosenBlock(state);
  if (chosen && isEmptyText(chosen.node)) return false;
  return addBlock('text')(state, dispatch, view);
};
