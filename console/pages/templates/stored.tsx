import { useRef } from 'preact/hooks';
import { EverpostError } from '../../../client/index.ts';
import { savedWords, useAutosave } from '../../mail-editor/autosave.ts';
import { type Form, useForm } from '../../parts/forms/form.ts';
import { useKeptDraft } from '../../parts/forms/leaving.ts';
import { BothTexts, type Parts, useConflict } from '../../parts/forms/overtaken.tsx';
import { RestoredDraft } from '../../parts/forms/restored.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { Notice } from '../../parts/page/notice.tsx';
import { type Calls, isOfBlocks, type Opened, toEdit } from './calls.ts';
import { hasDraft } from './drafts.tsx';

interface Options<T, V extends object> {
  calls: Calls<T>;
  /** Shown by the page, at the version that it shows. */
  opened: T;
  nameOf: (saved: T) => string;
  valuesOf: (saved: T) => V;
  /** Written by a save. */
  bodyOf: (values: V) => object;
  onSaved: (saved: T) => unknown;
}

export type Stored<T, V extends object> = ReturnType<typeof useStored<T & Opened, V>>;

/** A form of a template, a layout or a snippet: what is typed becomes drafts, and earlier versions become the draft again. */
export function useStored<T extends Opened, V extends object>({
  calls,
  opened,
  nameOf,
  valuesOf,
  bodyOf,
  onSaved,
}: Options<T, V>) {
  const form = useForm<V>(valuesOf(opened));
  const kept = useKeptDraft(form, `${calls.room}/${calls.id}`, `${opened.updatedAt} ${opened.newestVersion}`);
  const conflict = useConflict(kept, opened, () => toEdit(calls));
  const base = useRef(conflict.base);
  base.current = conflict.base;
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  const shown = useRef<(values: V) => void>(form.reset);
  /** The act that a failure is of. */
  const act = useRef<'saved' | 'published'>('saved');

  /** One after the other: a save that another one overtakes would be refused. */
  function saveDraft(values: V): Promise<T> {
    act.current = 'saved';
    const saved = saving.current.then(async () => {
      const { newestVersion, updatedAt } = base.current;
      return noted(
        await conflict.save(() => calls.update({ ...bodyOf(values), draft: true, newestVersion, updatedAt })),
      );
    });
    saving.current = saved.catch(() => undefined);
    return saved;
  }
  function noted(saved: T): T {
    base.current = saved;
    onSaved(saved);
    return saved;
  }
  /** Words without a version become one, and nothing is left for the next save. */
  async function saveWords(): Promise<T> {
    const values = form.values.peek();
    if (!form.isChanged.peek()) return base.current;
    const saved = await saveDraft(values);
    if (form.values.peek() === values) form.reset(values);
    return saved;
  }
  async function publishWords(): Promise<void> {
    const saved = await saveWords();
    if (!hasDraft(saved)) return;
    act.current = 'published';
    const published = noted(await calls.publish(saved.draftVersion));
    toast(`Published version ${published.version} of ${nameOf(published)}`, { kind: 'good' });
  }
  async function bringBack(version: number): Promise<void> {
    const { newestVersion } = base.current;
    const restored = noted(await conflict.save(() => calls.restore({ version, newestVersion })));
    // Code and blocks have a page each.
    if (isOfBlocks(restored) === isOfBlocks(opened)) shown.current(valuesOf(restored));
    else form.reset(form.values.peek());
    toast(`Version ${version} is in the editor again; it is sent when it is published`, { kind: 'good' });
  }
  async function restore(version: number): Promise<void> {
    try {
      await saveWords();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await confirm({
        title: `Restore version ${version}`,
        text: 'What you typed cannot be saved, and is replaced.',
        action: 'Restore it',
        run: () => bringBack(version),
      });
      return;
    }
    await bringBack(version);
  }
  return {
    ...{ calls, opened, valuesOf, form, kept, conflict, shown, act, onSaved, saveWords, restore },
    save: form.submit(saveDraft),
    publish: form.submit(publishWords),
    /** Another version was saved elsewhere, and the person has not chosen yet. */
    newest: conflict.newest.value,
  };
}

/** Of what was typed; a conflict or an outage says nothing about it. */
function isRefusal(error: unknown): boolean {
  return error instanceof EverpostError && error.status === 400;
}

/** Saves by itself while nothing speaks against it. Returns the words about it. */
export function useSavedByItself<T extends Opened, V extends object>(
  { form, save, newest, opened }: Pick<Stored<T, V>, 'form' | 'save' | 'newest' | 'opened'>,
  isHeld: boolean,
): string {
  const { isSoon } = useAutosave(form, save, isHeld || newest !== null);
  const { isChanged, isBusy } = form;
  return savedWords({
    ...{ isChanged: isChanged.value, isSoon: isSoon.value, isSaving: isBusy.value, at: opened.updatedAt },
  });
}

/** Above a form: what was kept in this browser, what was saved elsewhere, and why it was not saved. */
export function StoredNotes<T extends Opened, V extends object>({ of, parts }: { of: Stored<T, V>; parts: Parts<V> }) {
  const { opened, valuesOf, form, kept, conflict, shown, act, newest, onSaved, save } = of;
  return (
    <>
      <RestoredDraft
        draft={{
          ...kept,
          drop: () => {
            shown.current(valuesOf(opened));
            kept.drop();
          },
        }}
      />
      <BothTexts
        {...{ conflict, draft: kept, form: form as Form<V>, parts, valuesOf }}
        onKeep={() => save()}
        onTake={(taken) => {
          onSaved(taken);
          shown.current(valuesOf(taken));
        }}
      />
      {!newest && form.failure.value && (
        <Notice kind="bad" title={`It was not ${act.current}: ${form.failure.value}`} />
      )}
    </>
  );
}
