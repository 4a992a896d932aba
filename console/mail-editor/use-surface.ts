import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Transaction } from 'prosemirror-state';
import { type About, contentOf, docOf } from './model/convert.ts';
import { type Asked, openSurface, type Surface } from './surface/open.ts';
import type { Draft } from './use-mail.ts';

/** The surface in its place, from the first draft on; later drafts come from it. */
export function useSurface(
  place: RefObject<HTMLDivElement | null>,
  draft: Signal<Draft>,
  asked: Omit<Asked, 'onChange'>,
): { surface: Surface | null; write: (tr: Transaction, field: string) => void } {
  const surface = useSignal<Surface | null>(null);
  const latest = useRef(asked);
  latest.current = asked;
  const before = useRef<{ field: string; tr: Transaction } | null>(null);

  useLayoutEffect(() => {
    if (!place.current) return;
    const { content, about } = draft.peek();
    const opened = openSurface(place.current, docOf(content, about), {
      ...asked,
      onAdd: (...given) => latest.current.onAdd(...given),
      onSlash: (near) => latest.current.onSlash(near),
      onBraces: (near) => latest.current.onBraces(near),
      onLink: () => latest.current.onLink(),
      onTools: () => latest.current.onTools(),
      onFields: () => latest.current.onFields(),
      onLeave: () => latest.current.onLeave(),
      onFiles: (files) => latest.current.onFiles(files),
      onChange(doc) {
        before.current = null;
        draft.value = { content: contentOf(doc), about: doc.attrs.about as About };
      },
    });
    surface.value = opened;
    return () => {
      surface.value = null;
      opened.close();
    };
  }, []);
  return {
    surface: surface.value,
    /** Undo takes back all that was typed into one field. */
    write(tr, field) {
      const last = before.current;
      if (field !== '' && last?.field === field) tr.setMeta('appendedTransaction', last.tr);
      surface.peek()?.dispatch(tr);
      before.current = { field, tr };
    },
  };
}
