import type { Signal } from '@preact/signals';
import type { Translation } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { sentenceOf } from '../../../parts/forms/form.ts';
import { isConflict } from '../../../parts/forms/overtaken.tsx';
import { toast, toastError } from '../../../parts/over/toast.tsx';
import { type Seen, seenOf, withText } from './texts.ts';
import type { UnsavedWords } from './unsaved.ts';

interface Options {
  translation: Signal<Translation>;
  templateId: string;
  language: string;
  unsaved: UnsavedWords;
  onSaved: () => Promise<void>;
}

/** Saves one text at a time. */
export function savingOf({ translation, templateId, language, unsaved, onSaved }: Options) {
  const typed = unsaved.of(language);
  const seenNow = (name: string) => seenOf(translation.peek(), name);

  async function write(name: string, text: string, reviewed: string[]): Promise<void> {
    const body = { ...withText(translation.peek(), name, text), reviewed };
    translation.value = await api.templates.translate(templateId, language, body);
  }
  /** Whatever else was saved elsewhere stays as it is: only this text changes. */
  async function merge(name: string, text: string, seen: Seen, reviewed: string[] = []): Promise<void> {
    refuseUnseen(seen, seenNow(name));
    try {
      await write(name, text, reviewed);
    } catch (error) {
      if (!isConflict(error)) throw error;
      translation.value = await api.templates.translation(templateId, language);
      refuseUnseen(seen, seenNow(name));
      await write(name, text, reviewed);
    }
  }
  /** Typed while it was saved: not saved yet. */
  function settle(name: string, sent: string): void {
    const now = typed.get(name);
    if (now?.text === sent) typed.drop(name);
    else if (now) typed.put(name, { ...now, seen: seenNow(name) });
  }
  async function save(name: string, text: string): Promise<void> {
    const word = typed.get(name);
    if (!word) return;
    try {
      if (text !== seenNow(name).text) await merge(name, text, word.seen);
      settle(name, text);
    } catch (error) {
      const now = typed.get(name) ?? word;
      typed.put(name, { ...now, seen: seenNow(name), why: whyOf(error) });
    }
    await onSaved().catch(toastError);
  }
  return {
    type(name: string, text: string) {
      typed.put(name, { text, seen: typed.get(name)?.seen ?? seenNow(name), why: null });
    },
    leave(name: string) {
      const text = typed.get(name)?.text;
      if (text !== undefined) void unsaved.next(() => save(name, text));
    },
    /** Says that the text fits to that of the template, as it is shown. */
    review(name: string) {
      const { base } = seenNow(name);
      return unsaved.next(async () => {
        const now = seenNow(name);
        try {
          await merge(name, now.text, { ...now, base }, [name]);
          await onSaved();
        } catch (error) {
          toast(whyOf(error), { kind: 'bad' });
        }
      });
    },
  };
}

/** The person has not seen what is replaced. */
class Overtaken extends Error {}

function refuseUnseen(seen: Seen, now: Seen): void {
  if (seen.base !== now.base)
    throw new Overtaken('The text of the template was changed. Leave the field again to save yours for it.');
  if (seen.text !== now.text)
    throw new Overtaken(`“${now.text}” was saved elsewhere. Leave the field again to save yours in its place.`);
}

function whyOf(error: unknown): string {
  return error instanceof Overtaken ? error.message : sentenceOf(error);
}
