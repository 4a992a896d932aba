import { effect, type ReadonlySignal } from '@preact/signals';
import type { Node } from 'prosemirror-model';
import { NodeSelection } from 'prosemirror-state';
import type { EditorView, NodeView, NodeViewConstructor } from 'prosemirror-view';
import type { Block } from '../../../schemas/templates/block-types.ts';
import { nameOf } from '../model/labels.ts';
import { KINDS, nodeName } from '../model/schema.ts';
import { element, fixed, setVariable } from './dom.ts';
import { type Drawing, draw } from './drawings.ts';

export interface Outside {
  /** By the name of the variable; null: no person is chosen. */
  values: ReadonlySignal<Readonly<Record<string, string>> | null>;
  /** Opens the menu of blocks: what is picked is put at `at`. */
  onAdd(at: number, near: Element): void;
}

type Place = () => number | undefined;

/** A block with its handle, and the "+" below it. */
class BlockView implements NodeView {
  readonly dom: HTMLElement;
  readonly contentDOM?: HTMLElement;
  readonly #drawing: Drawing;
  #node: Node;

  constructor(node: Node, view: EditorView, place: Place, { onAdd }: Outside) {
    this.#node = node;
    this.#drawing = draw(node.attrs.props as Block);
    const [handle, plus] = [handleOf(view, place), plusOf(() => (place() ?? 0) + this.#node.nodeSize, onAdd)];
    this.dom = element('div', { class: `m-block m-of-${node.type.name}` }, handle, this.#drawing.element, plus);
    if (this.#drawing.inside) this.contentDOM = this.#drawing.inside;
    else this.#drawing.element.setAttribute('contenteditable', 'false');
    this.#note();
  }

  update(node: Node): boolean {
    if (node.type !== this.#node.type) return false;
    const isChanged = node.attrs.props !== this.#node.attrs.props;
    if (isChanged && !this.#drawing.show(node.attrs.props as Block)) return false;
    this.#node = node;
    this.#note();
    return true;
  }

  #note(): void {
    const { props } = this.#node.attrs;
    this.dom.dataset.id = props.id;
    if (this.#node.isAtom) this.dom.setAttribute('aria-label', nameOf(props));
    if (this.#node.isAtom) this.dom.setAttribute('role', 'group');
    if (this.#node.type.name === 'columns' && this.contentDOM)
      setVariable(
        this.contentDOM,
        '--m-shares',
        this.#node.children.map(({ attrs }) => `minmax(0, ${attrs.props.share}fr)`).join(' '),
      );
    this.dom.classList.toggle('m-empty', this.#node.inlineContent && this.#node.content.size === 0);
  }

  selectNode(): void {
    this.dom.classList.add('m-chosen');
  }

  deselectNode(): void {
    this.dom.classList.remove('m-chosen');
  }

  stopEvent({ target, type }: Event): boolean {
    return (target as Element).closest?.('.m-handle, .m-plus') !== null && type !== 'drop' && type !== 'dragover';
  }

  ignoreMutation(mutation: { type: string; target: globalThis.Node }): boolean {
    return mutation.type !== 'selection' && !this.contentDOM?.contains(mutation.target);
  }
}

/** A click chooses the block, a drag moves it. Keys do the same: Escape, and Alt with the arrows. */
function handleOf(view: EditorView, place: Place): HTMLElement {
  const handle = fixed('span', { class: 'm-handle', draggable: 'true', 'aria-hidden': 'true', title: 'Drag to move' });
  const choose = () => {
    const at = place();
    if (at === undefined) return;
    view.dispatch(view.state.tr.setSelection(NodeSelection.create(view.state.doc, at)));
    view.focus();
  };
  handle.addEventListener('click', choose);
  handle.addEventListener('dragstart', (event) => {
    if (!event.dataTransfer || !view.editable) return;
    choose();
    const slice = view.state.selection.content();
    event.dataTransfer.setData('text/plain', ' ');
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setDragImage(handle.parentElement ?? handle, 0, 0);
    view.dragging = { slice, move: true };
  });
  handle.addEventListener('dragend', () => {
    view.dragging = null;
  });
  return handle;
}

function plusOf(place: () => number, onAdd: Outside['onAdd']): HTMLElement {
  const plus = fixed('span', { class: 'm-plus', 'aria-hidden': 'true', title: 'Add a block here' }, '+');
  plus.addEventListener('click', () => onAdd(place(), plus));
  return plus;
}

/** A column, or a branch of a frame. */
class PartView implements NodeView {
  readonly dom: HTMLElement;
  readonly contentDOM: HTMLElement;
  #node: Node;

  constructor(node: Node, place: Place, { onAdd }: Outside) {
    this.#node = node;
    this.contentDOM = element('div', { class: 'm-inside' });
    const label = node.type.name === 'otherwise' ? [fixed('p', { class: 'm-sentence' }, 'Otherwise')] : [];
    const plus = fixed('button', { type: 'button', class: 'm-add' }, '+ Add a block');
    plus.addEventListener('click', () => onAdd((place() ?? 0) + 1, plus));
    this.dom = element('div', { class: 'm-part' }, ...label, this.contentDOM, plus);
    this.update(node);
  }

  update(node: Node): boolean {
    if (node.type !== this.#node.type) return false;
    this.#node = node;
    this.dom.classList.toggle('m-empty', node.childCount === 0);
    return true;
  }

  stopEvent({ target }: Event): boolean {
    return (target as Element).closest?.('.m-add') !== null;
  }

  ignoreMutation(mutation: { type: string; target: globalThis.Node }): boolean {
    return mutation.type !== 'selection' && !this.contentDOM.contains(mutation.target);
  }
}

/** The value of the chosen person, or the name of the variable. */
class ChipView implements NodeView {
  readonly dom = element('span', { class: 'm-chip' });
  readonly #stop: () => void;

  constructor({ attrs: { variable, fallback } }: Node, { values }: Outside) {
    this.#stop = effect(() => {
      const person = values.value;
      const value = person?.[variable] || fallback || '';
      this.dom.textContent = person && value ? value : variable;
      this.dom.classList.toggle('amber', person !== null && !value);
      const otherwise = fallback === null ? 'nothing without a value' : `“${fallback}” without a value`;
      this.dom.title = `${variable}: ${otherwise}`;
    });
  }

  destroy(): void {
    this.#stop();
  }
}

export function viewsOf(outside: Outside): Record<string, NodeViewConstructor> {
  const block: NodeViewConstructor = (node, view, place) => new BlockView(node, view, place, outside);
  const part: NodeViewConstructor = (node, _, place) => new PartView(node, place, outside);
  return {
    ...Object.fromEntries(KINDS.map((type) => [nodeName(type), block])),
    ...{ column: part, blocks: part, otherwise: part },
    variable: (node) => new ChipView(node, outside),
  };
}
