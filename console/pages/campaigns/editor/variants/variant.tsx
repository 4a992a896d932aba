import { batch } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { ChooserField } from '../../../../parts/choose/chooser.tsx';
import { marketingTemplates } from '../../../../parts/choose/things.ts';
import { Button } from '../../../../parts/forms/button.tsx';
import { Field } from '../../../../parts/forms/field.tsx';
import type { Form } from '../../../../parts/forms/form.ts';
import type { Draft } from '../draft.ts';
import { type Index, keyOf, VARIANT_IDS, type VariantFields, without } from './given.ts';

/** The differences of one mail; an empty field shows what the campaign has. */
export function Variant({
  form,
  index,
  why,
  canLeave,
}: {
  form: Form<Draft>;
  index: Index;
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
      <ChooserField
        form={form}
        name={keyOf(index, 'templateId')}
        label={`Template of ${id}`}
        none="The mail of the campaign"
        why={why}
        things={marketingTemplates}
      />
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
    for (const [name, value] of Object.entries(changed)) form.set(name as keyof VariantFields, value);
  });
  document.querySelector<HTMLElement>('select[name="variants"]')?.focus();
}
