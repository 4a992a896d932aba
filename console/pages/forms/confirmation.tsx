import { useEffect } from 'preact/hooks';
import { ChipChoice } from '../../parts/forms/chip-choice.tsx';
import { Checkbox } from '../../parts/forms/choices.tsx';
import { Field, Select, TextArea } from '../../parts/forms/field.tsx';
import type { Form } from '../../parts/forms/form.ts';
import { Notice } from '../../parts/page/notice.tsx';
import { Section } from '../../parts/page/page.tsx';
import { type Choices, whyReadOnly } from './choices.ts';
import type { Draft } from './draft.ts';

/** The mail that confirms a subscription, and what the confirmation does. */
export function Confirmation({
  form,
  choices: { templates, groups },
  isReadOnly,
}: {
  form: Form<Draft>;
  choices: Choices;
  isReadOnly: boolean;
}) {
  const { doubleOptIn, confirmationTemplateId, unsubscribeGroupIds } = form.values.value;
  const why = isReadOnly && whyReadOnly;
  useEffect(() => form.mount('unsubscribeGroupIds'), [form]);
  const own = templates.filter(({ templateType }) => templateType === 'transactional');
  return (
    <Section title="Confirmation" hasRule>
      <Checkbox
        form={form}
        name="doubleOptIn"
        label="People confirm their address by a mail"
        hint="Until then nothing about them is stored among your contacts."
        isDisabled={isReadOnly}
      />
      {doubleOptIn ? (
        <>
          <Select
            form={form}
            name="confirmationTemplateId"
            label="The mail"
            hint="A template names the link as {{confirmUrl}}."
            isNarrow
            why={why}
            options={[
              { value: '', label: 'One of ours, in the language of the person' },
              ...own.map(({ templateId, templateName }) => ({ value: templateId, label: templateName })),
            ]}
          />
          {confirmationTemplateId === '' && (
            <>
              <Field form={form} name="texts/mailSubject" label="Its subject" autocomplete="off" why={why} {...empty} />
              <TextArea form={form} name="texts/mailText" label="Its text" rows={3} why={why} {...empty} />
              <Field form={form} name="texts/mailButton" label="Its button" autocomplete="off" why={why} {...empty} />
            </>
          )}
          <ChipChoice
            label="Takes back unsubscribes in"
            add="Add a group"
            items={groups
              .filter(({ isGlobal, isDefault, isMarketing }) => !isGlobal && !isDefault && !isMarketing)
              .map(({ groupId, name }) => ({ value: groupId, label: name }))}
            chosen={unsubscribeGroupIds}
            isReadOnly={isReadOnly}
            hint="Next to the default group. Bounces and complaints stay."
            error={form.errors.value.unsubscribeGroupIds}
            onChange={(ids) => form.set('unsubscribeGroupIds', ids)}
          />
        </>
      ) : (
        <Notice kind="warn" title="Anyone can enter any address">
          People are added at once. Nothing that is stored about them changes, and who unsubscribed stays unsubscribed.
        </Notice>
      )}
    </Section>
  );
}

const empty = { placeholder: 'As the language has it' };
