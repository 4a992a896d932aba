import { FieldFrame } from '../../parts/forms/field.tsx';
import type { Form } from '../../parts/forms/form.ts';
import type { Texts } from './linked.ts';

const NONE = '#888888';

/** Picked, or written as #1a5fb4; empty for the colour of the mail. */
export function ColourField({
  form,
  name,
  label,
  hint = 'Empty: the colour of the mail.',
  why,
}: {
  form: Form<Texts>;
  name: string;
  label: string;
  hint?: string;
  why: string | null;
}) {
  const value = form.values.value[name] ?? '';
  const isColour = /^#[0-9a-f]{6}$/i.test(value);
  return (
    <FieldFrame form={form} name={name} label={label} hint={why ?? hint}>
      {({ id, describedBy, error }) => (
        <div class="row">
          <input
            type="color"
            class="swatch"
            aria-label={`${label}, picked`}
            value={isColour ? value.toLowerCase() : NONE}
            disabled={why !== null}
            onInput={(event) => form.set(name, event.currentTarget.value)}
          />
          <input
            id={id}
            class="in half mono"
            value={value}
            readOnly={why !== null}
            autocomplete="off"
            aria-invalid={error ? true : undefined}
            aria-describedby={describedBy}
            onInput={(event) => form.set(name, event.currentTarget.value)}
          />
        </div>
      )}
    </FieldFrame>
  );
}
