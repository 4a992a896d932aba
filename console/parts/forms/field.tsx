import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import { Icon } from '../icon.tsx';
import type { Form } from './form.ts';

type TextKey<V> = { [K in keyof V]: V[K] extends string ? K : never }[keyof V] & string;

interface Common<V extends object, K extends keyof V & string> {
  form: Form<V>;
  /** As the interface names it in `details`, so that its error finds the field. */
  name: K;
  label: string;
  /** Below the field, until there is an error. */
  hint?: ComponentChildren;
  /** Without a visible label. */
  isBare?: boolean;
  why?: string | false | null | undefined;
}

interface Frame {
  id: string;
  describedBy: string | undefined;
  error: string | undefined;
}

/** Label, hint and error around a control. Pages that need a control of their own use it too. */
export function FieldFrame<V extends object, K extends keyof V & string>({
  form,
  name,
  label,
  hint,
  isBare,
  children,
}: Omit<Common<V, K>, 'why'> & { children: (frame: Frame) => ComponentChildren }) {
  const id = useId();
  useEffect(() => form.mount(name), [form, name]);
  const error = form.errors.value[name];
  return (
    <div class="field">
      <label for={id} class={isBare ? 'sr' : undefined}>
        {label}
      </label>
      {children({ id, describedBy: error || hint ? `${id}-hint` : undefined, error })}
      {(error || hint) && (
        <span id={`${id}-hint`} class={error ? 'hint t-bad' : 'hint'}>
          {error ?? hint}
        </span>
      )}
    </div>
  );
}

interface Input {
  type?: 'text' | 'email' | 'password' | 'url' | 'date' | 'datetime-local' | 'time' | 'number';
  placeholder?: string;
  autocomplete?: 'email' | 'off' | 'name';
  inputMode?: 'numeric' | 'decimal';
  min?: string;
  max?: string;
  autoFocus?: boolean;
}

/** One line of text. Numbers stay text until they are sent: what was typed is never changed. */
export function Field<V extends object>(
  props: Common<V, TextKey<V>> & Input & { icon?: 'search'; isMono?: boolean; isNarrow?: boolean },
) {
  const { form, name, label, hint, isBare, why, icon, isMono, isNarrow, type = 'text', ...input } = props;
  return (
    <FieldFrame form={form} name={name} label={label} hint={why || hint} isBare={isBare}>
      {({ id, describedBy, error }) => (
        <div class={icon ? 'with-icon' : undefined}>
          {icon && <Icon name={icon} />}
          <input
            {...input}
            id={id}
            name={name}
            type={type as 'text'}
            class={['in', icon && 'has', isMono && 'mono', isNarrow && 'half'].filter(Boolean).join(' ')}
            value={String(form.values.value[name])}
            readOnly={Boolean(why)}
            aria-invalid={error ? true : undefined}
            aria-describedby={describedBy}
            onInput={(event) => form.set(name, event.currentTarget.value as V[TextKey<V>])}
          />
        </div>
      )}
    </FieldFrame>
  );
}

export function TextArea<V extends object>(
  props: Common<V, TextKey<V>> & { rows?: number; placeholder?: string; isMono?: boolean },
) {
  const { form, name, label, hint, isBare, why, rows = 4, placeholder, isMono } = props;
  return (
    <FieldFrame form={form} name={name} label={label} hint={why || hint} isBare={isBare}>
      {({ id, describedBy, error }) => (
        <textarea
          id={id}
          name={name}
          class={isMono ? 'in mono' : 'in'}
          rows={rows}
          placeholder={placeholder}
          value={String(form.values.value[name])}
          readOnly={Boolean(why)}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy}
          onInput={(event) => form.set(name, event.currentTarget.value as V[TextKey<V>])}
        />
      )}
    </FieldFrame>
  );
}

export interface Choice {
  value: string;
  label: string;
  hint?: string;
  isDisabled?: boolean;
}

export function Select<V extends object>(
  props: Common<V, TextKey<V>> & {
    options: readonly Choice[];
    isNarrow?: boolean;
    /** After the value was set. */
    onPick?: (value: string) => void;
  },
) {
  const { form, name, label, hint, isBare, why, options, isNarrow, onPick } = props;
  return (
    <FieldFrame form={form} name={name} label={label} hint={why || hint} isBare={isBare}>
      {({ id, describedBy, error }) => (
        <select
          id={id}
          name={name}
          class={isNarrow ? 'in half' : 'in'}
          value={String(form.values.value[name])}
          disabled={Boolean(why)}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy}
          onChange={({ currentTarget: { value } }) => {
            form.set(name, value as V[TextKey<V>]);
            onPick?.(value);
          }}
        >
          {options.map(({ value, label: text, isDisabled }) => (
            <option key={value} value={value} disabled={isDisabled}>
              {text}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}
