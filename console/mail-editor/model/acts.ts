import { closeHistory } from 'prosemirror-history';
import type { Node } from 'prosemirror-model';
import {
  type Command,
  type EditorState,
  NodeSelection,
  Selection,
  TextSelection,
  type Transaction,
} from 'prosemirror-state';
import type { Block, BlockType } from '../../../schemas/templates/block-types.ts';
import { blockOf, nodeOf } from './convert.ts';
import { freshBlock } from './fresh.ts';
import { nameOf } from './labels.ts';
import { blockType, nodeName } from './schema.ts';

/** Acts on whole blocks. Each is one step of undo, and leaves content that the interface takes. */

export interface Chosen {
  node: Node;
  at: number;
  type: BlockType;
}

/** In words, for screen readers. */
const SAID = 'said';
const WHOLE = 'whole mail';

/** An act is a step of undo, however soon it follows a key. */
function done(tr: Transaction, words: string): Transaction {
  return closeHistory(tr.setMeta(SAID, words));
}

export function saidOf(tr: Transaction): string | undefined {
  return tr.getMeta(SAID);
}

/** The block that the selection is about, the innermost one; null in an empty mail. */
export function chosenBlock({ selection }: EditorState): Chosen | null {
  if (selection instanceof NodeSelection) {
    const type = blockType(selection.node);
    if (type) return { node: selection.node, at: selection.from, type };
  }
  const { $from } = selection;
  for (let depth = $from.depth; depth > 0; depth -= 1) {
    const node = $from.node(depth);
    const type = blockType(node);
    if (type) return { node, at: $from.before(depth), type };
  }
  return null;
}

export function blockAt(doc: Node, id: string): Chosen | null {
  let found: Chosen | null = null;
  doc.descendants((node, at) => {
    const type = found ? null : blockType(node);
    if (type && node.attrs.props.id === id) found = { node, at, type };
    return !found && !node.inlineContent;
  });
  return found;
}

/** The cursor in its words, or the block as a whole. */
export function choose(tr: Transaction, at: number): Transaction {
  const node = tr.doc.nodeAt(at);
  if (!node) return tr;
  const inside = Selection.findFrom(tr.doc.resolve(at + 1), 1, true);
  const isInside = inside && inside.from < at + node.nodeSize && !node.isAtom;
  return tr.setSelection(isInside ? inside : NodeSelection.create(tr.doc, at)).scrollIntoView();
}

/** Below the chosen block, in its place when it is an empty text, or at `place`. */
export function addBlock(type: BlockType, place?: number, fields: Partial<Block> = {}): Command {
  return (state, dispatch) => {
    const made = freshNode(type, fields);
    const { from, to } = place === undefined ? room(state, made) : { from: place, to: place };
    if (dispatch) {
      const tr = state.tr.replaceWith(from, to, made);
      const words = `${nameOf(blockOf(made))} is added.`;
      // Its condition comes first.
      if (type === 'when') dispatch(done(tr, words).setSelection(NodeSelection.create(tr.doc, from)).scrollIntoView());
      else dispatch(choose(done(tr, words), from));
    }
    return true;
  };
}

/** A new frame has a line to write in. */
function freshNode(type: BlockType, fields: Partial<Block>): Node {
  const block = { ...freshBlock(type, ''), ...fields } as Block;
  const line = () => [freshBlock('text', '')];
  if (block.type === 'columns') block.columns = block.columns.map((column) => ({ ...column, blocks: line() }));
  if (block.type === 'when' || block.type === 'each') block.blocks = line();
  return nodeOf(block);
}

function room(state: EditorState, made: Node): { from: number; to: number } {
  const chosen = chosenBlock(state);
  if (!chosen) return { from: state.doc.content.size, to: state.doc.content.size };
  const $at = state.doc.resolve(chosen.at);
  if (isEmptyText(chosen.node) && accepts($at.parent, $at.index(), made))
    return { from: chosen.at, to: chosen.at + chosen.node.nodeSize };
  const $end = state.doc.resolve(chosen.at + chosen.node.nodeSize);
  for (let depth = $end.depth; depth >= 0; depth -= 1) {
    const [at, index] =
      depth === $end.depth ? [$end.pos, $end.index()] : [$end.after(depth + 1), $end.index(depth) + 1];
    if (accepts($end.node(depth), index, made)) return { from: at, to: at };
  }
  return { from: state.doc.content.size, to: state.doc.content.size };
}

export function isEmptyText(node: Node): boolean {
  return node.type.name === nodeName('text') && node.childCount <= 1 && node.textContent === '' && !hasThings(node);
}

function hasThings(node: Node): boolean {
  let found = false;
  node.descendants(({ isLeaf, isText }) => {
    if (isLeaf && !isText) found = true;
  });
  return found;
}

function accepts(parent: Node, index: number, node: Node): boolean {
  return parent.canReplaceWith(index, index, node.type);
}

export const removeBlock: Command = (state, dispatch) => {
  const chosen = chosenBlock(state);
  if (!chosen) return false;
  if (dispatch) {
    const tr = state.tr.delete(chosen.at, chosen.at + chosen.node.nodeSize);
    tr.setSelection(Selection.near(tr.doc.resolve(Math.min(chosen.at, tr.doc.content.size)), -1));
    dispatch(done(tr, `${nameOf(blockOf(chosen.node))} is removed.`).scrollIntoView());
  }
  return true;
};

