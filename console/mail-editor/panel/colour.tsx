import { FieldFrame } from '../../parts/forms/field.tsx';
import type { Form } from '../../parts/forms/form.ts';
import { ContrastNote, Swatches } from '../colours/swatches.tsx';
import type { Texts } from './linked.ts';

/** One of the brand, picked, or written as #1a5fb4; empty for the colour of the mail. */
export function ColourField({
  form,
  name,
  label,
  hint = 'Empty: the colour of the mail.',
  against,
  why,
}: {
  form: Form<Texts>;
  name: string;
  label: string;
  hint?: string;
  /** The colour behind the words, or of them. */
  against?: string | undefined;
  why: string | null;
}) {
  const value = form.values.value[name] ?? '';
  return (
    <FieldFrame form={form} name={name} label={label} hint={why ?? hint}>
      {({ id, describedBy, error }) => (
        <div class="stack tight">
          <div class="row wrap">
            <Swatches {...{ label, value, against, why }} onPick={(colour) => form.set(name, colour)} />
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
          <ContrastNote value={value} against={against} />
        </div>
      )}
    </FieldFrame>
  );
}
