import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { EverpostError } from '../../../client/index.ts';
import { savedWords, useAutosave } from '../../mail-editor/autosave.ts';
import { byHand, type Form, useForm } from '../../parts/forms/form.ts';
import { useKeptDraft } from '../../parts/forms/leaving.ts';
import { BothTexts, type Parts, useConflict } from '../../parts/forms/overtaken.tsx';
import { RestoredDraft } from '../../parts/forms/restored.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { type Calls, isOfBlocks, type Opened, toEdit } from './calls.ts';
import { hasDraft } from './drafts.tsx';
import { type Refused, RefusedNotice, type Ways } from './refused.tsx';

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
  const ways = useRef<Ways>({});
  const refused = useSignal<Refused<V> | null>(null);

  /** A refusal is shown until the next try; of two versions both are. */
  async function noting<R>(act: Refused<V>['act'], values: V, call: () => Promise<R>): Promise<R> {
    refused.value = null;
    try {
      return await call();
    } catch (error) {
      if (conflict.newest.peek() === null) refused.value = { error, act, values };
      throw error;
    }
  }
  /** One after the other: a save that another one overtakes would be refused. */
  function saveDraft(values: V): Promise<T> {
    return noting('saved', values, () => saveNext(values));
  }
  function saveNext(values: V): Promise<T> {
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
    const published = await publishDraft(saved.draftVersion);
    toast(`Published version ${published.version} of ${nameOf(published)}`, { kind: 'good' });
  }
  /** Refused where another version is the newest by now, as a save is. */
  function publishDraft(version: number): Promise<T> {
    return noting('published', form.values.peek(), async () =>
      noted(await conflict.save(() => calls.publish(version))),
    );
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
    ...{
      calls,
      opened,
      valuesOf,
      form,
      kept,
      conflict,
      shown,
      ways,
      refused,
      onSaved,
      saveWords,
      publishDraft,
      restore,
    },
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
  const { opened, valuesOf, form, kept, conflict, shown, onSaved, save } = of;
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
        onKeep={byHand(save)}
        onTake={(taken) => {
          onSaved(taken);
          shown.current(valuesOf(taken));
        }}
      />
      <Refusal of={of} parts={parts} />
    </>
  );
}

/** A fault in what was typed is over once something else is typed. */
function Refusal<T extends Opened, V extends object>({ of, parts }: { of: Stored<T, V>; parts: Parts<V> }) {
  const { calls, form, ways, newest } = of;
  const { value: refused } = of.refused;
  const { value: values } = form.values;
  if (!refused || newest || (isRefusal(refused.error) && refused.values !== values)) return null;
  const { content = null, layoutId = '' } = values as { content?: unknown; layoutId?: string };
  const known = {
    ...{ parts: parts as Parts<object>, content, ways: ways.current, layoutId: layoutId || null },
    templateId: calls.room === 'templates' ? calls.id : null,
  };
  return <RefusedNotice refused={refused} known={known} />;
}
