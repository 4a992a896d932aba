import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Content } from '../../../../schemas/templates/block-types.ts';
import type { MailEditorHandle, TextField } from '../../../mail-editor/lazy.tsx';
import type { Draft } from '../../../mail-editor/use-mail.ts';
import type { Form } from '../../../parts/forms/form.ts';
import type { Ways } from '../refused.tsx';

interface Written {
  /** null: it is code. */
  content: Content | null;
}

/** The mail in the editor of blocks and the texts above it, as values of a form. */
export function useMailDraft<V extends Written>(
  { form, shown, ways }: { form: Form<V>; shown: RefObject<((values: V) => void) | null>; ways: RefObject<Ways> },
  texts: readonly TextField[],
): { draft: Signal<Draft>; editor: RefObject<MailEditorHandle | null> } {
  const draft = useSignal<Draft>(draftOf(form.values.peek(), texts));
  const editor = useRef<MailEditorHandle | null>(null);
  ways.current = { block: (id) => editor.current?.show(id) };
  useLayoutEffect(
    () =>
      draft.subscribe(({ content, about }) => {
        const values = form.values.peek() as Record<string, unknown>;
        if (values.content === null) return;
        const next = { content, ...Object.fromEntries(texts.map(({ name }) => [name, about[name] ?? ''])) };
        for (const [name, value] of Object.entries(next))
          if (values[name] !== value) form.set(name as keyof V & string, value as never);
      }),
    [form, draft],
  );
  shown.current = (values) => {
    if (values.content === null) return form.reset(values);
    const next = draftOf(values, texts);
    if (editor.current) editor.current.replace(next);
    else draft.value = next;
    form.reset({ ...values, content: form.values.peek().content });
  };
  return { draft, editor };
}

function draftOf(values: Written, texts: readonly TextField[]): Draft {
  const all = values as unknown as Record<string, string>;
  const about = Object.fromEntries(texts.map(({ name }) => [name, all[name] ?? '']));
  return { content: values.content ?? { v: 1, blocks: [] }, about };
}
