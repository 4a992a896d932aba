import { batch, type Signal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { Button } from '../../../../parts/forms/button.tsx';
import { Field } from '../../../../parts/forms/field.tsx';
import type { Form } from '../../../../parts/forms/form.ts';
import type { Draft } from '../draft.ts';
import { type Index, keyOf, VARIANT_IDS, type VariantFields, without } from './given.ts';
import { VariantMail } from './variant-mail.tsx';

/** The differences of one mail; an empty field shows what the campaign has. */
export function Variant({
  form,
  index,
  person,
  notice,
  why,
  canLeave,
}: {
  form: Form<Draft>;
  index: Index;
  person: Signal<string>;
  notice: string | null;
  why: string | false;
  canLeave: boolean;
}) {
  const headingId = useId();
  const id = VARIANT_IDS[index];
  const name = `variants/${index}`;
  const { subject, previewText, fromEmail, fromName, variants } = form.values.value;
  const error = form.errors.value[name];
  useEffect(() => form.mount(name), [form, name]);
  const as = (text: string) => text || 'As the campaign';
  return (
    <li class="variant stack" aria-labelledby={headingId}>
      <div class="row">
        <h3 id={headingId} class="grow strong">
          Mail {id}
        </h3>
        {canLeave && (
          <Button kind="plain" isSmall label={`Remove mail ${id}`} onClick={() => leave(form, index)}>
            Remove
          </Button>
        )}
      </div>
      <Field
        form={form}
        name={keyOf(index, 'subject')}
        label={`Subject of ${id}`}
        autocomplete="off"
        placeholder={as(subject)}
        why={why}
      />
      <Field
        form={form}
        name={keyOf(index, 'previewText')}
        label={`Preview text of ${id}`}
        autocomplete="off"
        placeholder={as(previewText)}
        why={why}
      />
      <div class="two">
        <Field
          form={form}
          name={keyOf(index, 'from/email')}
          label={`${id} is from`}
          autocomplete="off"
          placeholder={as(fromEmail)}
          why={why}
        />
        <Field
          form={form}
          name={keyOf(index, 'from/name')}
          label={`Name shown in ${id}`}
          autocomplete="off"
          placeholder={as(fromName)}
          why={why}
        />
      </div>
      <VariantMail {...{ form, index, person, notice, why }} />
      <Field
        form={form}
        name={keyOf(index, 'share')}
        label={`Per cent who get ${id}`}
        inputMode="numeric"
        isNarrow
        placeholder={`An equal part of ${variants}`}
        why={why}
      />
      {error && (
        <p class="hint t-bad" role="alert">
          {error}
        </p>
      )}
    </li>
  );
}

/** Focus moves to the number of mails: the button that had it is gone. */
function leave(form: Form<Draft>, index: Index): void {
  const changed = without(form.values.peek(), index);
  batch(() => {
    for (const [name, value] of Object.entries(changed)) form.set(name as keyof VariantFields, value as never);
  });
  document.querySelector<HTMLElement>('select[name="variants"]')?.focus();
}
