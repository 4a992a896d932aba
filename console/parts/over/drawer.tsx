import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../icon.tsx';

/** A list with one of its entries open next to it: `drawer` is null while none is. On a phone the drawer covers the list. */
export function Split({ children, drawer }: { children: ComponentChildren; drawer: ComponentChildren | null }) {
  return (
    <div class={drawer ? 'split open' : 'split'}>
      <div class="listing">{children}</div>
      {drawer}
    </div>
  );
}

/** Give it a `key` of the entry. Escape closes it; the focus returns to what opened it. */
export function Drawer({
  title,
  actions,
  under,
  children,
  onClose,
}: {
  title: string;
  actions?: ComponentChildren;
  /** Behind the title: address, state, chips. */
  under?: ComponentChildren;
  children: ComponentChildren;
  onClose: () => void;
}) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    heading.current?.focus();
    return () => {
      if (before?.isConnected) before.focus();
    };
  }, []);
  return (
    <aside
      class="drawer"
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div class="stack tight">
        <div class="row">
          <h2 id={id} ref={heading} class="title grow cut" tabIndex={-1}>
            {title}
          </h2>
          {actions}
          <button class="btn small icon plain" type="button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        {under}
      </div>
      {children}
    </aside>
  );
}
