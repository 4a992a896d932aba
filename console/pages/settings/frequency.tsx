import { useEffect } from 'preact/hooks';
import { ChipChoice } from '../../parts/choose/chip-choice.tsx';
import { mailedGroups } from '../../parts/choose/things.ts';
import { Field } from '../../parts/forms/field.tsx';
import type { Form } from '../../parts/forms/form.ts';
import { Section } from '../../parts/page/page.tsx';
import { type Draft, whyReadOnly } from './draft.ts';

const EXCEPT = 'frequencyCap/exceptGroupIds';

/** How many marketing mails a person gets at most. */
export function Frequency({ form, isReadOnly }: { form: Form<Draft>; isReadOnly: boolean }) {
  const why = isReadOnly && whyReadOnly;
  useEffect(() => form.mount(EXCEPT), [form]);
  return (
    <Section title="Frequency cap" note="for campaigns, automations and marketing calls together" hasRule>
      <div class="cols near">
        <div class="c3">
          <Field
            form={form}
            name="frequencyCap/mails"
            label="Most marketing mails"
            type="number"
            min="1"
            max="100"
            placeholder="any number"
            hint="To one person. What is above is not sent."
            why={why}
          />
        </div>
        <div class="c3">
          <Field
            form={form}
            name="frequencyCap/withinDays"
            label="Within days"
            type="number"
            min="1"
            max="90"
            hint="Of 24 hours, up to now."
            why={why}
          />
        </div>
        <div class="c6">
          <ChipChoice
            label="Not for mail of"
            add="Add a group"
            things={mailedGroups}
            chosen={form.values.value[EXCEPT]}
            isReadOnly={isReadOnly}
            hint="It neither counts nor is held back. The default group stands for mail that names none."
            error={form.errors.value[EXCEPT]}
            onChange={(ids) => form.set(EXCEPT, ids)}
          />
        </div>
      </div>
    </Section>
  );
}
