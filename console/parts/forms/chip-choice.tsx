import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import { api } from '../../api.ts';
import { count } from '../data/format.ts';
import { Icon } from '../icon.tsx';
import { type Item, SearchChoice } from './search-choice.tsx';

const EVERYBODY = 'GLOBAL_CONTACT_LIST';
const FOUND_MAX = 20;

interface Chosen {
  label: string;
  /** On the control that adds one. */
  add: string;
  chosen: readonly string[];
  isReadOnly: boolean;
  hint?: string;
  error?: string | undefined;
  onChange: (values: readonly string[]) => void;
}

/** The chosen items, and a choice of the others. */
export function ChipChoice({ items, ...field }: Chosen & { items: readonly Item[] }) {
  const { add, chosen, isReadOnly, error, onChange } = field;
  const others = items.filter(({ value }) => !chosen.includes(value));
  return (
    <Chips {...field} itemOf={(value) => items.find((one) => one.value === value)}>
      {!isReadOnly && others.length > 0 && (
        <select
          class="in fit"
          aria-label={add}
          value=""
          aria-invalid={error ? true : undefined}
          onChange={(event) => {
            const { value } = event.currentTarget;
            event.currentTarget.value = '';
            if (value) onChange([...chosen, value]);
          }}
        >
          <option value="">{add}</option>
          {others.map(({ value, label: text, n }) => (
            <option key={value} value={value}>
              {text}
              {n !== undefined && ` (${count(n)})`}
            </option>
          ))}
        </select>
      )}
    </Chips>
  );
}

/** Of all lists and segments that there are, however many. */
export function ListChoice({
  known,
  type,
  hasEverybody = false,
  ...field
}: Chosen & {
  /** Lists whose names the page has. */
  known: readonly Item[];
  type?: 'list';
  /** Whether all contacts can be chosen too. */
  hasEverybody?: boolean;
}) {
  const { add, chosen, isReadOnly, error, onChange } = field;
  const names = useSignal<ReadonlyMap<string, Item>>(new Map(known.map((item) => [item.value, item])));
  const learn = (items: readonly Item[]) => {
    names.value = new Map([...names.peek(), ...items.map((item) => [item.value, item] as const)]);
  };
  useEffect(() => {
    const gone = new AbortController();
    for (const id of chosen)
      if (!names.peek().has(id))
        void api.safe.contactLists.get(id, { signal: gone.signal }).then(({ data }) => data && learn([itemOf(data)]));
    return () => gone.abort();
  }, [chosen]);

  async function search(text: string, signal: AbortSignal): Promise<readonly Item[]> {
    const query = { newestFirst: true, limit: FOUND_MAX, ...(text && { search: text }), ...(type && { type }) };
    const isEverybodyAsked = hasEverybody && 'everybody'.includes(text.toLowerCase());
    const [{ lists }, everybody] = await Promise.all([
      api.contactLists.list(query, { signal }),
      isEverybodyAsked ? api.contactLists.get(EVERYBODY, { signal }) : null,
    ]);
    const found = [...(everybody ? [everybody] : []), ...lists.filter(({ id }) => id !== EVERYBODY)].map(itemOf);
    return found.filter(({ value }) => !chosen.includes(value));
  }
  return (
    <Chips {...field} itemOf={(value) => names.value.get(value)}>
      {!isReadOnly && (
        <SearchChoice
          label={add}
          search={search}
          isInvalid={error !== undefined}
          onPick={(item) => {
            learn([item]);
            onChange([...chosen, item.value]);
          }}
        />
      )}
    </Chips>
  );
}

/** As an item of a choice. */
export function itemOf({ id, name, contactCount }: { id: string; name: string; contactCount: number }): Item {
  return { value: id, label: id === EVERYBODY ? 'Everybody' : name, n: contactCount };
}

function Chips({
  label,
  chosen,
  isReadOnly,
  hint,
  error,
  onChange,
  itemOf: find,
  children,
}: Omit<Chosen, 'add'> & { itemOf: (value: string) => Item | undefined; children: ComponentChildren }) {
  const id = useId();
  return (
    <fieldset class="field" aria-describedby={error || hint ? id : undefined}>
      <legend class="label">{label}</legend>
      <div class="chips">
        {chosen.map((value) => {
          const item = find(value);
          const name = item?.label ?? value;
          return (
            <span key={value} class="chip">
              {name} {item?.n !== undefined && <span class="dim">{count(item.n)}</span>}
              {!isReadOnly && (
                <button
                  class="copy"
                  type="button"
                  aria-label={`Remove ${name}`}
                  onClick={() => onChange(chosen.filter((other) => other !== value))}
                >
                  <Icon name="close" />
                </button>
              )}
            </span>
          );
        })}
        {children}
      </div>
      {(error || hint) && (
        <span id={id} class={error ? 'hint t-bad' : 'hint'}>
          {error ?? hint}
        </span>
      )}
    </fieldset>
  );
}
