import { type ReadonlySignal, signal } from '@preact/signals';
import { baseKeymap, chainCommands, toggleMark } from 'prosemirror-commands';
import { dropCursor } from 'prosemirror-dropcursor';
import { history, redo, undo } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import type { Node } from 'prosemirror-model';
import {
  type Command,
  EditorState,
  NodeSelection,
  type Plugin,
  TextSelection,
  type Transaction,
} from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import type { BlockType, Look } from '../../../schemas/templates/block-types.ts';
import { textOn } from '../../parts/data/colours.ts';
import { LOOK_COLOURS, OF_BRAND } from '../colours/of-brand.ts';
import {
  blockAt,
  choose,
  chooseAround,
  chosenBlock,
  copyBlock,
  isEmptyText,
  moveBlock,
  removeBlock,
  saidOf,
} from '../model/acts.ts';
import { keptFooter } from '../model/footer.ts';
import { uniqueIds } from '../model/ids.ts';
import { backspace, breakLine, enter, lineBelow, nextCell } from '../model/keys.ts';
import { FONTS, LOOK } from '../model/look.ts';
import { cleanedHtml, cleanedSlice } from '../model/pasted.ts';
import { schema } from '../model/schema.ts';
import { colourOf, inkOn, setVariable } from './dom.ts';
import { type Outside, viewsOf } from './views.ts';

export interface Asked extends Outside {
  isReadOnly: boolean;
  /** For screen readers. */
  label?: string;
  /** Its footer cannot be taken out. */
  isMarketing: boolean;
  onChange(doc: Node): void;
  /** "/" in an empty line, and "{{". */
  onSlash(near: DOMRect): void;
  onBraces(near: DOMRect): void;
  onLink(): void;
  /** To the tools of the selected words. */
  onTools(): void;
  /** To the fields of the chosen block. */
  onFields(): void;
  /** Escape, where no block is around what is chosen. */
  onLeave(): void;
  onFiles(files: readonly File[]): void;
}

export interface Surface {
  state: ReadonlySignal<EditorState>;
  /** For screen readers. */
  said: ReadonlySignal<string>;
  run(command: Command): boolean;
  dispatch(tr: Transaction): void;
  focus(): void;
  /** By its id. false: there is no such block. */
  choose(id: string): boolean;
  caret(): DOMRect;
  /** Around the selected words. */
  selected(): DOMRect;
  close(): void;
}

const FRAMES: ReadonlyArray<BlockType | undefined> = ['when', 'each', 'columns'];

/** Only this file makes a view of ProseMirror. */
export function openSurface(parent: HTMLElement, doc: Node, asked: Asked): Surface {
  const said = signal('');
  const plugins = asked.isReadOnly ? [] : pluginsOf(asked, said);
  const state = signal(EditorState.create({ doc, plugins }));
  const view: EditorView = new EditorView(parent, {
    state: state.peek(),
    nodeViews: viewsOf(asked),
    editable: () => !asked.isReadOnly,
    attributes: {
      'aria-label': asked.label ?? 'The mail',
      role: 'textbox',
      'aria-multiline': 'true',
      class: 'm-surface',
    },
    transformPastedHTML: cleanedHtml,
    transformPasted: cleanedSlice,
    dispatchTransaction(tr) {
      const before = view.state.doc;
      view.updateState(view.state.apply(tr));
      state.value = view.state;
      if (saidOf(tr)) said.value = saidOf(tr) ?? '';
      if (view.state.doc === before) return;
      drawLook(parent, view.state.doc);
      asked.onChange(view.state.doc);
    },
    handleKeyDown: (_, { key, ctrlKey, metaKey, altKey }) => {
      if (key === 'Tab' || ctrlKey || metaKey || altKey) readSelection(view);
      return false;
    },
    handleTextInput: (_, from, to, text) => openedMenu(view, { from, to, text }, asked),
    handleClickOn: (_, _at, node, at) => {
      if (!node.isAtom || node.isInline) return false;
      view.dispatch(view.state.tr.setSelection(NodeSelection.create(view.state.doc, at)));
      return true;
    },
    handlePaste: (_, { clipboardData }) => taken(clipboardData, asked),
    handleDrop: (_, { dataTransfer }) => taken(dataTransfer, asked),
  });
  drawLook(parent, doc);
  const surface: Surface = {
    state,
    said,
    run: (command) => command(view.state, view.dispatch, view),
    dispatch: (tr) => view.dispatch(tr),
    focus: () => view.focus(),
    choose(id) {
      const found = blockAt(view.state.doc, id);
      if (!found) return false;
      view.dispatch(choose(view.state.tr, found.at));
      view.focus();
      return true;
    },
    caret: () => caretOf(view),
    selected: () => selectedOf(view),
    close: () => view.destroy(),
  };
  return surface;
}

