import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { EverpostError } from '../../../client/index.ts';

/** Typed values, their errors, and how they are sent. Nothing typed is lost when sending fails. */
export interface Form<V extends object> {
  readonly values: ReadonlySignal<V>;
  /** By field, in the words of the interface. */
  readonly errors: Signal<Record<string, string>>;
  /** A refusal that names none of the fields on the page. */
  readonly failure: ReadonlySignal<string | null>;
  readonly isBusy: ReadonlySignal<boolean>;
  /** Changed since the last `reset`, and not saved. */
  readonly isChanged: ReadonlySignal<boolean>;
  /** Changed, and not sent: false after a `submit` that left a part out, too. */
  readonly isUnsent: ReadonlySignal<boolean>;
  set<K extends keyof V & string>(name: K, value: V[K]): void;
  /** Without values, to those that were saved or loaded last. */
  reset(values?: V): void;
  /** For `send`, where the page stays open: shows `sent` as it is stored. Text that was typed since stays, and is not saved yet. */
  take(sent: V, stored: V): void;
  /**
   * For `onSubmit`: calls `send` with the values, and shows its refusal at the fields. Resolves with whether it was sent. Values of
   * which `send` leaves a part out are not saved yet: `isWhole` says so.
   */
  submit(send: (values: V) => unknown, isWhole?: (values: V) => boolean): (event?: Event) => Promise<boolean>;
  /** Called by the fields, so that an error of a field that is not on the page is shown with the form. */
  mount(name: string): () => void;
}

/** Fields by the names that the interface has for them, where these are others. */
type WireNames<V> = Readonly<Record<string, keyof V & string>>;

export function useForm<V extends object>(initial: V, wireNames: WireNames<V> = {}): Form<V> {
  return useMemo(() => createForm(initial, wireNames), []);
}

/** A save that a person asks for. After a refusal the field at fault has the focus: it may be far from the button. */
export function byHand(save: () => Promise<boolean>): () => Promise<boolean> {
  return async () => {
    const isSaved = await save();
    if (!isSaved)
      requestAnimationFrame(() => document.querySelector<HTMLElement>('#work [aria-invalid="true"]')?.focus());
    return isSaved;
  };
}

function createForm<V extends object>(initial: V, wireNames: WireNames<V>): Form<V> {
  let base = initial;
  const values = signal(initial);
  const errors = signal<Record<string, string>>({});
  const failure = signal<string | null>(null);
  const isBusy = signal(false);
  const isChanged = signal(false);
  const isUnsent = signal(false);
  const mounted = new Map<string, number>();

  function fail(error: unknown): void {
    const shown: Record<string, string> = {};
    const elsewhere: string[] = [];
    const found = Object.entries(fieldErrors(error));
    for (const [wireName, text] of found) {
      const name = wireNames[wireName] ?? wireName;
      const at = nearest(name, mounted);
      if (at === null) elsewhere.push(`${name}: ${text}`);
      else shown[at] ??= at === name ? text : `${entryOf(name.slice(at.length + 1))}: ${text}`;
    }
    errors.value = shown;
    failure.value = found.length > 0 && elsewhere.length === 0 ? null : elsewhere.join('; ') || sentenceOf(error);
  }

  return {
    values,
    errors,
    failure,
    isBusy,
    isChanged,
    isUnsent,
    set(name, value) {
      batch(() => {
        values.value = { ...values.peek(), [name]: value };
        isChanged.value = isUnsent.value = true;
        if (name in errors.peek()) {
          const { [name]: _, ...rest } = errors.peek();
          errors.value = rest;
        }
      });
    },
    take(sent, stored) {
      const since = typedSince(sent, values.peek());
      base = stored;
      batch(() => {
        values.value = { ...stored, ...since };
        isChanged.value = isUnsent.value = Object.keys(since).length > 0;
      });
    },
    reset(next = base) {
      base = next;
      batch(() => {
        values.value = next;
        errors.value = {};
        failure.value = null;
        isChanged.value = isUnsent.value = false;
      });
    },
    submit:
      (send, isWhole = () => true) =>
      async (event) => {
        event?.preventDefault();
        const element = event?.currentTarget as HTMLElement | null | undefined;
        if (isBusy.peek()) return false;
        batch(() => {
          isBusy.value = true;
          errors.value = {};
          failure.value = null;
        });
        try {
          const sent = values.peek();
          await send(sent);
          // Typed while it was sent: not saved yet.
          if (values.peek() === sent) {
            isUnsent.value = false;
            isChanged.value &&= !isWhole(sent);
          }
          return true;
        } catch (error) {
          fail(error);
          requestAnimationFrame(() => element?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
          return false;
        } finally {
          isBusy.value = false;
        }
      },
    mount(name) {
      mounted.set(name, (mounted.get(name) ?? 0) + 1);
      return () => {
        const left = (mounted.get(name) ?? 1) - 1;
        if (left > 0) mounted.set(name, left);
        else mounted.delete(name);
      };
    },
  };
}

function typedSince<V extends object>(sent: V, typed: V): Partial<V> {
  const names = Object.keys(typed) as Array<keyof V>;
  return Object.fromEntries(
    names.flatMap((name) => (typed[name] === sent[name] ? [] : [[name, typed[name]]])),
  ) as Partial<V>;
}

/** The field on the page that holds `emails/0/name`: itself, or `emails`. */
function nearest(name: string, mounted: ReadonlyMap<string, unknown>): string | null {
  for (let at = name; at; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) if (mounted.has(at)) return at;
  return null;
}

/** People count from one. */
function entryOf(rest: string): string {
  return rest.replace(/^(\d+)(\/email)?/, (_, index) => `entry ${Number(index) + 1}`);
}

/** 'name: is required; emails/0: must be an email address', as the interface writes `details`. */
export function fieldErrors(error: unknown): Record<string, string> {
  const details = error instanceof EverpostError ? error.details : null;
  const found: Record<string, string> = {};
  for (const line of details?.split('; ') ?? []) {
    const [, name, text] = /^([\w$.[\]/-]+): (.+)$/s.exec(line) ?? [];
    if (name && text) found[name] ??= text;
  }
  return found;
}

/** For people, when a call fails. */
export function sentenceOf(error: unknown): string {
  if (error instanceof EverpostError) {
    if (error.code === 'NETWORK') return 'The API cannot be reached. Nothing was changed as far as we know; try again.';
    if (error.code === 'TIMEOUT')
      return 'The API did not answer in time. Look whether it was done before you try again.';
    return error.message;
  }
  return 'The console made a mistake. Load the page again; if it comes back, report it.';
}
