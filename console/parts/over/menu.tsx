import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { can, whyNot } from '../../session.ts';
import { Icon, type IconName } from '../icon.tsx';
import { toast, toastError } from './toast.tsx';

export interface MenuItem {
  label: string;
  icon?: IconName;
  isDangerous?: boolean;
  href?: string;
  download?: true;
  onPick?: () => unknown;
  operation?: string;
  why?: string | false | null | undefined;
}

const GAP_PX = 4;
const EDGE_PX = 8;

/** A button that opens a list of actions. Arrow keys move, Escape closes. */
export function Menu({
  label,
  children,
  icon = 'more',
  isSmall,
  items,
}: {
  /** Of the button, when it shows its icon only. */
  label: string;
  children?: ComponentChildren;
  icon?: IconName;
  isSmall?: boolean;
  items: readonly MenuItem[];
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(false);
  /** A press outside of an open list closes it, before the click of the button. */
  const wasOpen = useRef(false);

  /** At once, so that the next key is one of the list. */
  function open(): void {
    if (wasOpen.current) {
      wasOpen.current = false;
      list.current?.hidePopover();
      return;
    }
    list.current?.showPopover();
    place();
    list.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }

  function place(): void {
    const from = button.current?.getBoundingClientRect();
    const box = list.current;
    if (!from || !box) return;
    const { offsetWidth: width, offsetHeight: height } = box;
    const below = from.bottom + GAP_PX;
    const top = below + height > innerHeight - EDGE_PX ? Math.max(EDGE_PX, from.top - GAP_PX - height) : below;
    const left = Math.max(EDGE_PX, Math.min(from.right - width, innerWidth - EDGE_PX - width));
    box.style.setProperty('top', `${top}px`);
    box.style.setProperty('left', `${left}px`);
  }

  function move(event: KeyboardEvent): void {
    const all = [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all.at(to % all.length)?.focus();
  }

  function pick(item: MenuItem, why: string | null): void {
    if (why) {
      toast(why);
      return;
    }
    list.current?.hidePopover();
    try {
      void Promise.resolve(item.onPick?.()).catch(toastError);
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <>
      <button
        ref={button}
        class={['btn', !children && 'icon', isSmall && 'small', !children && 'plain'].filter(Boolean).join(' ')}
        type="button"
        aria-label={children ? undefined : label}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        aria-controls={id}
        onPointerDown={() => {
          wasOpen.current = list.current?.matches(':popover-open') ?? false;
        }}
        onClick={open}
      >
        {children}
        <Icon name={children ? 'down' : icon} />
      </button>
      <div
        ref={list}
        id={id}
        class="menu"
        popover="auto"
        role="menu"
        aria-label={label}
        onToggle={(event) => {
          isOpen.value = event.newState === 'open';
        }}
        onKeyDown={move}
      >
        {items.map((item) => {
          const why = item.operation && !can(item.operation) ? whyNot() : item.why || null;
          const inside = (
            <>
              {item.icon && <Icon name={item.icon} />}
              <span class="grow">{item.label}</span>
            </>
          );
          const shared = { key: item.label, role: 'menuitem', class: item.isDangerous ? 'danger' : undefined } as const;
          return item.href && !why ? (
            <a {...shared} href={item.href} download={item.download} onClick={() => list.current?.hidePopover()}>
              {inside}
            </a>
          ) : (
            <button
              {...shared}
              type="button"
              aria-disabled={why ? true : undefined}
              title={why ?? undefined}
              onClick={() => pick(item, why)}
            >
              {inside}
            </button>
          );
        })}
      </div>
    </>
  );
}