function pluginsOf(asked: Asked, said: { value: string }): Plugin[] {
  const turned =
    (command: Command, words: string): Command =>
    (state, dispatch, view) => {
      const isDone = command(state, dispatch, view);
      said.value = isDone ? words : 'Nothing is left.';
      return true;
    };
  const call =
    (act: () => void): Command =>
    (_, dispatch) => {
      if (dispatch) act();
      return true;
    };
  const fields: Command = ({ selection }, dispatch) => {
    if (!(selection instanceof NodeSelection)) return false;
    if (dispatch) asked.onFields();
    return true;
  };
  const own = {
    ...{
      'Mod-z': turned(undo, 'Taken back.'),
      'Shift-Mod-z': turned(redo, 'Done again.'),
      'Mod-y': turned(redo, 'Done again.'),
    },
    ...{
      'Mod-b': toggleMark(schema.marks.bold!),
      'Mod-i': toggleMark(schema.marks.italic!),
      'Mod-k': call(asked.onLink),
      'Alt-F10': call(asked.onTools),
    },
    ...{ 'Alt-ArrowUp': moveBlock(-1), 'Alt-ArrowDown': moveBlock(1), 'Mod-d': copyBlock },
    ...{
      'Alt-Backspace': removeBlock,
      'Alt-Delete': removeBlock,
      Escape: chainCommands(chooseAround, call(asked.onLeave)),
    },
    ...{ Backspace: chainCommands(removeWhole, backspace), Delete: removeWhole },
    ...{ 'Shift-Enter': breakLine, 'Mod-Enter': lineBelow },
    ...{ Tab: nextCell(1), 'Shift-Tab': nextCell(-1) },
  };
  const enters = {
    Enter: ((state, dispatch, view) => fields(state, dispatch) || enter(state, dispatch, view)) as Command,
  };
  const drop = dropCursor({ color: false, class: 'm-drop', width: 3 });
  const footer = asked.isMarketing ? [keptFooter()] : [];
  return [keymap(own), keymap(enters), keymap(baseKeymap), history(), uniqueIds(), ...footer, drop];
}

const removeWhole: Command = (state, dispatch, view) => isBlockChosen(state) && removeBlock(state, dispatch, view);

function isBlockChosen({ selection }: EditorState): boolean {
  return selection instanceof NodeSelection && selection.node.isBlock;
}

/** "/" where nothing is written yet, or on a chosen block; "{{" in words. */
function openedMenu(
  view: EditorView,
  { from, to, text }: { from: number; to: number; text: string },
  { onSlash, onBraces }: Asked,
): boolean {
  const { state } = view;
  const isWhole = isBlockChosen(state);
  if (text === '/') {
    const chosen = chosenBlock(state);
    if (chosen && !isWhole && !isEmptyText(chosen.node)) return false;
    onSlash(caretOf(view));
    return true;
  }
  // A key takes the place of no block: it is written inside a frame, and below what has other words.
  if (isWhole) {
    if (FRAMES.includes(chosenBlock(state)?.type)) view.dispatch(choose(state.tr, state.selection.from));
    else lineBelow(state, view.dispatch, view);
    view.dispatch(view.state.tr.insertText(text));
    return true;
  }
  const before = state.doc.textBetween(Math.max(0, from - 1), from);
  if (text !== '{' || before !== '{' || !state.doc.resolve(from).parent.inlineContent) return false;
  view.dispatch(state.tr.delete(from - 1, to));
  onBraces(caretOf(view));
  return true;
}

function caretOf(view: EditorView): DOMRect {
  const { selection } = view.state;
  const chosen = selection instanceof NodeSelection ? view.nodeDOM(selection.from) : null;
  if (chosen instanceof Element) return chosen.getBoundingClientRect();
  const { left, top, bottom } = view.coordsAtPos(selection.from);
  return new DOMRect(left, top, 0, bottom - top);
}

/** A key may come before the event that says which words the key before has selected. */
function readSelection(view: EditorView): void {
  const { doc, selection, tr } = view.state;
  const shown = getSelection();
  const { anchorNode, anchorOffset = 0, focusNode, focusOffset = 0, isCollapsed } = shown ?? {};
  if (isCollapsed || !(selection instanceof TextSelection)) return;
  if (!anchorNode || !focusNode || !view.dom.contains(anchorNode) || !view.dom.contains(focusNode)) return;
  const [anchor, head] = [view.posAtDOM(anchorNode, anchorOffset), view.posAtDOM(focusNode, focusOffset)];
  const found = TextSelection.between(doc.resolve(anchor), doc.resolve(head));
  if (!found.eq(selection)) view.dispatch(tr.setSelection(found));
}

function selectedOf(view: EditorView): DOMRect {
  const { from, to } = view.state.selection;
  const [start, end] = [view.coordsAtPos(from, 1), view.coordsAtPos(to, -1)];
  const left = end.top > start.top ? Math.min(start.left, end.left) : start.left;
  return new DOMRect(left, start.top, Math.max(0, end.right - left), end.bottom - start.top);
}

function taken(from: DataTransfer | null, { onFiles }: Asked): boolean {
  const pictures = [...(from?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
  if (pictures.length === 0) return false;
  onFiles(pictures);
  return true;
}

function drawLook(parent: HTMLElement, doc: Node): void {
  const look: Look & { brand?: true } = doc.attrs.props.look ?? {};
  const otherwise = (brand: string, ours: string) => (look.brand ? `var(--brand-${brand}, ${ours})` : ours);
  for (const name of LOOK_COLOURS)
    setVariable(parent, `--m-${name}`, colourOf(look[name]) ?? otherwise(OF_BRAND[name], LOOK[name]));
  setVariable(parent, '--m-on-accent', inkOn(look.accent) ?? otherwise('on-primary', textOn(LOOK.accent)));
  setVariable(parent, '--m-width', `${look.width ?? LOOK.width}px`);
  setVariable(parent, '--m-font', look.font ? FONTS[look.font] : otherwise('font', FONTS.sans));
}
