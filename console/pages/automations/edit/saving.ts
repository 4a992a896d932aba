import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type Automation, EverpostError, type UpdateAutomationBody } from '../../../../client/index.ts';
import { api, apiFoundCount } from '../../../api.ts';
import type { Form } from '../../../parts/forms/form.ts';
import type { Conflict } from '../../../parts/forms/overtaken.tsx';
import { isUnreachable } from '../../../parts/page/query.ts';
import { bodyOf, isSavedAsDraft, type SentValues, type Values } from './draft.ts';
import { type Fault, faultsIn } from './faults.ts';
import type { Secrets } from './secrets.ts';

const PAUSE_MS = 600;

export interface Saving {
  /** Of the last refusal, and of an activation or publication that was refused. */
  faults: ReadonlySignal<readonly Fault[]>;
  /** Everything that was edited. Resolves with whether all of it is saved. */
  save(): Promise<boolean>;
  /** The same, in place of another version: a draft that is outdated is made from what runs from now on. */
  keep(): Promise<boolean>;
  /** An act that changes what is stored: nothing is saved by itself until it is over, and the page has what it stored. */
  during(act: () => Promise<void>): Promise<void>;
  /** Shows a refusal of another call. */
  refuse(error: unknown): void;
}

/** Saves what is edited when it rests: into the draft of the next version, or the automation itself while it is a draft. */
export function useSaving({
  form,
  conflict,
  isHeld,
  secrets,
  onSaved,
}: {
  form: Form<Values>;
  conflict: Conflict<Automation>;
  /** Nothing is saved until the person decides, or at all. */
  isHeld: boolean;
  secrets: Secrets;
  onSaved: (automation: Automation) => void;
}): Saving {
  const faults = useSignal<readonly Fault[]>([]);
  const running = useRef<Promise<boolean> | null>(null);
  const isActing = useRef(false);
  const latest = useRef({ conflict, isHeld, onSaved });
  latest.current = { conflict, isHeld, onSaved };
  const show = (error: unknown) => {
    faults.value = faultsIn(error, form.values.peek().steps);
  };

  const send = form.submit(async (values) => {
    const { conflict: now, onSaved: done } = latest.current;
    const steps = secrets.fill(values.steps);
    const put = (base: Automation) =>
      now.save(() => api.automations.update(base.id, inputOf(base, { ...values, steps })));
    try {
      const saved = await put(now.base).catch(async (error: unknown) => {
        if (now.newest.peek() || !isConflict(error)) throw error;
        // It was activated or paused since, which saves nothing.
        const { status, draft } = await api.automations.get(now.base.id);
        return put({ ...now.base, status, draft });
      });
      faults.value = [];
      secrets.forget(steps);
      done(saved);
    } catch (error) {
      const isSaid = now.newest.peek() !== null || isUnreachable(error);
      faults.value = isSaid ? [] : faultsIn(error, values.steps);
      throw error;
    }
  });
  async function save(): Promise<boolean> {
    await running.current;
    if (!form.isChanged.peek()) return true;
    const { conflict: now, isHeld: waits } = latest.current;
    return waits || now.newest.peek() ? false : sendNow();
  }
  async function sendNow(): Promise<boolean> {
    await running.current;
    running.current = send();
    const isDone = await running.current;
    running.current = null;
    return isDone && !form.isChanged.peek();
  }

  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (isActing.current) later();
        else if (form.isChanged.peek()) void save();
      }, PAUSE_MS);
    };
    const stop = form.values.subscribe(later);
    const stopFound = apiFoundCount.subscribe(later);
    return () => {
      clearTimeout(timer);
      stop();
      stopFound();
    };
  }, [form]);
  useEffect(() => {
    if (conflict.newest.value) faults.value = [];
  }, [conflict.newest.value]);
  const keep = () => {
    form.set('name', form.values.peek().name);
    return sendNow();
  };
  async function during(act: () => Promise<void>): Promise<void> {
    isActing.current = true;
    try {
      await act();
    } finally {
      isActing.current = false;
    }
  }
  return { faults, save, keep, during, refuse: show };
}

function inputOf(base: Automation, values: SentValues): UpdateAutomationBody {
  const { draftRevision } = base;
  return { ...bodyOf(values), ...(isSavedAsDraft(base) && { draft: true }), draftRevision };
}

function isConflict(error: unknown): boolean {
  return error instanceof EverpostError && error.status === 409;
}