export const copyBlock: Command = (state, dispatch) => {
  const chosen = chosenBlock(state);
  if (!chosen || chosen.type === 'footer') return false;
  if (dispatch) {
    const at = chosen.at + chosen.node.nodeSize;
    const tr = state.tr.insert(at, chosen.node);
    dispatch(choose(done(tr, `${nameOf(blockOf(chosen.node))} is copied.`), at));
  }
  return true;
};

/** To the next place that takes it, upwards or downwards, also into frames and out of them. */
export function moveBlock(direction: 1 | -1): Command {
  return (state, dispatch) => {
    const chosen = chosenBlock(state);
    const to = chosen && nextPlace(state.doc, chosen, direction);
    if (!chosen || to === null) return false;
    if (dispatch) dispatch(moved(state, chosen, to));
    return true;
  };
}

function moved(state: EditorState, { node, at }: Chosen, to: number): Transaction {
  const { from, anchor, head } = state.selection;
  const isWhole = state.selection instanceof NodeSelection && from === at;
  const tr = state.tr.delete(at, at + node.nodeSize);
  const place = tr.mapping.map(to);
  tr.insert(place, node);
  const by = place - at;
  if (isWhole) tr.setSelection(NodeSelection.create(tr.doc, place));
  else tr.setSelection(TextSelection.create(tr.doc, anchor + by, head + by));
  return done(tr, `${nameOf(blockOf(node))} is moved: ${placeIn(tr.doc, place)}.`).scrollIntoView();
}

/** '2 of 5', 'in column 1, 2 of 2'. */
function placeIn(doc: Node, at: number): string {
  const $at = doc.resolve(at);
  const place = `${$at.index() + 1} of ${$at.parent.childCount}`;
  const part = $at.depth === 0 ? null : $at.parent.type.name;
  if (part === 'column') return `in column ${$at.index($at.depth - 1) + 1}, ${place}`;
  return part === null ? place : `inside a frame, ${place}`;
}

function nextPlace(doc: Node, { node, at }: Chosen, direction: 1 | -1): number | null {
  const end = at + node.nodeSize;
  let found: number | null = null;
  const look = (parent: Node, start: number): void => {
    let inside = start;
    for (let index = 0; index <= parent.childCount; index += 1) {
      const isOwn = inside === at || inside === end;
      if (!isOwn && accepts(parent, index, node)) {
        if (direction === -1 && inside < at) found = inside;
        if (direction === 1 && inside > end) found ??= inside;
      }
      const child = parent.maybeChild(index);
      if (!child) return;
      if (inside !== at && !child.inlineContent && !child.isAtom) look(child, inside + 1);
      inside += child.nodeSize;
    }
  };
  look(doc, 0);
  return found;
}

/** Fields of a block. `field`: what is typed into one field is one act. */
export function setFields(state: EditorState, { node, at }: Chosen, fields: Partial<Block>): Transaction {
  const props = { ...node.attrs.props, ...fields };
  for (const [name, value] of Object.entries(props)) if (value === undefined) delete props[name];
  const tr = state.tr.setNodeAttribute(at, 'props', props);
  if (state.selection instanceof NodeSelection) tr.setSelection(NodeSelection.create(tr.doc, state.selection.from));
  return tr;
}

/** Another block in its place, which keeps its id. */
export function setBlock(state: EditorState, { node, at }: Chosen, block: Block): Transaction {
  const tr = state.tr.replaceWith(at, at + node.nodeSize, nodeOf(block));
  return tr.setSelection(NodeSelection.create(tr.doc, at));
}

/** The look of the mail, or one of its other texts. */
export function setOfMail(state: EditorState, name: 'props' | 'about', value: object): Transaction {
  return state.tr.setDocAttribute(name, value);
}

/** All of it, as another person has saved it. */
export function setMail(state: EditorState, doc: Node): Transaction {
  const { props, about } = doc.attrs;
  const tr = closeHistory(state.tr.replaceWith(0, state.doc.content.size, doc.content));
  return tr.setDocAttribute('props', props).setDocAttribute('about', about).setMeta(WHOLE, true);
}

export function isOfWholeMail(tr: Transaction): boolean {
  return Boolean(tr.getMeta(WHOLE));
}

/** The block, then the frame around it. */
export const chooseAround: Command = (state, dispatch, view) => {
  const { selection } = state;
  const chosen = chosenBlock(state);
  if (!chosen) return false;
  if (selection instanceof NodeSelection && selection.from === chosen.at) return chooseFrame(state, dispatch, view);
  dispatch?.(state.tr.setSelection(NodeSelection.create(state.doc, chosen.at)).scrollIntoView());
  return true;
};

export const chooseFrame: Command = (state, dispatch) => {
  const chosen = chosenBlock(state);
  const frame = chosen && frameOf(state, chosen);
  if (!frame) return false;
  dispatch?.(state.tr.setSelection(NodeSelection.create(state.doc, frame.at)).scrollIntoView());
  return true;
};

/** The block around it. null: none is. */
export function frameOf({ doc }: EditorState, { at }: Chosen): Chosen | null {
  const $at = doc.resolve(at);
  const node = $at.depth > 0 ? $at.node($at.depth - 1) : null;
  const type = node && blockType(node);
  return type ? { node, at: $at.before($at.depth - 1), type } : null;
}
