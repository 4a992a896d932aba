import { Field, TextArea } from '../../parts/forms/field.tsx';
import type { Form } from '../../parts/forms/form.ts';
import { Section } from '../../parts/page/page.tsx';
import { whyReadOnly } from './choices.ts';
import type { Draft } from './draft.ts';

/** The texts that replace those of the languages, and where people go next. */
export function Words({ form, isReadOnly }: { form: Form<Draft>; isReadOnly: boolean }) {
  const why = isReadOnly && whyReadOnly;
  const { doubleOptIn } = form.values.value;
  return (
    <>
      <Section title="Texts" note="empty: those of the language of the person" hasRule>
        <Field form={form} name="texts/title" label="Heading" autocomplete="off" why={why} />
        <TextArea form={form} name="texts/intro" label="Below it" rows={3} why={why} />
        <TextArea
          form={form}
          name="texts/consent"
          label="What people agree to"
          rows={3}
          hint="Kept with each consent, as it was shown."
          why={why}
        />
        <Field form={form} name="texts/button" label="Button" autocomplete="off" why={why} />
      </Section>
      <Section title="What comes next" hasRule>
        <Next form={form} of="submitted" label="When the form was sent" why={why} />
        {doubleOptIn && <Next form={form} of="confirmed" label="When they have confirmed" why={why} />}
      </Section>
    </>
  );
}

function Next({
  form,
  of,
  label,
  why,
}: {
  form: Form<Draft>;
  of: 'submitted' | 'confirmed';
  label: string;
  why: string | false;
}) {
  return (
    <div class="stack tight">
      <Field
        form={form}
        name={`redirectTo/${of}`}
        label={`${label}, they go to`}
        type="url"
        autocomplete="off"
        placeholder="A page of ours"
        why={why}
      />
      {form.values.value[`redirectTo/${of}`] === '' && (
        <TextArea form={form} name={`texts/${of}`} label="which says" rows={2} why={why} />
      )}
    </div>
  );
}
