import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../icon.tsx';
import { type Modal, modals, Toasts } from './toast.tsx';

/**
 * A modal dialog of the browser: it holds the focus, which begins in its first field, Escape closes it, and the focus returns to where it
 * was.
 */
export function Dialog({
  title,
  children,
  footer,
  isWide,
  onClose,
  onSubmit,
}: {
  title: string;
  children: ComponentChildren;
  /** Buttons; the last one is the one that does it. */
  footer?: ComponentChildren;
  isWide?: boolean;
  onClose: () => void;
  onSubmit?: (event: Event) => unknown;
}) {
  const ref = useModal();
  const titleId = useId();
  return (
    <dialog
      ref={ref}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={byEscape(onClose)}
      // At a second Escape a browser closes it by itself, also one that stays until a call has its answer.
      onClose={({ currentTarget }) => currentTarget.isConnected && currentTarget.showModal()}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          // It may be opened from a form, which is not sent with it.
          event.stopPropagation();
          onSubmit?.(event);
        }}
      >
        <div class="row">
          <h2 id={titleId} class="grow">
            {title}
          </h2>
          <button class="btn small icon plain" type="button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        {children}
        {footer && <footer>{footer}</footer>}
      </form>
      <Toasts modal={ref} />
    </dialog>
  );
}

/** Leaves a dialog with Escape. Choosing a file has a cancel of its own, which bubbles, and leaves nothing. */
export function byEscape(leave: () => void) {
  return (event: Event) => {
    if (event.target !== event.currentTarget) return;
    event.preventDefault();
    leave();
  };
}

/** Holds the focus, and gives it back where it was. The dialog has its `Toasts`. */
export function useModal(): Modal {
  const ref = useRef<HTMLDialogElement>(null);
  // At once, so that the next key is typed into it.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement as HTMLElement | null;
    dialog?.showModal();
    modals.value = [...modals.peek(), ref];
    if (!dialog?.querySelector('[autofocus]')) firstOf(dialog)?.focus();
    return () => {
      modals.value = modals.peek().filter((modal) => modal !== ref);
      dialog?.close();
      if (before?.isConnected) before.focus();
    };
  }, []);
  return ref;
}

/** The first field, of radios the chosen one; without fields the first button below them. A browser would begin at Close. */
function firstOf(dialog: HTMLDialogElement | null): HTMLElement | undefined {
  const fields = [...(dialog?.querySelectorAll<HTMLInputElement>(':is(input, select, textarea):enabled') ?? [])];
  const [first] = fields;
  const chosen = first?.type === 'radio' && fields.find(({ name, checked }) => name === first.name && checked);
  return chosen || first || dialog?.querySelector<HTMLElement>('footer button:enabled') || undefined;
}
