import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { count } from '../data/format.ts';
import { Icon } from '../icon.tsx';
import { sentenceOf } from './form.ts';

export interface Item {
  value: string;
  label: string;
  /** Of people, next to the label. */
  n?: number | undefined;
}

const PAUSE_MS = 200;

/** A choice among any number of things: the server searches them, newest first. Arrow keys move, Enter takes, Escape closes. */
export function SearchChoice({
  label,
  search,
  isInvalid = false,
  onPick,
}: {
  /** In the empty field, and for screen readers. */
  label: string;
  /** Some that fit; the first of all for an empty text. */
  search: (text: string, signal: AbortSignal) => PromiseLike<readonly Item[]>;
  isInvalid?: boolean;
  onPick: (item: Item) => void;
}) {
  const id = useId();
  const text = useSignal('');
  const isOpen = useSignal(false);
  const at = useSignal(0);
  const found = useSignal<readonly Item[] | null>(null);
  const failure = useSignal<string | null>(null);
  const latest = useRef(search);
  latest.current = search;
  const asked = isOpen.value ? text.value.trim() : null;
  useEffect(() => {
    if (asked === null) return;
    const gone = new AbortController();
    const load = async () => {
      try {
        const items = await latest.current(asked, gone.signal);
        if (gone.signal.aborted) return;
        found.value = items;
        failure.value = null;
        at.value = 0;
      } catch (error) {
        if (!gone.signal.aborted) failure.value = sentenceOf(error);
      }
    };
    const timer = setTimeout(load, asked === '' ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [asked]);

  function close(): void {
    isOpen.value = false;
    text.value = '';
    found.value = null;
  }
  function pick(item: Item | undefined): void {
    if (!item) return;
    close();
    onPick(item);
  }
  function press(event: KeyboardEvent): void {
    const all = found.value ?? [];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      if (isOpen.value && all.length > 0) at.value = (at.value + step + all.length) % all.length;
      isOpen.value = true;
      document.getElementById(`${id}-${at.value}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (isOpen.value) pick(all[at.value]);
      else isOpen.value = true;
    } else if (event.key === 'Escape' && isOpen.value) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  }

  return (
    <div class="search-choice">
      <input
        class="in"
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen.value}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen.value && found.value?.length ? `${id}-${at.value}` : undefined}
        aria-invalid={isInvalid ? true : undefined}
        placeholder={label}
        autocomplete="off"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          isOpen.value = true;
        }}
        onClick={() => {
          isOpen.value = true;
        }}
        onBlur={close}
        onKeyDown={press}
      />
      <Icon name="down" />
      {isOpen.value && (
        <div class="choices-found">
          <div
            id={`${id}-list`}
            class="found"
            role="listbox"
            tabIndex={-1}
            aria-label={label}
            // The pointer must not take the focus from the field, whose loss closes the list.
            onMouseDown={(event) => event.preventDefault()}
          >
            {found.value?.map((item, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field that owns the list.
              <div
                key={item.value}
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === at.value}
                onClick={() => pick(item)}
              >
                <span class="grow cut">{item.label}</span>
                {item.n !== undefined && <span class="dim small">{count(item.n)}</span>}
              </div>
            ))}
          </div>
          {found.value?.length === 0 && <p class="none dim">Nothing has this name.</p>}
          {failure.value && <p class="none t-bad">{failure.value}</p>}
        </div>
      )}
    </div>
  );
}
