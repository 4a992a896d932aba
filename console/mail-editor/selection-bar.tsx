import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { toggleMark } from 'prosemirror-commands';
import { type EditorState, TextSelection, type Transaction } from 'prosemirror-state';
import { Button } from '../parts/forms/button.tsx';
import { useBrand } from './colours/brand.ts';
import { coloursOfLook } from './colours/of-brand.ts';
import { ContrastNote, Swatches } from './colours/swatches.tsx';
import { schema } from './model/schema.ts';
import { colourAt, hasMark, setColour } from './model/words.ts';
import type { Surface } from './surface/open.ts';

const GAP_PX = 6;

interface Props {
  surface: Surface;
  /** Around the mail and the bar. */
  stage: RefObject<HTMLElement | null>;
  /** The bar, for the key that leads to it. */
  bar: RefObject<HTMLDivElement | null>;
  write: (tr: Transaction, field: string) => void;
  onLink: () => void;
  onVariable: (near: Element) => void;
}

/** Tools at the selected words. Tab or Alt+F10 leads to them, Escape back. */
export function SelectionBar(props: Props) {
  const isNear = useNearness(props.stage);
  const state = props.surface.state.value;
  return isNear && hasWords(state) ? <Bar {...props} state={state} /> : null;
}

function hasWords({ selection }: EditorState): boolean {
  return selection instanceof TextSelection && !selection.empty && selection.$from.parent.inlineContent;
}

/** Whether the focus is in the mail or in its bar, and no selection is being drawn. */
function useNearness(stage: Props['stage']): boolean {
  const isNear = useSignal(stage.current?.contains(document.activeElement) ?? false);
  const isDrawing = useSignal(false);
  useLayoutEffect(() => {
    const on = new AbortController();
    const { signal } = on;
    const around = stage.current;
    const near = (node: EventTarget | null) => {
      isNear.value = around?.contains(node as globalThis.Node | null) ?? false;
    };
    const draw = (is: boolean) => () => {
      isDrawing.value = is;
    };
    around?.addEventListener('focusin', ({ target }) => near(target), { signal });
    around?.addEventListener('focusout', ({ relatedTarget }) => near(relatedTarget), { signal });
    around?.querySelector('.m-surface')?.addEventListener('pointerdown', draw(true), { signal });
    for (const end of ['pointerup', 'pointercancel']) addEventListener(end, draw(false), { signal, capture: true });
    return () => on.abort();
  }, []);
  return isNear.value && !isDrawing.value;
}

function Bar({ surface, stage, bar, write, onLink, onVariable, state }: Props & { state: EditorState }) {
  const isColouring = useSignal(false);
  const { paper: ground } = coloursOfLook(useBrand(), state.doc.attrs.props.look ?? {});
  const colour = colourAt(state);
  const { bold, italic, href } = schema.marks;
  const place = useRef(() => {});
  place.current = () => putAt(bar.current, stage.current, surface);
  useLayoutEffect(() => place.current());
  useLayoutEffect(() => {
    const move = () => place.current();
    addEventListener('resize', move);
    return () => removeEventListener('resize', move);
  }, []);
  const pick = (value: string | null) => {
    setColour(value)(surface.state.peek(), (tr) => write(tr, 'colour of words'));
  };
  return (
    <div
      ref={bar}
      class="selection-bar"
      role="toolbar"
      aria-label="Selected words"
      // The words stay selected.
      onMouseDown={(event) => (event.target as Element).closest('input') ?? event.preventDefault()}
      onKeyDown={(event) => press(event, () => surface.focus())}
    >
      <span class="tool-group">
        <Button isSmall label="Bold" isPressed={hasMark(state, 'bold')} onClick={() => surface.run(toggleMark(bold!))}>
          <b>B</b>
        </Button>
        <Button
          isSmall
          label="Italic"
          isPressed={hasMark(state, 'italic')}
          onClick={() => surface.run(toggleMark(italic!))}
        >
          <i>I</i>
        </Button>
        <Button
          isSmall
          isPressed={hasMark(state, 'href')}
          why={!state.selection.$from.parent.type.allowsMarkType(href!) && 'A button is a link as a whole.'}
          onClick={onLink}
        >
          Link
        </Button>
        <Button
          isSmall
          isPressed={isColouring.value}
          onClick={() => {
            isColouring.value = !isColouring.peek();
          }}
        >
          Colour
        </Button>
        <Button isSmall label="Variable" onClick={(event) => onVariable(event.currentTarget as Element)}>
          {'{ }'}
        </Button>
      </span>
      {isColouring.value && (
        <span class="row wrap">
          <Swatches label="Words" value={colour ?? ''} against={ground} onPick={pick} />
          <Button isSmall why={colour === null && 'They have no colour of their own.'} onClick={() => pick(null)}>
            As the text
          </Button>
          <ContrastNote value={colour ?? ''} against={ground} />
        </span>
      )}
    </div>
  );
}

function press(event: KeyboardEvent & { currentTarget: HTMLElement }, back: () => void): void {
  if (event.key === 'Escape') {
    // A dialog around the editor stays open.
    event.preventDefault();
    event.stopPropagation();
    back();
    return;
  }
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('button, input')];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all.at((at + by) % all.length)?.focus();
}

/** Above the words; below them where the tools of the mail are. */
function putAt(bar: HTMLElement | null, stage: HTMLElement | null, surface: Surface): void {
  if (!bar || !stage) return;
  const words = surface.selected();
  const around = stage.getBoundingClientRect();
  // The tools of the mail stay in sight.
  const highest = stage.previousElementSibling?.getBoundingClientRect().bottom ?? 0;
  const above = words.top - GAP_PX - bar.offsetHeight;
  const top = above < highest ? words.bottom + GAP_PX : above;
  const left = Math.max(0, Math.min(words.left - around.left, around.width - bar.offsetWidth));
  bar.style.setProperty('top', `${top - around.top}px`);
  bar.style.setProperty('left', `${left}px`);
}
