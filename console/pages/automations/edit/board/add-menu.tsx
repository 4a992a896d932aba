import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../../../parts/icon.tsx';
import type { Content } from '../model/steps.ts';
import { offered } from '../steps/kinds.ts';

const GAP_PX = 4;
const EDGE_PX = 8;

/** The types of steps, below the "+" that was pressed. Arrow keys move, a letter finds, Escape closes. */
export function AddMenu({
  at,
  onPick,
  onClose,
}: {
  at: Element;
  onPick: (content: Content) => void;
  onClose: () => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = list.current;
    box?.showPopover();
    if (box) placeAt(box, at.getBoundingClientRect());
    box?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }, [at]);
  return (
    <div
      ref={list}
      class="menu"
      popover="auto"
      role="menu"
      aria-label="Add a step"
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
      onKeyDown={(event) => moveIn(list.current, event)}
    >
      {offered.map(({ label, hint, icon, make }) => (
        <button key={label} type="button" role="menuitem" onClick={() => onPick(make())}>
          <Icon name={icon} />
          <span class="grow">
            {label} <span class="dim small wide-only">{hint}</span>
          </span>
        </button>
      ))}
    </div>
  );
}

function placeAt(box: HTMLElement, from: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = box;
  const below = from.bottom + GAP_PX;
  const top = below + height > innerHeight - EDGE_PX ? Math.max(EDGE_PX, from.top - GAP_PX - height) : below;
  const middle = (from.left + from.right - width) / 2;
  box.style.setProperty('top', `${top}px`);
  box.style.setProperty('left', `${Math.max(EDGE_PX, Math.min(middle, innerWidth - EDGE_PX - width))}px`);
}

function moveIn(list: HTMLElement | null, event: KeyboardEvent): void {
  const all = [...(list?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key] ?? startingWith(all, at, event.key);
  if (to === null) return;
  event.preventDefault();
  event.stopPropagation();
  all.at(to % all.length)?.focus();
}

function startingWith(all: readonly HTMLElement[], at: number, key: string): number | null {
  if (!/^[a-z]$/i.test(key)) return null;
  const order = [...all.keys()].map((index) => (at + 1 + index) % all.length);
  return order.find((index) => all[index]?.textContent?.toLowerCase().startsWith(key.toLowerCase())) ?? null;
}
