import { useId } from 'preact/hooks';
import type { ContactList } from '../../../client/index.ts';
import { count } from '../data/format.ts';
import { Icon } from '../icon.tsx';

const GLOBAL = 'GLOBAL_CONTACT_LIST';

interface Item {
  value: string;
  label: string;
  /** Of people, next to the label. */
  n?: number;
}

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
export function ChipChoice({
  label,
  add,
  items,
  chosen,
  isReadOnly,
  hint,
  error,
  onChange,
}: Chosen & { items: readonly Item[] }) {
  const id = useId();
  const others = items.filter(({ value }) => !chosen.includes(value));
  return (
    <fieldset class="field" aria-describedby={error || hint ? id : undefined}>
      <legend class="label">{label}</legend>
      <div class="chips">
        {chosen.map((value) => {
          const item = items.find((one) => one.value === value);
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
      </div>
      {(error || hint) && (
        <span id={id} class={error ? 'hint t-bad' : 'hint'}>
          {error ?? hint}
        </span>
      )}
    </fieldset>
  );
}

/** Of lists and segments. */
export function ListChoice({ lists, ...chosen }: Chosen & { lists: readonly ContactList[] }) {
  const items = lists.map(({ id, name, contactCount }) => ({
    value: id,
    label: id === GLOBAL ? 'Everybody' : name,
    n: contactCount,
  }));
  return <ChipChoice {...chosen} items={items} />;
}
