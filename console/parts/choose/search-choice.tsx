import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { beginning } from '../../acts.ts';
import { navigate } from '../../router.ts';
import { can } from '../../session.ts';
import { count } from '../data/format.ts';
import { sentenceOf } from '../forms/form.ts';
import { Icon } from '../icon.tsx';
import { FOUND_MAX, type Item, type Things } from './things.ts';

export interface SearchChoiceProps<T> {
  things: Things<T>;
  /** For screen readers, and in the empty field. */
  label: string;
  /** Of the field, when a label of the page names it. */
  id?: string;
  describedBy?: string | undefined;
  placeholder?: string;
  /** The name of the chosen thing, shown until one looks for another; the arrow keys begin at its `value`. */
  shown?: string;
  value?: string;
  /** Never offered. */
  without?: readonly string[];
  /** The first entry, which chooses nothing. */
  none?: string | undefined;
  /** An entry that makes one, called as what was typed. */
  make?: { label: string; pick: (typed: string) => void } | undefined;
  isInvalid?: boolean;
  isReadOnly?: boolean;
  /** As wide as its place, half of a form, or as a filter next to a search. */
  look?: 'wide' | 'half' | 'beside';
  onPick: (item: Item<T>) => void;
}

/** A line of the list: a thing, or one of the other choices. */
interface Entry {
  key: string;
  label: string;
  n?: number | undefined;
  pick: () => void;
}

const PAUSE_MS = 200;
const GAP_PX = 4;
const EDGE_PX = 8;

