import { useEffect } from 'preact/hooks';
import { ChipChoice } from '../../parts/choose/chip-choice.tsx';
import { ChooserField } from '../../parts/choose/chooser.tsx';
import { ownGroups, transactionalTemplates } from '../../parts/choose/things.ts';
import { Checkbox } from '../../parts/forms/choices.tsx';
import { Field, TextArea } from '../../parts/forms/field.tsx';
import type { Form } from '../../parts/forms/form.ts';
import { Notice } from '../../parts/page/notice.tsx';
import { Section } from '../../parts/page/page.tsx';
import { whyReadOnly } from './choices.ts';
import type { Draft } from './draft.ts';

/** The mail that confirms a subscription, and what the confirmation does. */
export function Confirmation({ form, isReadOnly }: { form: Form<Draft>; isReadOnly: boolean }) {
  const { doubleOptIn, confirmationTemplateId, unsubscribeGroupIds } = form.values.value;
  const why = isReadOnly && whyReadOnly;
  useEffect(() => form.mount('unsubscribeGroupIds'), [form]);
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
          <ChooserField
            form={form}
            name="confirmationTemplateId"
            label="The mail"
            hint="A template names the link as {{confirmUrl}}."
            look="half"
            why={why}
            things={transactionalTemplates}
            none="One of ours, in the language of the person"
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
            things={ownGroups}
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
