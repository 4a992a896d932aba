import { useId } from 'preact/hooks';
import { count } from '../data/format.ts';
import { Icon } from '../icon.tsx';
import { useNames } from './names.ts';
import { SearchChoice } from './search-choice.tsx';
import type { Item, Things } from './things.ts';

/** The chosen things, each by its name, and a choice of the others. */
export function ChipChoice<T>({
  things,
  label,
  add,
  chosen,
  known = [],
  isReadOnly,
  hint,
  error,
  onChange,
}: {
  things: Things<T>;
  label: string;
  /** On the control that adds one. */
  add: string;
  chosen: readonly string[];
  /** Things whose names the page has. */
  known?: readonly Omit<Item, 'thing'>[];
  isReadOnly: boolean;
  hint?: string;
  error?: string | undefined;
  onChange: (values: readonly string[]) => void;
}) {
  const id = useId();
  const names = useNames(things, chosen, known);
  return (
    <fieldset class="field" aria-describedby={error || hint ? id : undefined}>
      <legend class="label">{label}</legend>
      <div class="chips">
        {chosen.map((value) => {
          const name = names.name(value);
          const n = names.of(value)?.n;
          return (
            <span key={value} class="chip">
              {name} {n !== undefined && <span class="dim">{count(n)}</span>}
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
        {!isReadOnly && (
          <SearchChoice
            things={things}
            label={add}
            without={chosen}
            isInvalid={error !== undefined}
            look="half"
            onPick={(item) => {
              names.learn(item);
              onChange([...chosen, item.value]);
            }}
          />
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
