import { useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../icon.tsx';

const PAUSE_MS = 250;

/** Calls `onSearch` when the typing pauses, and at once with Enter. */
export function SearchBox({
  label,
  placeholder = label,
  value,
  onSearch,
}: {
  label: string;
  placeholder?: string;
  value: string;
  onSearch: (text: string) => void;
}) {
  const id = useId();
  const typed = useSignal(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const sent = useRef(value);
  useLayoutEffect(() => {
    // Changed from outside, by the Back button or a reset; not by what was just typed here.
    if (value !== sent.current) typed.value = value;
    sent.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  function search(): void {
    clearTimeout(timer.current);
    const text = typed.peek().trim();
    if (text === sent.current) return;
    sent.current = text;
    onSearch(text);
  }
  return (
    <search class="with-icon grow">
      <label class="sr" for={id}>
        {label}
      </label>
      <Icon name="search" />
      <input
        id={id}
        class="in has"
        type="search"
        placeholder={placeholder}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          clearTimeout(timer.current);
          timer.current = setTimeout(search, PAUSE_MS);
        }}
        onKeyDown={(event) => event.key === 'Enter' && search()}
      />
    </search>
  );
}

/** A choice next to a search box; the empty value means no filter. */
export function FilterSelect({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <>
      <label class="sr" for={id}>
        {label}
      </label>
      <select id={id} class="in fit" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </>
  );
}