/** A choice among any number of things: the server searches them, newest first. Arrow keys move, Enter takes, Escape closes. */
export function SearchChoice<T>(props: SearchChoiceProps<T>) {
  const { things, label, describedBy, placeholder = label, shown = '', value = '', look = 'wide' } = props;
  const { isInvalid = false, isReadOnly = false } = props;
  const own = useId();
  const id = props.id ?? own;
  const field = useRef<HTMLInputElement>(null);
  const text = useSignal('');
  const isOpen = useSignal(false);
  const at = useSignal(0);
  const found = useSignal<readonly Item<T>[] | null>(null);
  /** The text of the entries that are shown. */
  const foundBy = useRef<string | null>(null);
  /** Enter was pressed before the entries of what is typed were there. */
  const isTaking = useRef(false);
  const failure = useSignal<string | null>(null);
  const asked = isOpen.value ? text.value.trim() : null;
  useEffect(() => {
    if (asked === null) return;
    const gone = new AbortController();
    const load = async () => {
      try {
        const items = await things.search(asked, gone.signal);
        if (gone.signal.aborted) return;
        const all = entriesOf(items, asked);
        foundBy.current = asked;
        found.value = items;
        failure.value = null;
        at.value = startAt(all, asked === '' ? value : '');
        if (isTaking.current) pick(all[at.peek()]);
      } catch (error) {
        if (!gone.signal.aborted) failure.value = sentenceOf(error);
      }
    };
    const timer = setTimeout(load, asked === '' ? 0 : PAUSE_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [asked, things]);
  useLayoutEffect(() => {
    // The next key begins a search, and is not added to the name.
    if (!isOpen.value && document.activeElement === field.current) field.current?.select();
  }, [isOpen.value, shown]);

  function entriesOf(items: readonly Item<T>[], typed: string): Entry[] {
    const { none, make, without = [], onPick } = props;
    const pickOf = (item: Item<T>) => () => onPick(item);
    const fits = items.filter((item) => !without.includes(item.value));
    const of = fits.map((item): Entry => ({ key: item.value, label: item.label, n: item.n, pick: pickOf(item) }));
    const makes: Entry[] = make
      ? [
          {
            key: '\u0000new',
            label: typed ? `${make.label} “${typed}”` : `${make.label}…`,
            pick: () => make.pick(typed),
          },
        ]
      : [];
    if (typed) return [...of, ...makes];
    const { made } = things;
    // From a dialog it would take away what was typed there.
    const isLost = items.length > 0 && field.current?.closest('dialog');
    const isMade = made !== undefined && makes.length === 0 && !isLost && can(made.operation);
    return [
      ...(none === undefined ? [] : [{ key: '', label: none, pick: pickOf({ value: '', label: none }) }]),
      ...makes,
      ...of,
      ...(isMade ? [{ key: '\u0000made', label: made.label, pick: () => navigate(beginning(made.operation)) }] : []),
    ];
  }
  const entries = found.value && entriesOf(found.value, text.value.trim());

  function open(): void {
    if (!isReadOnly) isOpen.value = true;
  }
  function close(): void {
    isTaking.current = false;
    foundBy.current = null;
    isOpen.value = false;
    text.value = '';
    found.value = null;
    failure.value = null;
  }
  function pick(entry: Entry | undefined): void {
    if (!entry) return;
    close();
    entry.pick();
  }
  function press(event: KeyboardEvent): void {
    isTaking.current = false;
    const n = entries?.length ?? 0;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      if (isOpen.value && n > 0) at.value = (Math.max(at.value, step > 0 ? -1 : 0) + step + n) % n;
      open();
      document.getElementById(`${id}-${at.value}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (!isOpen.value) open();
      else if (foundBy.current === text.peek().trim()) pick(entries?.[at.value]);
      else isTaking.current = true;
    } else if (event.key === 'Escape' && isOpen.value) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  }

  return (
    <div class={`search-choice ${look}`}>
      <input
        ref={field}
        id={id}
        class="in"
        type="text"
        role="combobox"
        aria-label={props.id === undefined ? label : undefined}
        aria-expanded={isOpen.value}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={entries?.[at.value] ? `${id}-${at.value}` : undefined}
        aria-invalid={isInvalid ? true : undefined}
        aria-describedby={describedBy}
        placeholder={shown || placeholder}
        autocomplete="off"
        readOnly={isReadOnly}
        value={isOpen.value ? text.value : shown}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          open();
        }}
        onFocus={(event) => event.currentTarget.select()}
        onClick={open}
        onBlur={close}
        onKeyDown={press}
      />
      <Icon name="down" />
      {isOpen.value && (
        <Found {...{ id, label, field, entries, at: at.value, failure: failure.value }} onPick={pick}>
          {found.value?.length === 0 && <p class="none dim">{nothing(things, text.value.trim())}</p>}
          {(found.value?.length ?? 0) >= FOUND_MAX && (
            <p class="none dim small">Type a part of the name to find others.</p>
          )}
        </Found>
      )}
    </div>
  );
}

/** Where the arrow keys begin: at what is chosen, or nowhere, so that Enter does not take it back. */
function startAt(entries: readonly Entry[], value: string): number {
  return value === '' ? 0 : entries.findIndex(({ key }) => key === value);
}

function nothing({ one }: Pick<Things<unknown>, 'one'>, typed: string): string {
  return typed ? 'Nothing has this name.' : `There is no ${one} yet.`;
}

/** Above everything, dialogs too, and where there is room for it: below the field or over it. */
function Found({
  id,
  label,
  field,
  entries,
  at,
  failure,
  children,
  onPick,
}: {
  id: string;
  label: string;
  field: { current: HTMLInputElement | null };
  entries: readonly Entry[] | null;
  at: number;
  failure: string | null;
  children: ComponentChildren;
  onPick: (entry: Entry) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  function place(): void {
    const from = field.current?.getBoundingClientRect();
    if (!from || !box.current) return;
    const { style } = box.current;
    style.setProperty('width', `${from.width}px`);
    const { offsetHeight: height, offsetWidth: width } = box.current;
    const below = from.bottom + GAP_PX;
    const isOver = below + height > innerHeight - EDGE_PX && from.top - GAP_PX - height >= EDGE_PX;
    style.setProperty('top', `${isOver ? from.top - GAP_PX - height : below}px`);
    style.setProperty('left', `${Math.max(EDGE_PX, Math.min(from.left, innerWidth - EDGE_PX - width))}px`);
  }
  useLayoutEffect(() => {
    box.current?.showPopover();
    addEventListener('scroll', place, true);
    addEventListener('resize', place);
    return () => {
      removeEventListener('scroll', place, true);
      removeEventListener('resize', place);
    };
  }, []);
  useLayoutEffect(place);
  return (
    <div ref={box} class="choices-found" popover="manual">
      <div
        id={`${id}-list`}
        class="found"
        role="listbox"
        tabIndex={-1}
        aria-label={label}
        // The pointer must not take the focus from the field, whose loss closes the list.
        onMouseDown={(event) => event.preventDefault()}
      >
        {entries?.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field that owns the list.
          <div
            key={entry.key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => onPick(entry)}
          >
            <span class="grow cut">{entry.label}</span>
            {entry.n !== undefined && <span class="dim small">{count(entry.n)}</span>}
          </div>
        ))}
      </div>
      {children}
      {failure && <p class="none t-bad">{failure}</p>}
    </div>
  );
}
