import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { sentenceOf } from '../forms/form.ts';
import { Icon } from '../icon.tsx';

interface Toast {
  id: number;
  text: string;
  kind: 'good' | 'bad' | 'plain';
  action?: { label: string; run: () => unknown } | undefined;
}

const SHOWN_MS = 6_000;
const SHOWN_MAX = 3;

export type Modal = RefObject<HTMLDialogElement | null>;

/** Modal dialogs that are open, the topmost last. The rest of the page is behind it: nothing there is pressed, or read to a person. */
export const modals = signal<readonly Modal[]>([]);

const toasts = signal<Toast[]>([]);
let nextId = 1;

/** A sentence about what was just done. Errors stay until they are closed. */
export function toast(text: string, { kind = 'plain', action }: Partial<Pick<Toast, 'kind' | 'action'>> = {}): void {
  const id = nextId++;
  toasts.value = [...toasts.peek().filter((other) => other.text !== text), { id, text, kind, action }].slice(
    -SHOWN_MAX,
  );
  if (kind !== 'bad') setTimeout(() => close(id), SHOWN_MS);
}

export function toastError(error: unknown): void {
  toast(sentenceOf(error), { kind: 'bad' });
}

function close(id: number): void {
  toasts.value = toasts.peek().filter((one) => one.id !== id);
}

/** Once in the frame, and once in each modal dialog: the topmost shows them. */
export function Toasts({ modal }: { modal?: Modal }) {
  const shown = modals.value.at(-1) === modal ? toasts.value : [];
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, kind, action }) => (
        <div key={id} class="toast">
          {kind !== 'plain' && (
            <span class={kind === 'good' ? 't-good' : 't-bad'}>
              <Icon name={kind === 'good' ? 'check' : 'alert'} />
            </span>
          )}
          <span class="grow">{text}</span>
          {action && (
            <button
              class="btn small"
              type="button"
              onClick={() => {
                close(id);
                void Promise.resolve(action.run()).catch(toastError);
              }}
            >
              {action.label}
            </button>
          )}
          <button class="btn small icon plain" type="button" aria-label="Close this message" onClick={() => close(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
