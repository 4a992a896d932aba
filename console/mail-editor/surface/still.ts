import { signal } from '@preact/signals';
import type { Node } from 'prosemirror-model';
import { openSurface } from './open.ts';

const nothing = () => {};

/** A mail to look at, with marks at some of its blocks. Returns how it is taken away. */
export function openStill(
  place: HTMLElement,
  doc: Node,
  marked: Readonly<Record<string, readonly string[] | undefined>>,
): () => void {
  const surface = openSurface(place, doc, {
    ...{ isReadOnly: true, isMarketing: false, label: 'The mail at this version', values: signal(null) },
    ...{ onChange: nothing, onAdd: nothing, onSlash: nothing, onBraces: nothing, onLink: nothing },
    ...{ onTools: nothing, onFields: nothing, onFiles: nothing, onLeave: nothing },
  });
  for (const [words, ids = []] of Object.entries(marked))
    for (const id of ids)
      place.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.setAttribute('data-mark', words);
  return () => surface.close();
}
