import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../../parts/forms/button.tsx';
import type { Editing } from './editing.ts';

const ZOOMS = [0.4, 0.6, 0.8, 1];

export function Toolbar({
  editing,
  zoom,
  why,
  isSimulating,
  carriedName,
  onSimulate,
}: {
  editing: Editing;
  zoom: Signal<number>;
  why: string | null;
  isSimulating: boolean;
  carriedName: string | null;
  onSimulate: () => void;
}) {
  const step = (by: number) => {
    const next = ZOOMS[ZOOMS.indexOf(zoom.peek()) + by];
    if (next !== undefined) zoom.value = next;
  };
  return (
    <div class="row wrap">
      {why === null && (
        <>
          <Button isSmall why={!editing.canUndo && 'Nothing was changed.'} onClick={editing.undo}>
            Undo
          </Button>
          <Button isSmall why={!editing.canRedo && 'Nothing was taken back.'} onClick={editing.redo}>
            Redo
          </Button>
        </>
      )}
      <Button isSmall icon="play" operation="automations.simulate" isPressed={isSimulating} onClick={onSimulate}>
        Simulate
      </Button>
      <span class="grow" />
      {carriedName ? (
        <>
          <span role="status">{carriedName}</span>
          <Button
            isSmall
            onClick={() => {
              editing.carried.value = null;
            }}
          >
            Not now
          </Button>
        </>
      ) : (
        <span class="row wide-only">
          <Button
            isSmall
            kind="plain"
            why={zoom.value === ZOOMS[0] && 'It is as small as it gets.'}
            onClick={() => step(-1)}
          >
            Smaller
          </Button>
          <span class="dim small">{Math.round(zoom.value * 100)} %</span>
          <Button isSmall kind="plain" why={zoom.value === 1 && 'It has its own size.'} onClick={() => step(1)}>
            Larger
          </Button>
        </span>
      )}
    </div>
  );
}

/** Ctrl Z and Shift Ctrl Z, outside of texts, which have an undo of their own; Escape puts down what is carried. */
export function useKeys(editing: Editing): void {
  const latest = useRef(editing);
  latest.current = editing;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { undo, redo, carried } = latest.current;
      if (event.key === 'Escape' && carried.peek()) carried.value = null;
      const isText = (event.target as Element).closest?.('input, textarea, [contenteditable]');
      if (isText || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
      event.preventDefault();
      if (event.shiftKey) redo();
      else undo();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
