import { useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

const GAP_PX = 4;
const EDGE_PX = 8;

export interface Pick {
  value: string;
  label: string;
  hint: string;
  /** Other words that it is found by. */
  words?: string;
}

/** A list next to the cursor that is searched by typing. Arrow keys move, Enter takes, Escape returns to the text. */
export function PickMenu({
  near,
  label,
  picks,
  other,
  onPick,
  onClose,
}: {
  near: DOMRect;
  label: string;
  picks: readonly Pick[];
  /** A pick of the typed text itself. */
  other?: (text: string) => Pick | null;
  onPick: (value: string) => void;
  onClose: () => void;
}) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const text = useSignal('');
  const current = useSignal(0);
  const isPicked = useRef(false);
  const found = foundIn(picks, text.value);
  const own = other?.(text.value.trim());
  const all = own && !found.some(({ value }) => value === own.value) ? [...found, own] : found;

  useLayoutEffect(() => {
    const menu = box.current;
    if (!menu) return;
    menu.showPopover();
    placeAt(menu, near);
    menu.querySelector('input')?.focus();
  }, []);
  useLayoutEffect(() => {
    box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  });
  const take = (value: string | undefined) => {
    if (value === undefined) return;
    isPicked.current = true;
    box.current?.hidePopover();
    onPick(value);
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      current.value = (current.peek() + by + all.length) % Math.max(1, all.length);
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      take(all[current.peek()]?.value);
    } else if (event.key === 'Tab' || event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      box.current?.hidePopover();
    }
  };
  return (
    <div
      ref={box}
      class="menu pick-menu"
      popover="auto"
      onToggle={(event) => {
        if (event.newState === 'closed' && !isPicked.current) onClose();
      }}
    >
      <input
        class="in"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={all[current.value] ? `${id}-${current.value}` : undefined}
        autocomplete="off"
        placeholder={label}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          current.value = 0;
        }}
        onKeyDown={press}
      />
      <div id={id} class="pick-list" role="listbox" aria-label={label}>
        {all.map(({ value, label: name, hint }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field that owns the list.
          <div
            key={value}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            class="pick"
            aria-selected={index === current.value}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => take(value)}
          >
            <span class="grow">{name}</span>
            <span class="dim small">{hint}</span>
          </div>
        ))}
        {all.length === 0 && <p class="dim small">Nothing is called that.</p>}
      </div>
    </div>
  );
}

function foundIn(picks: readonly Pick[], text: string): Pick[] {
  const asked = text.trim().toLowerCase();
  const rank = ({ label, words = '' }: Pick) => {
    if (label.toLowerCase().startsWith(asked)) return 0;
    return `${label} ${words}`.toLowerCase().includes(asked) ? 1 : 2;
  };
  return picks
    .map((pick) => ({ pick, at: rank(pick) }))
    .filter(({ at }) => at < 2)
    .sort((a, b) => a.at - b.at)
    .map(({ pick }) => pick);
}

function placeAt(menu: HTMLElement, near: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = near.bottom + GAP_PX;
  const top = below + height > innerHeight - EDGE_PX ? Math.max(EDGE_PX, near.top - GAP_PX - height) : below;
  menu.style.setProperty('top', `${top}px`);
  menu.style.setProperty('left', `${Math.max(EDGE_PX, Math.min(near.left, innerWidth - EDGE_PX - width))}px`);
}
