import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import type { Choice } from './field.tsx';
import type { Form } from './form.ts';

type BooleanKey<V> = { [K in keyof V]: V[K] extends boolean ? K : never }[keyof V] & string;
type TextKey<V> = { [K in keyof V]: V[K] extends string ? K : never }[keyof V] & string;

/** A box with its sentence next to it. */
export function Checkbox<V extends object>({
  form,
  name,
  label,
  hint,
  isDisabled = false,
}: {
  form: Form<V>;
  name: BooleanKey<V>;
  label: ComponentChildren;
  hint?: string;
  isDisabled?: boolean;
}) {
  const id = useId();
  useEffect(() => form.mount(name), [form, name]);
  const error = form.errors.value[name];
  return (
    <div class="field">
      <label class="option">
        <input
          class="check"
          type="checkbox"
          name={name}
          checked={Boolean(form.values.value[name])}
          disabled={isDisabled}
          aria-invalid={error ? true : undefined}
          aria-describedby={error || hint ? id : undefined}
          onChange={(event) => form.set(name, event.currentTarget.checked as V[BooleanKey<V>])}
        />
        <span>{label}</span>
      </label>
      {(error || hint) && (
        <span id={id} class={error ? 'hint indent t-bad' : 'hint indent'}>
          {error ?? hint}
        </span>
      )}
    </div>
  );
}

/** A few choices that are all worth reading. `look`: `list` has a line and a hint for each, `segments` is one row of short words. */
export function Options<V extends object>({
  form,
  name,
  label,
  options,
  look = 'list',
}: {
  form: Form<V>;
  name: TextKey<V>;
  label: string;
  options: readonly Choice[];
  look?: 'list' | 'segments';
}) {
  useEffect(() => form.mount(name), [form, name]);
  return (
    <Choose
      label={label}
      value={String(form.values.value[name])}
      options={options}
      look={look}
      error={form.errors.value[name]}
      onChange={(value) => form.set(name, value as V[TextKey<V>])}
    />
  );
}

/** The same without a form: filters and switches of the view. */
export function Choose({
  label,
  value,
  options,
  look = 'segments',
  error,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly Choice[];
  look?: 'list' | 'segments';
  error?: string | undefined;
  onChange: (value: string) => void;
}) {
  const id = useId();
  const isList = look === 'list';
  return (
    <fieldset class={isList ? 'stack tight' : 'segmented'} aria-describedby={error ? id : undefined}>
      <legend class={isList ? 'label' : 'sr'}>{label}</legend>
      {options.map((option) => (
        <label key={option.value} class={isList ? 'option' : undefined}>
          <input
            class={isList ? 'radio' : undefined}
            type="radio"
            name={id}
            value={option.value}
            checked={option.value === value}
            disabled={option.isDisabled}
            onChange={() => onChange(option.value)}
          />
          <span>
            {option.label}
            {isList && option.hint && <span class="hint">{option.hint}</span>}
          </span>
        </label>
      ))}
      {error && (
        <span id={id} class="hint t-bad">
          {error}
        </span>
      )}
    </fieldset>
  );
}
